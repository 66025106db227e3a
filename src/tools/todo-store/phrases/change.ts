import { targeting, targetingBare, targetingInIt, targetingSeveral } from "./target.ts";
import { fromList, namedList, type Phrase, plainList, todo } from "./words.ts";

const list = `(${namedList}|${plainList})`;
const when = "[[for] (today|tomorrow|this week|now)]";
const from = `(${fromList}) ${when}`;
const maybeFrom = `[(${fromList})]`;
const doneWords = "(done|complete|completed|finished|checked|checked off|ticked off|closed|resolved)";
const undoneWords =
  "(not done|undone|open|incomplete|unfinished|pending|uncompleted|unchecked|not completed|not finished|to do again)";
const tick =
  "(check off|tick off|cross off|cross out|strike off|strike out|mark off|check|tick|cross|tick the box for)";
const did =
  "(just (finished|did|completed)|(i|we) (did|finished|completed|have [(already|just)] (done|finished|completed)|am done with|are done with|am finished with|are finished with|(already|just) (did|finished|completed)))";
const got =
  "(i|we) (already have|do not need|no longer need|do not have|[have] [(already|just)] (bought|got|picked up)) [to]";
const drop =
  "(delete|deleting|remove|removing|erase|drop|scratch|scratch out|nix|cut|discard|eliminate|get rid (of|off)|throw out|throw away|take out|take off|take away|kill|strike|cancel|lose|wipe|ditch|omit|exclude|pull|clear|rub out|cross out)";
const takeOff = "(take|get|strike|scratch|pull|drop|clear|wipe|knock|leave|remove)";
const noNeed =
  "((i|we) (do not|no longer|will not) (need|want|have) [to]|no need for|there is no need for|forget about)";

const completing: readonly Phrase[] = [
  ...targetingSeveral("complete", `(${tick}|complete|finish|close|resolve) @ ${from}`),
  ...targeting("complete", `(${tick}|complete|finish|close|resolve) [the] ${todo} @`),
  ...targetingBare("complete", "(check off|tick off|cross off|mark off|complete|tick) @"),
  ...targetingBare("complete", `${did} @ ${maybeFrom}`),
  ...targetingSeveral(
    "complete",
    `(mark|set|flag|check|tick) @ [(from|on|in) ${list}] [off] [(as|to|to be)] ${doneWords} ${maybeFrom}`,
  ),
  ...targeting("complete", `(check|tick|cross|mark|strike) @ off ${maybeFrom}`),
  ...targeting("complete", `(cross|check|tick|strike|mark) @ off [of] ${list}`),
  ...targetingInIt("complete", "(check|tick|cross|mark|strike) @ off (it|of it|that)"),
  ...targetingBare("complete", `@ (is|are|has been|have been|was|were) [(now|already|all)] ${doneWords} ${maybeFrom}`),
  ...targeting(
    "complete",
    `(${did}|${got}) @ [(so|and)] [(you can|please|can you)] (cross|check|tick|mark|strike|scratch) (it|that|this|them) off [[of] ${list}]`,
  ),
];

const deleting: readonly Phrase[] = [
  ...targetingSeveral("delete", `${drop} @ ${from}`),
  ...targeting("delete", `${drop} [the] ${todo} @`),
  ...targetingBare("delete", "(delete|deleting|remove|removing) @"),
  ...targetingSeveral("delete", `${takeOff} @ (off|off of|out of|from) ${list} ${when}`),
  ...targeting("delete", `(on|from|in|off) ${list} [please] ${drop} @`),
  ...targeting("delete", `${noNeed} @ (on|in|to be on) ${list} [(anymore|any more|any longer)]`),
  ...targeting(
    "delete",
    `@ (should|can|must|needs to|does not need to|do not need to|should not) (be|come|go|stay|be removed|be deleted|be taken) (off|off of|from|on) ${list} [(anymore|any more)]`,
  ),
  ...targeting(
    "delete",
    `(i|we) (need|want|would like) @ (off|off of|out of|removed from|deleted from|taken off|taken off of|erased from) ${list}`,
  ),
  ...targeting("delete", `(get|have) @ (removed from|deleted from|taken off|taken off of|erased from) ${list}`),
  ...targeting(
    "delete",
    `(${did}|${got}) @ [anymore] [(so|and)] [(you can|please|can you)] (remove|delete|take|drop|erase) (it|that|this|them) [(off|off of|from|out of) ${list}]`,
  ),
  ...targetingInIt("delete", `(${drop}|${takeOff}) @ (from|off|off of|out of|on) (it|that|there|that one)`),
  ...targetingInIt("delete", `${takeOff} @ off [again]`),
  ...targetingInIt("delete", "(take off|take out|get rid of|erase|scratch|drop|lose|nix|cut) @"),
  ...targetingInIt("delete", "@ (removed|deleted|erased|taken off|off|off of it|removed from it|taken off of it|out)"),
];

/** Phrases that complete, reopen, delete or show one todo. */
export const changePhrases: readonly Phrase[] = [
  ...completing,
  ...deleting,
  ...targeting("reopen", `(reopen|uncheck|unmark|untick|uncomplete|undo|restore|reactivate|open) @ ${from} [again]`),
  ...targetingBare("reopen", "(reopen|uncheck|unmark|untick|uncomplete) @ [again]"),
  ...targeting("reopen", `(reopen|reactivate|restore|undo) [the] ${todo} @ [again]`),
  ...targeting("reopen", `(mark|set|flag) @ [back] [(as|to|to be)] ${undoneWords} [again] ${maybeFrom}`),
  ...targeting("reopen", `@ (is|was) ${undoneWords} [(yet|after all)]`),
  // A question with a title is a search: "is milk on my list".
  ...targeting("get", `(what is|tell me|show [me]|read [me]|give [me]) @ (on|in|from|of) ${list}`).slice(0, 2),
  ...targeting(
    "get",
    `(show|get|give|tell|open|display|find|view|read) [me] [(the)] (details|detail|info|information) (of|on|about|for) @ ${maybeFrom}`,
  ),
  ...targetingBare(
    "get",
    `(show|get|display|view) [me] (the|my) (task|todo|to do|item|todo item|to do item|reminder) [(called|named|titled)] @`,
  ),
];
