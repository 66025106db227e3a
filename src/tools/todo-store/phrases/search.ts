import { day, inputOf, listName, namedList, type Phrase, plainList, things } from "./words.ts";

/** A due date does not restrict a search: the search finds the todo, and shows the day. */
const when = "[[(for|on|due)] ({dueOn}|this (week|month|weekend|year))]";
const list = `(${namedList}|${plainList})`;
const onIt = `(on|in|among|to|into|onto|down on|off) ${list} ${when}`;
const task = "(task|todo|to do|reminder|item|note|entry|todo item|to do item)";
const still = "[(already|still|currently|now|also|ever|just)]";
const mention =
  "(mention|mentions|contain|contains|containing|mentioning|about|with|include|includes|including|are about|have to do with|match|matching|say|related to|relating to|that mention|that contain)";
const verify =
  "(see|check|check and see|tell me|verify|find out|confirm|look|look and see|look to see|let me know|say|know|wondering|i wonder)";
const put =
  "(have|need|got|get|add|added|put|include|included|write|wrote|written|jot|jotted|note|noted|create|created|make|made|set|enter|entered|save|saved|had|list|listed|mention|remember to (add|put|include))";

function searching(phrase: string): Phrase {
  return {
    phrase,
    slots: { list: listName, dueOn: day },
    toInput({ dueOn: _, query, ...others }) {
      if (typeof query !== "string") return undefined;
      // Every word is looked for: "the laundry" would miss "laundry".
      return inputOf("search", { ...others, query: query.replace(/^(?:the|an?|my|our|any|some) /i, "") }, "query");
    },
  };
}

/** A phrase with "it" for the list that was mentioned before. */
function searchingIt(phrase: string): Phrase {
  const rule = searching(phrase);
  return {
    ...rule,
    toInput(slots, context) {
      const list = context.before?.input.list;
      if (context.before === undefined) return undefined;
      return rule.toInput?.(typeof list === "string" ? { ...slots, list } : slots, context);
    },
  };
}

/** Phrases that search for todos, or ask whether something is one. */
export const searchPhrases: readonly Phrase[] = [
  searching(
    `(search|look|find|check|look up|see|scan) [(through|in|on)] [(my|the|our|all my)] (todos|to dos|tasks|items|reminders|todo list|to do list|task list|list|lists) for [(anything|something|the word|any|items|tasks)] [(about|with|called)] {query}`,
  ),
  searching(`(search|look|check|find|search through) (in|on|through) ${list} for {query}`),
  searching(`(search|check|look through|go through|look at|scan) ${list} for {query}`),
  searching(
    `(search for|find|look for|look up|check for|search|check on|hunt for|see if there is) {query} (on|in|among) ${list}`,
  ),
  searching(
    `(find|show|list|get|give|search|search for|look for) [me] [(all|any|every)] [(my|the)] (${things}|${task}) ${mention} {query}`,
  ),
  searching(
    `(is|are|was|were) [there] [(a|an|any)] {query} ${still} [there] [(listed|coming up|scheduled|due|included|down|written down|written|noted|present|found|an item|a ${task}|something|one of the ${things}|part of)] ${onIt}`,
  ),
  searching(`(when|at what time|what time|what day|which day|how soon) (is|are) {query} [due] ${onIt}`),
  searching(`(is|are) [there] (anything|something|a ${task}|any ${things}) ${mention} {query} [${onIt}]`),
  searching(`(do|did|does|have|had) (i|we) ${still} ${put} [(down|up)] {query} [(already|down)] ${onIt}`),
  searching(
    `(do|did|have) (i|we) ${still} ${put} [(a|an|any|the)] ${task} [${onIt}] (to|for|about|called|named|that says) {query} [${onIt}]`,
  ),
  searching(
    `(is|are) there [(already|still)] [(a|an|any)] ${task} [${onIt}] (to|for|about|called|named|that says) {query} [${onIt}]`,
  ),
  searching(`(do i have|are there|which are|what are) [(a|any|the|my)] (${things}|${task}) ${mention} {query}`),
  searching(`(which|what) [of my] (${things}) [(do|does|are)] ${mention} {query}`),
  searching(
    `([${verify}] (if|whether)|(verify|confirm|check|see) that) [there (is|are)] [(a|an|any)] {query} (is|are|was|were|has been|have been) ${still} [there] [(listed|coming up|put|added|included)] ${onIt}`,
  ),
  searching(`${verify} (if|whether) (i|we) [(have|had|did|already|still)] ${still} ${put} [(down|up)] {query} ${onIt}`),
  searching(`${verify} (if|whether) there (is|are) [(a|an|any)] {query} ${onIt}`),
  searching(`${verify} (if|whether) ${list} (has|have|includes|contains|mentions|says) {query} [on it]`),
  searching(`does ${list} ${still} (have|include|contain|say|mention|list) {query} [(on it|in it)]`),
  searchingIt(`${verify} (if|whether) {query} (is|are) ${still} (on|in) (it|there)`),
  searchingIt(`(is|are) {query} ${still} (on|in) (it|there)`),
];
