import * as z from "zod/v4";
import type { SlotValue } from "../../../core/tool.ts";
import { ordinal, position, targetOf } from "./target.ts";
import { isElsewhere, isOtherThing, isQuestion, isTitle, startsWithVerb } from "./titles.ts";
import { inputOf, listName, namedList, newDayOrTime, type Phrase, plainList, todo } from "./words.ts";

type Change = "newTitle" | "newList" | "due" | "priority" | "tags";

const list = `(${namedList}|${plainList})`;
const on = `[(on|in|from) ${list}]`;
const title = `[(the|my)] [${todo}] [(called|named)] {title}`;
const place = `[(the|my)] (${ordinal})`;

/** A second request after the new title. */
const resumes =
  /(?:\band|,|\bthen) (?:mark|show|list|delete|remove|add|complete|clear|read|tell|rename|move|set|tag|check|cross) /i;

const slots = {
  index: position,
  list: listName,
  due: newDayOrTime,
  newTitle: z.string().refine((text) => isTitle(text) && !resumes.test(text)),
  newList: listName,
};

type Found = Partial<Record<Change | "title" | "index" | "list", SlotValue>>;

/** "If anything is due by friday", "show me what is due today" */
function isAsked(text: unknown): boolean {
  return isQuestion(text) || (typeof text === "string" && /\b(?:what|which|(?:any|some|every|no)thing)$/i.test(text));
}

/** A frame in which `@` is a todo, by its place or by its title. */
function updating(frame: string): readonly Phrase[] {
  return [
    {
      phrase: frame.replace("@", place),
      slots,
      toInput: (found) => (typeof found.index === "number" ? inputOf("update", found) : undefined),
    },
    updatingTitle(frame.replace("@", title)),
  ];
}

function updatingTitle(phrase: string): Phrase {
  return {
    phrase,
    slots,
    toInput(found: Found, context) {
      if (isAsked(found.title)) return undefined;
      if (found.list === undefined && (isElsewhere(found.title) || isOtherThing(found.title))) return undefined;
      return targetOf("update", found, context);
    },
  };
}

/** "Change the channel to 5" is not a rename: a title that is not called a todo must be something to do. */
function updatingDeed(phrase: string): Phrase {
  const bare = updatingTitle(phrase);
  return {
    ...bare,
    toInput: (found, context) =>
      context.before !== undefined || startsWithVerb(found.title) ? bare.toInput?.(found, context) : undefined,
  };
}

const change = "(change|edit|update|modify|correct|alter|revise)";
const called = `(the (title|text|wording) of ${title}|the name of [(the|my)] ${todo} {title}|[(the|my)] ${todo} [(called|named)] {title})`;

/** A frame with "its" for a property of the todo that was mentioned before. */
function updatingIts(phrase: string): Phrase {
  return {
    phrase,
    slots,
    toInput: (found, context) => context.previous && targetOf("update", { ...found, title: context.previous }, context),
  };
}

/** Phrases that change a todo. */
export const updatePhrases: readonly Phrase[] = [
  ...updating(`(rename|retitle|relabel) @ ${on} (to|as|into) {newTitle} ${on}`),
  updatingTitle(`${change} ${called} ${on} (to|into|to say|to read|so it says) {newTitle} ${on}`),
  updatingTitle(`${change} [the] {title} (on|in|from) ${list} (to|into) {newTitle}`),
  updatingTitle(`${change} [the] {title} (to|into) {newTitle} (on|in|from) ${list}`),
  updatingTitle(`${change} [the] {title} (to say|to read|so it says) {newTitle}`),
  updatingDeed(`${change} [the] {title} (to|into) {newTitle}`),
  {
    phrase: `${change} ${place} ${on} (to|into|to say|to read|so it says) {newTitle} ${on}`,
    slots,
    toInput: (found) => (typeof found.index === "number" ? inputOf("update", found) : undefined),
  },
  ...updating(`(replace|swap) @ ${on} (with|for|by) {newTitle} ${on}`),
  ...updating(`(reschedule|postpone|push|push back|delay|defer|move) @ [back] (to|until|till|for|on|by|at) {due}`),
  ...updating(`(set|change|move|update|make) the (due date|deadline|date) (of|for|on) @ [(to|as|be)] {due}`),
  ...updating(`(make|set) @ [to be] due [(on|by)] {due}`),
  ...updating(`@ is due [(on|by)] {due}`),
  ...updating(`(set|change|raise|lower|update|make) the priority (of|for|on) @ [(to|as|be)] {priority} [priority]`),
  ...updating(`(make|mark|set|flag) @ [(as|to|a)] {priority} priority`),
  updatingIts("(set|change|make|move) its (due date|deadline|date) [(to|as|be)] {due}"),
  updatingIts("(set|change|make|raise|lower) its priority [(to|as|be)] {priority}"),
  updatingIts("(set|change|make) its (title|name|text) [(to|as|be)] {newTitle}"),
  updatingIts("give it (a|the) (due date|deadline) [(of|on)] {due}"),
  updatingIts("give it [(a|the)] ({priority} priority|priority [of] {priority})"),
  ...updating(`(tag|label) @ (as|with) {tags}`),
  ...updating(`move @ (to|into|onto|over to) [(my|the)] {newList} list`),
];
