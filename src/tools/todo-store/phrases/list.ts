import type { TodoStoreInput } from "../todo-input.ts";
import { dayRange, daysOf } from "./range.ts";
import { completed, day, listName, own, ownList, type Phrase, pending, plainList, things, todos } from "./words.ts";

const show =
  "(show|showing|list|listing|display|read|reading|give|tell|get|see|view|print|pull up|open|bring up|check|fetch|recite|repeat|review|refresh|reload|iterate|provide|present|say|state|name|have|hear|know|look at|go to|go into|access|go over|go through|run through|read through|read (out|off|back|aloud)|find|what is|what are|which are|how is|let me (see|hear|know|have)|(can|could|may) i (see|hear|have|get)|i (want|need|would like) to (see|hear|know|have)|remind me (of|about))";
const me = "[(me|us|back to me|to me|me back)]";
const list = `(${ownList}|${plainList})`;
const on = `(on|in|from|of) ${list}`;
const when = "[[(for|due|due on|on|from|of)] ({range}|{dueOn})]";
const tail =
  "[(to me|back|back to me|aloud|out loud|out|read out|read out loud|read aloud|read to me|looking|look|so far|at the moment)]";
const doing =
  "(to do|to get done|to finish|to complete|to take care of|to be done|to accomplish|waiting|left|left to do|remaining|pending|planned|scheduled|coming up|lined up|outstanding)";
const have =
  "(do|did|should|must|have|will) (i|we) [(still|currently)] [(have|need|want|got|have left|still have|still need|put|got left)]";

interface Filter {
  readonly status?: "pending" | "completed";
}

function listing(phrase: string, filter: Filter = {}): Phrase {
  return {
    phrase,
    slots: { list: listName, dueOn: day, range: dayRange },
    toInput: ({ range, ...slots }, context) =>
      ({ operation: "list", ...slots, ...daysOf(range, context), ...filter }) as unknown as TodoStoreInput,
  };
}

/** A list and nothing else, which asks for it only if nothing was asked before: "add milk to my shopping list and my work list". */
function listingBare(phrase: string): Phrase {
  const { slots, toInput } = listing(phrase);
  return { phrase, slots, toInput: (found, context) => (context.before ? undefined : toInput?.(found, context)) };
}

/** A phrase with "it" for the list that was mentioned before. */
function listingIt(phrase: string): Phrase {
  return {
    phrase,
    toInput(_, { before }) {
      if (before === undefined) return undefined;
      const { list } = before.input;
      return { operation: "list", ...(typeof list === "string" && { list }) };
    },
  };
}

function listingPending(phrase: string): Phrase {
  return listing(phrase, { status: "pending" });
}

function listingCompleted(phrase: string): Phrase {
  return listing(phrase, { status: "completed" });
}

const which = `[(all [of]|everything|every)] [${own}] [(current|whole|entire|full|existing|complete|recent|latest)]`;

/** "Show me my list": a command, or a question that names what to show. */
const shown: readonly Phrase[] = [
  listing(`${show} ${me} ${which} ${todos} ${when} [(i have|there are|that i have)] ${tail}`),
  listing(`${show} ${me} [(all [of]|everything (on|in)|what is (on|in)|the contents of)] ${list} ${when} ${tail}`),
  listing(`${show} ${me} ${list} (items|tasks|entries|contents) ${when} ${tail}`),
  listing(
    `${show} ${me} [(all [of]|every|each|some of)] [the] (${things}|contents|content|everything|anything|whatever) [to me] [(that is|that are|which are|is|are|i have|that i have|there is|i put|listed)] ${on} ${when} ${tail}`,
  ),
  listing(
    `${show} ${me} [all] (what [all] [else] (is|are) [there]|what is there|all there is|what there is) ${on} ${when} ${tail}`,
  ),
  listing(
    `${show} ${me} what (i|we) (have|still have|put|have got|wrote|have put|need to do|have to do) [${doing}] ${on} ${when} ${tail}`,
  ),
  listing(`${show} ${me} [what|which] ${things} (are|is) [(currently|still)] ${on} ${when} ${tail}`),
  listing(`${show} ${me} everything [${on}] ${tail}`),
  listing(`(show|list) (todo|to do|todos)`),
  listing(
    `(show|read|tell|give|display) [me] [(what is|everything|the items)] [on] (my|the|our) list for [(the|my|our)] {list}`,
  ),
  listing(
    `(give|show|tell|read) [me] [(a|an|the)] [quick] (rundown|summary|overview|breakdown|copy|look|list) (of|on|at) ${list} ${when}`,
  ),
  listing(`is ${list} (empty|clear|blank|done|finished|complete|long|full)`),
  listingIt(`${show} ${me} (it|them|that) [(now|again)] ${tail}`),
  listingIt(`${show} ${me} (what is|everything|what there is) (on|in) (it|there|that) ${tail}`),
  listingBare(`(my|our) {list} list ${when}`),
  listingBare(`${own} (todos|to dos|tasks|todo list|to do list|task list|list) ${when}`),
  listingBare(`(todo list|to do list|task list|todos|to dos) ${when}`),
  listing(`how [(is|are|about)] ${list} [(looking|look|going|coming along)] ${when}`),
];

/** The same for one status only. */
const byStatus: readonly Phrase[] = [
  listingPending(`[(all|all of)] [${own}] ${pending} ${todos} ${when}`),
  listingCompleted(`[(all|all of)] [${own}] ${completed} ${todos} ${when}`),
  listingPending(`${show} ${me} ${which} ${pending} (${todos}|${things}) [${on}] ${when}`),
  listingCompleted(`${show} ${me} ${which} ${completed} (${todos}|${things}) [${on}] ${when}`),
  listingPending(
    `[${show}] ${me} what is (left|still left|still open|open|pending|remaining|outstanding|not done|unfinished|still to do|still pending|yet to be done|left to do|left to be done) [to do] [${on}] ${when}`,
  ),
  listingPending(`[${show}] ${me} what (i|we) (still have|have left|have yet|still need|need|have) to do ${when}`),
  listingPending(`(how many|which|what) ${things} (do i have|are there|have i got|are) left [to do] [${on}]`),
  listingPending(`(do i have|are there|have i got) (anything|any ${things}) left [to do]`),
  listingPending(`how many ${pending} ${things} (do i have|are there|have i got) [left] [${on}]`),
  listingPending(`(what|which) [of] [(my|the)] (${things}|ones) (are|is) [still] ${pending} [${on}] ${when}`),
  listingCompleted(
    `(what|which) [of] [(my|the)] (${things}|ones) (are [already]|have i [already]|did i [already]|have been) ${completed} [${on}]`,
  ),
  listingCompleted(`what (have i|did i) [already] (done|do|completed|complete|finished|finish|get done|gotten done)`),
];

/** "What have I got to do today?" */
const asked: readonly Phrase[] = [
  listing(`[${show}] ${me} what (is|are) [(all)] (on|in) ${list} ${when} [right now]`),
  listing(
    `what [(all|else|kind of|sort of|kinds of|other|all the)] [${things}] ${have} [${doing}] (${doing}|(on|in) ${list}) ${when} [(so far|right now|currently)]`,
  ),
  listing(`what [(else|all)] [(i|we)] have (on|in) ${list} ${when}`),
  listing(
    `(what|which) [other] (tasks|todos|to dos|chores|reminders|errands) ${have} [${doing}] [(on|in) ${list}] ${when}`,
  ),
  listing(`(what|which) [(${things}|else|all)] (is|are) [(all|there|currently|still|left)] (on|in) ${list} ${when}`),
  listing(
    `(what are|what is|tell me|show me|list|give me|which are) [all] (${things}|stuff) [that] (i|we) [still] (have|need|want|should|must) (${doing}|(for|due|on) {dueOn}|on ${list}) ${when}`,
  ),
  listing(
    `(do i have|is there|are there|have i got|do we have) (anything|something|any ${things}) [(else|left)] [${doing}] [(on|in) ${list}] ${when}`,
  ),
  listing(
    `how many ${things} (do i have|are there|have i got|are|did i put) [(left|there)] [(to do|(on|in) ${list})] ${when}`,
  ),
  listing(
    `(what|how) does ${list} [(look like|say|contain|include|consist of|have on it|have in it|read|hold|have)] ${when}`,
  ),
  listing(`${list} (contains|contain|has|have|includes|include|says|say|holds) what [(on it|in it)]`),
  listing(`how (long|full|big) is ${list}`),
  listing(
    `[(is|are)] (anything|something|there anything|there something|any (things|items|tasks)) [(left|still|else)] (on|in) ${list} ${when}`,
  ),
];

/** Phrases that ask what there is to do. */
export const listPhrases: readonly Phrase[] = [...shown, ...byStatus, ...asked];
