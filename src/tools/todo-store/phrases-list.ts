import { completed, day, listName, namedList, own, type Phrase, pending, plainList, todos } from "./phrases-words.ts";
import type { TodoStoreInput } from "./todo-input.ts";

const show =
  "(show|showing|list|listing|display|read|reading|give|tell|get|see|view|print|pull up|open|bring up|check|fetch|recite|review|look at|go over|go through|run through|find|what is|what are|which are|let me see|let me hear|i want to (see|hear)|read out|read back|read off)";
const which = `[me] [back] [(all|all of|everything (on|in)|every|what is (on|in)|the items (on|in)|the contents of|the (tasks|todos|things|items) (on|in|from)|all (items|tasks|todos|things) (on|in|from))] [(my|the|our|your)] [(current|whole|entire|full|existing|complete)]`;
const when = "[[(for|due|due on|on)] {dueOn}]";

interface Filter {
  readonly status?: "pending" | "completed";
}

function listing(phrase: string, filter: Filter = {}): Phrase {
  return {
    phrase,
    slots: { list: listName, dueOn: day },
    toInput: (slots) => ({ operation: "list", ...slots, ...filter }) as unknown as TodoStoreInput,
  };
}

/** How people ask what there is to do. */
export const listPhrases: readonly Phrase[] = [
  listing(`[(all|all of)] [${own}] ${pending} ${todos} ${when}`, { status: "pending" }),
  listing(`[(all|all of)] [${own}] ${completed} ${todos} ${when}`, { status: "completed" }),
  listing(
    `(how many|which|what) (tasks|todos|to dos|items|things|reminders) (do i have|are there|have i got|are) left [to do]`,
    { status: "pending" },
  ),
  listing(`(do i have|are there|have i got) (anything|any (tasks|todos|items|things|to dos|reminders)) left [to do]`, {
    status: "pending",
  }),
  listing(`${show} ${which} ${todos} ${when} [(i have|there are|that i have|to me|again|please)]`),
  listing(`${show} ${which} ${todos} (on|in|from) (${namedList}|${plainList}) ${when}`),
  listing(`${show} ${which} (${namedList}) [to me]`),
  listing(`${show} [me] everything [(on|in|from) (${namedList}|${plainList})]`),
  listing(`${show} ${which} ${pending} ${todos} [(on|in|from) (${namedList}|${plainList})] ${when}`, {
    status: "pending",
  }),
  listing(`${show} ${which} ${completed} ${todos} [(on|in|from) (${namedList}|${plainList})] ${when}`, {
    status: "completed",
  }),
  listing(
    `[${show}] [me] what is (left|still left|still open|open|pending|remaining|outstanding|not done|unfinished|still to do|still pending|yet to be done|left to do|left to be done) [to do] [(on|in) (${namedList}|${plainList})] ${when}`,
    { status: "pending" },
  ),
  listing(`[${show}] [me] what (i|we) (still have|have left|have yet|still need|need|have) to do ${when}`, {
    status: "pending",
  }),
  listing(`[${show}] [me] what (is|are) [(all)] (on|in) (${namedList}|${plainList}) ${when} [right now]`),
  listing(
    `what [(all|else|kind of things|sort of things|things|tasks|stuff|kinds of things|items)] (do|did|should|must|have) (i|we) [(have|need|still have|still need|got|have left|put|got left)] (to do|to get done|to finish|to complete|to take care of|on (${namedList}|${plainList})) ${when}`,
  ),
  listing(
    `what [(items|things|tasks|todos|else|stuff)] (is|are) [(all|there|currently|still)] (on|in) (${namedList}|${plainList}) ${when}`,
  ),
  listing(
    `(what|which) (tasks|todos|to dos|items|things|reminders) (do i have|are there|have i got|have i) [left] [(to do|on (${namedList}|${plainList}))] ${when}`,
  ),
  listing(`(what|which) [(of)] [(my|the)] (tasks|todos|to dos|items|things|ones) (are|is) [still] ${pending} ${when}`, {
    status: "pending",
  }),
  listing(
    `(what|which) [(of)] [(my|the)] (tasks|todos|to dos|items|things|ones) (are [already]|have i [already]|did i [already]|have been) ${completed}`,
    { status: "completed" },
  ),
  listing(`what (have i|did i) [already] (done|do|completed|complete|finished|finish|get done|gotten done)`, {
    status: "completed",
  }),
  listing(
    `(do i have|is there|are there|have i got) (anything|any (tasks|todos|items|things|to dos|reminders)) [left] [to do] [(on|in) (${namedList}|${plainList})] ${when}`,
  ),
  listing(
    `how many (tasks|todos|to dos|items|things|reminders) (do i have|are there|have i got|are) [left] [(to do|on (${namedList}|${plainList}))]`,
  ),
  listing(`how many ${pending} (tasks|todos|to dos|items|things) (do i have|are there|have i got) [left]`, {
    status: "pending",
  }),
  listing(
    `(what does (${namedList}|${plainList})|how does (${namedList}|${plainList})) (look like|say|contain|include|have on it)`,
  ),
  listing(`${own} (todos|to dos|tasks|todo list|to do list|task list|list) ${when}`),
];
