import type { TodoStoreInput } from "../todo-input.ts";
import { completed, listName, ownList as namedList, type Phrase, plainList } from "./words.ts";

function clearing(
  phrase: string,
  fixed: { readonly allLists?: boolean; readonly onlyCompleted?: boolean } = {},
): Phrase {
  return {
    phrase,
    slots: { list: listName },
    toInput: (slots) => ({ operation: "clear", ...slots, ...fixed }) as unknown as TodoStoreInput,
  };
}

const wipe =
  "(clear|clearing|emptying|get rid off|nix|cancel|kill|eliminate|purge|clear out|clear off|clean|clean out|clean up|empty|empty out|wipe|wipe out|wipe clean|erase|delete|remove|reset|get rid of|discard|trash|scrap|drop|throw away|throw out|start over|take)";
const all =
  "(everything|all [of] [the|my] (things|items|tasks|todos|to dos|entries|stuff|reminders)|all [of (it|them)]|every (item|task|todo|thing|entry|to do)|all of it|the (contents|content|items|entries|tasks))";
const whole = "[(all [of]|the whole|the entire|whole|entire)]";

/** Phrases that empty a list. */
export const clearPhrases: readonly Phrase[] = [
  clearing(
    `${wipe} (all [of] [(my|the)] (tasks|todos|to dos|items|reminders|to do items|todo items|things to do)|every (task|todo|item|to do)|all [(my|the)] lists)`,
    { allLists: true },
  ),
  clearing(
    `[(completely|entirely|totally)] ${wipe} ${whole} (${namedList}|${plainList}) [(completely|out|clean|entirely|again|of everything|of all items|of all tasks)]`,
  ),
  clearing(
    `${wipe} ${all} [(that is|that are|i have|there is)] [(from|on|in|off|of|off of|out of)] (${namedList}|${plainList})`,
  ),
  clearing(
    `${wipe} [(all|all of|everything that is)] [(my|the)] ${completed} [(tasks|todos|to dos|items|ones|things|reminders)] [(from|on|in|off) (${namedList}|${plainList})]`,
    { onlyCompleted: true },
  ),
  clearing(
    `(make|create|make sure|make sure that|ensure|ensure that|i (want|need|would like)) (${namedList}|${plainList}) [(is|to be|be|gets)] [(completely|totally|all|entirely)] (empty|emptied|blank|clean|cleaned|cleaned out|clear|cleared|wiped|erased|deleted|removed)`,
  ),
  clearing(
    `(take|take off|get|strike|cross|cross off|scratch|wipe|clear|remove) [off] ${all} [off] (from|off|off of|of|on|out of) (${namedList}|${plainList})`,
  ),
  {
    phrase: `${wipe} (it|that|that list|everything on it|it all)`,
    toInput(_, { before }) {
      if (before === undefined) return undefined;
      const { operation, list } = before.input;
      // "It" is a list only if one was shown.
      if (operation !== undefined && operation !== "list") return undefined;
      return { operation: "clear", ...(typeof list === "string" && { list }) };
    },
  },
  clearing(`(start|begin) (${namedList}|${plainList}) (over|anew|from scratch|fresh)`),
];
