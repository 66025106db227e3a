import { targeting } from "./phrases-target.ts";
import { fromList, namedList, type Phrase, plainList } from "./phrases-words.ts";

const maybeFrom = `[(${fromList})]`;
const doneWords = "(done|complete|completed|finished|checked|checked off|ticked off|closed|resolved)";
const undoneWords =
  "(not done|undone|open|incomplete|unfinished|pending|uncompleted|unchecked|not completed|not finished|to do again)";

/** How people complete, reopen, delete and look at one todo. */
export const changePhrases: readonly Phrase[] = [
  ...targeting(
    "complete",
    `(complete|finish|check off|tick off|check|tick|cross off|close|resolve|mark off|tick the box for|i (did|finished|completed)|i have [(already|just)] (done|finished|completed)|i am done with|i (already|just) (did|finished|completed)) @ ${maybeFrom}`,
  ),
  ...targeting(
    "complete",
    `(mark|set|flag|check|tick) @ [(from|on|in) (${namedList}|${plainList})] [off] [(as|to|to be)] ${doneWords} ${maybeFrom}`,
  ),
  ...targeting("complete", `(check|tick|cross|mark|strike) @ off ${maybeFrom}`),
  ...targeting("complete", `(cross|check|tick|mark) off @ ${maybeFrom}`),
  ...targeting("complete", `(cross|check|tick|strike) @ off [of] (${namedList}|${plainList})`),
  ...targeting("complete", `@ (is|are|has been|have been|was|were) [(now|already|all)] ${doneWords} ${maybeFrom}`),
  ...targeting(
    "reopen",
    `(reopen|uncheck|unmark|untick|undo|reactivate|restore|uncomplete|open) @ ${maybeFrom} [again]`,
  ),
  ...targeting("reopen", `(mark|set|flag) @ [back] [(as|to|to be)] ${undoneWords} [again] ${maybeFrom}`),
  ...targeting("reopen", `@ (is|was) ${undoneWords} [(yet|after all)]`),
  ...targeting(
    "delete",
    `(delete|deleting|remove|removing|erase|drop|scratch|discard|eliminate|get rid of|throw out|throw away|take out|take off|kill|strike) @ ${maybeFrom}`,
  ),
  ...targeting(
    "delete",
    `(take|get|strike|scratch|pull|drop|clear|wipe) @ (off|off of|out of|from) (${namedList}|${plainList})`,
  ),
  ...targeting(
    "delete",
    `(i do not need|i no longer need|we do not need|no need for) @ (on|in) (${namedList}|${plainList}) [(anymore|any more)]`,
  ),
  ...targeting(
    "get",
    `(show|get|give|tell|open|display|find|view|read) [me] [(the)] (details|detail|info|information) (of|on|about|for) @ ${maybeFrom}`,
  ),
  ...targeting(
    "get",
    `(show|get|open|display|view) [me] (the|my) (task|todo|to do|item|todo item|to do item|reminder) [(called|named|titled)] @`,
  ),
];
