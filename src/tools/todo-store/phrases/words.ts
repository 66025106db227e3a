import * as z from "zod/v4";
import type { SlotValue, ToolPhraseOptions } from "../../../core/tool.ts";
import type { TodoStoreInput } from "../todo-input.ts";
import { isTitle, meansSeveral } from "./titles.ts";

/*
 * Pieces of phrases: a todo has many names, and so does its list.
 */

/** A phrase of the store. */
export type Phrase = ToolPhraseOptions<TodoStoreInput>;
/** The values of its slots. */
export type Slots = Readonly<Record<string, SlotValue>>;
/** The operations of the store. */
export type Operation = TodoStoreInput["operation"];

/** One todo, by any of its names. */
export const todo =
  "(todo [item]|to do [item|thing]|task|item|reminder|chore|entry|thing to do|list item|note to self)";
/** Several of them. */
export const todos =
  "(todos|to dos|todo's|to do's|to do items|to do list|todo list|todo items|task list|tasks [list]|items|things to do|reminders|list of (things|tasks) to do|list [of (tasks|todos|things)]|entries)";
/** What is on a list. */
export const things =
  "(tasks|todos|to dos|things|items|chores|stuff|entries|reminders|jobs|errands|activities|list items|todo items|to do items|things to do)";
/** Whose they are. */
export const own = "(my|the|our|this|that|your|a|all my|all the|all of my)";
const quality =
  "[(current|recent|latest|whole|entire|full|complete|existing|daily|running|ongoing|personal|own|main|updated|usual|actual|active|present)]";
const toDo =
  "(do|be done|complete|be completed|finish|get done|accomplish|take care of|handle|work on|get to|remember)";
const ofThings = `of (things|tasks|items|stuff|todos|to dos)|[of (things|tasks|items|stuff|chores|activities|jobs|errands|what|everything)] [that] [(i|we) [still] (have|need|want|must|should|got|plan|am supposed|ought)] to ${toDo}`;
/** The list that needs no name. */
export const plainList = `[${own}] ${quality} (todo|to do|tasks|task|todos|to dos) (list|lists)|[${own}] ${quality} list [${ofThings}]|${own} ${quality} (agenda|tasks|todos|to dos|todo's|to do's|things to do)`;
/** A list with a name. */
export const namedList = `[${own}] ${quality} {list} list|[${own}|a] list (called|named|titled|for|of) [(the|my|our)] {list}`;
/** A named list to show or to empty: "a list of lawyers" is not one of our lists. */
export const ownList = `[${own}] ${quality} {list} list|(my|our) list of [(the|my|our)] {list}|[${own}] list (called|named|titled) {list}`;
/** Where a todo is put. */
export const onList = `(to|on|onto|on to|in|into|at|for) (${namedList}|${plainList})`;
/** Where it is taken from. */
export const fromList = `(from|off|off of|of|out of|on|in) (${namedList}|${plainList})`;
/** When it is due; "on" and "at" are a part of dates. */
export const due =
  "[(due|due on|due by|due at|by|before|for|until|till|[with] [a] due date [of|on]|[with] [a] deadline [of|on])] {due}";
const details = `[with] [a] {priority} priority|with priority {priority}|(tagged|tagged as|tagged with|with tag|with tags|with the tag|with the tags) {tags}`;
/** The properties of a new todo besides its title. */
export const extras = `[${due}] [${details}] [${details}] [${due}]`;

/** A day. */
export const day = z.iso.date();
/** A day or a time. */
export const dayOrTime = z.union([day, z.iso.datetime({ offset: true })]);
/** The same for a todo that may have a day: of "to 5pm" nobody knows whether that day is kept. */
export const newDayOrTime = z.union([day, z.iso.datetime({ offset: true }).meta({ needsDay: true })]);
/** Lists of other apps, and what is no list at all. */
const otherList =
  /\b(?:contacts?|guest|waiting|wait|mailing|distribution|cc|block|blocked|price|wine|cocktail|passenger|cast|sanctions|subscribers?|attendance|allergy|banned|friends|online|internet|web|google|wikipedia|youtube|reddit|whatsapp|cookies|table \d+)$/i;

/** Whether a name is that of a list elsewhere: "put me on the waiting list". */
export function isOtherList(name: string): boolean {
  return otherList.test(name);
}

/** Only the name of a list: a few words, none of which would start another part of the sentence. */
export const listName = z
  .string()
  .refine(
    (name) =>
      /^[\p{L}\p{N}'’&+-]+(?: [\p{L}\p{N}'’&+-]+){0,3}$/u.test(name) &&
      !/\b(?:to|on|from|in|off|list|lists|my|her|his|their|and|it|that|everything|all|items|new|what|which|how|is|are)\b/iu.test(
        name,
      ) &&
      !isOtherList(name),
  );

/** What a date belongs to, so that it is not when a todo is due: "after friday", "between monday and friday". */
const dangling = /\b(?:after|since|from|between|than|and|or|every|each)$/i;

/** The slots as an input; `undefined` where the title cannot be one. */
export function inputOf(
  operation: Operation,
  slots: Slots,
  key: "title" | "query" = "title",
): TodoStoreInput | undefined {
  const { title, query, tags, due: moment, ...others } = slots;
  const text = key === "title" ? title : query;
  if (typeof text === "string" && (!isTitle(text) || (operation !== "add" && key === "title" && meansSeveral(text))))
    return undefined;
  const list = tags === undefined ? {} : { tags: Array.isArray(tags) ? tags : [tags] };
  if (moment !== undefined && typeof text === "string" && dangling.test(text)) return undefined;
  const due = typeof moment === "string" ? { [moment.length > 10 ? "dueAt" : "dueDate"]: moment } : {};
  return {
    operation,
    ...(text !== undefined && { [key]: text }),
    ...due,
    ...others,
    ...list,
  } as unknown as TodoStoreInput;
}

/** Open todos. */
export const pending =
  "(open|pending|unfinished|incomplete|remaining|outstanding|active|uncompleted|undone|unchecked|still open|not done|not finished)";
/** Completed todos. */
export const completed = "(done|completed|complete|finished|closed|checked [off]|ticked [off])";
