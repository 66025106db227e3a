import { z } from "zod/v4";
import type { SlotValue } from "../../core/phrase.ts";
import { targetOf } from "./phrases-target.ts";
import { isElsewhere, isOtherThing, isTitle, startsWithVerb } from "./phrases-titles.ts";
import { day, listName, namedList, type Phrase, plainList, todo } from "./phrases-words.ts";

type Change = "newTitle" | "newList" | "dueDate" | "priority" | "tags";

const on = `[(on|in|from) (${namedList}|${plainList})]`;
const the = `[(the|my)] [${todo}] [(called|named)]`;

function updating(phrase: string): Phrase {
  const slots = {
    list: listName,
    dueDate: day,
    newTitle: z.string().refine((text) => isTitle(text) && !goesOn.test(text)),
    newList: listName,
  };
  return {
    phrase,
    slots,
    toInput(found: Partial<Record<Change | "title" | "list", SlotValue>>, context) {
      if (found.list === undefined && (isElsewhere(found.title) || isOtherThing(found.title))) return undefined;
      return targetOf("update", found, context);
    },
  };
}

/** A second wish behind the new title. */
const goesOn =
  /(?:\band|,|\bthen) (?:mark|show|list|delete|remove|add|complete|clear|read|tell|rename|move|set|tag|check|cross) /i;

/** "Change the channel to 5" is no rename: a title that nothing calls a todo must be something to do. */
function changing(frame: string): readonly Phrase[] {
  const named = `(the (title|text|wording) of ${the} {title}|the name of [(the|my)] ${todo} {title}|[(the|my)] ${todo} [(called|named)] {title})`;
  const bare = updating(frame.replace("@", "[the] {title}"));
  return [
    updating(frame.replace("@", named)),
    {
      ...bare,
      toInput(slots, context) {
        const isOurs = slots.list !== undefined || context.before !== undefined || startsWithVerb(slots.title);
        return isOurs ? bare.toInput?.(slots, context) : undefined;
      },
    },
  ];
}

/** How people change what a todo says. */
export const updatePhrases: readonly Phrase[] = [
  updating(`(rename|retitle|relabel) ${the} {title} (to|as|into) {newTitle} ${on}`),
  ...changing(
    `(change|edit|update|modify|correct|alter|revise) @ ${on} (to|into|to say|to read|so it says) {newTitle} ${on}`,
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
