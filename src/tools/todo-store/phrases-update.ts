import { z } from "zod/v4";
import type { SlotValue } from "../../core/phrase.ts";
import { targetOf } from "./phrases-target.ts";
import { isElsewhere, isOtherThing, isTitle } from "./phrases-titles.ts";
import { day, listName, namedList, type Phrase, plainList, todo } from "./phrases-words.ts";

type Change = "newTitle" | "newList" | "dueDate" | "priority" | "tags";

function updating(phrase: string): Phrase {
  const slots = { list: listName, dueDate: day, newTitle: z.string().refine(isTitle), newList: listName };
  return {
    phrase,
    slots,
    toInput(found: Partial<Record<Change | "title" | "list", SlotValue>>, context) {
      if (found.list === undefined && (isElsewhere(found.title) || isOtherThing(found.title))) return undefined;
      return targetOf("update", found, context);
    },
  };
}

const on = `[(on|in|from) (${namedList}|${plainList})]`;
const the = `[(the|my)] [${todo}] [(called|named)]`;
/** How people change what a todo says. */
export const updatePhrases: readonly Phrase[] = [
  updating(`(rename|retitle|relabel) ${the} {title} (to|as|into) {newTitle} ${on}`),
  updating(
    `(change|edit|update|modify|correct|alter|revise) [the (title|name|text|wording) of] ${the} {title} ${on} (to|into|to say|to read|so it says) {newTitle} ${on}`,
  ),
  updating(`(replace|swap) ${the} {title} ${on} (with|for|by) {newTitle} ${on}`),
  updating(
    `(reschedule|postpone|push|push back|delay|defer|move) ${the} {title} [back] (to|until|till|for|on) {dueDate}`,
  ),
  updating(
    `(set|change|move|update|make) the (due date|deadline|date) (of|for|on) ${the} {title} [(to|as|be)] {dueDate}`,
  ),
  updating(`(make|set) ${the} {title} [to be] due [(on|by)] {dueDate}`),
  updating(`${the} {title} is due [(on|by)] {dueDate}`),
  updating(
    `(set|change|raise|lower|update|make) the priority (of|for|on) ${the} {title} [(to|as|be)] {priority} [priority]`,
  ),
  updating(`(make|mark|set|flag) ${the} {title} [(as|to|a)] {priority} priority`),
  updating(`(tag|label) ${the} {title} (as|with) {tags}`),
  updating(`move ${the} {title} (to|into|onto|over to) [(my|the)] {newList} list`),
];
