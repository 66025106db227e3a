import { inputOf, listName, namedList, type Phrase, plainList } from "./phrases-words.ts";

function searching(phrase: string): Phrase {
  return {
    phrase,
    slots: { list: listName },
    toInput: (slots) => (typeof slots.query === "object" ? undefined : inputOf("search", slots, "query")),
  };
}

const mention =
  "(mention|mentions|contain|contains|containing|mentioning|about|with|include|includes|including|are about|have to do with|match|matching|say|related to|relating to|that mention|that contain)";
/** How people look for todos. */
export const searchPhrases: readonly Phrase[] = [
  searching(
    `(search|look|find|check|look up|see|scan) [(through|in|on)] [(my|the|our|all my)] (todos|to dos|tasks|items|reminders|todo list|to do list|task list|list|lists) for [(anything|something|the word|any|items|tasks)] [(about|with|called)] {query}`,
  ),
  searching(`(search|look|check|find|search through) (in|on|through) (${namedList}|${plainList}) for {query}`),
  searching(`(search|check|look through|go through|look at|scan) (${namedList}|${plainList}) for {query}`),
  searching(
    `(search for|find|look for|look up|check for|search|check on|hunt for|see if there is) {query} (on|in|among) (${namedList}|${plainList})`,
  ),
  searching(
    `(find|show|list|get|give|search|search for|look for) [me] [(all|any|every)] [(my|the)] (todos|to dos|tasks|task|todo|items|item|reminders|entries) ${mention} {query}`,
  ),
  searching(`(search for|look for|search) {query}`),
  searching(
    `(is|are|was|were) [there] [(a|an|any)] {query} [(already|still|currently|now|also)] [listed] (on|in) (${namedList}|${plainList})`,
  ),
  searching(
    `(is|are) [there] (anything|something|a (task|todo|to do|reminder)|any (tasks|todos|to dos|items|reminders)) ${mention} {query} [(on|in) (${namedList}|${plainList})]`,
  ),
  searching(
    `(do|did|does|have) (i|we) [(already|still|ever)] (have|got|get|add|added|put|include|included|write|wrote|written) [down] {query} [(already|down)] (on|to|in|into|onto) (${namedList}|${plainList})`,
  ),
  searching(
    `(do i have|are there|which are|what are) [(a|any|the|my)] (tasks|todos|to dos|items|todo|task|to do|reminder|reminders) ${mention} {query}`,
  ),
  searching(`(which|what) [of my] (tasks|todos|to dos|items|reminders) [(do|does|are)] ${mention} {query}`),
  searching(
    `[(see|check|tell me|verify|find out|confirm|look|let me know|make sure)] (if|whether|that) [there (is|are)] {query} (is|are|was|were) [(already|still|currently|now)] (on|in) (${namedList}|${plainList})`,
  ),
  searching(
    `(see|check|tell me|verify|find out|look|let me know) (if|whether) (i|we) (have|put|added|got|included|had) {query} (on|to|in|into) (${namedList}|${plainList})`,
  ),
  searching(
    `(see|check|tell me|verify|find out|look|let me know) (if|whether) there (is|are) [(a|an|any)] {query} (on|in) (${namedList}|${plainList})`,
  ),
  searching(`does (${namedList}|${plainList}) (have|include|contain|say|mention) {query} [on it]`),
];
