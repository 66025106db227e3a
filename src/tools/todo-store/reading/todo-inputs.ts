import type { ClauseDate, NoInputs } from "../../../core/clause-reader.ts";
import type { PhraseContext, PhraseReference } from "../../../core/tool.ts";
import { refersToResult } from "../../../english/references.ts";
import { isOtherThing, isTitle, meansSeveral, namesOtherTask } from "../phrases/titles.ts";
import { todoNouns } from "./settle-tags.ts";
import type { TodoSlots } from "./todo-slots.ts";

/** The operations of the store, as far as sentences mean them. */
export type TodoMeaning = "add" | "list" | "search" | "get" | "complete" | "reopen" | "update" | "delete" | "clear";

interface TodoWish {
  readonly forms: readonly string[];
  readonly context: PhraseContext;
  /** When it is due. */
  readonly date: ClauseDate | undefined;
}

/** The inputs of the steps that a clause asks for, or what keeps it from being planned. */
export function todoInputs(meaning: TodoMeaning, found: TodoSlots, wish: TodoWish): readonly object[] | NoInputs {
  const slots = withOneList(meaning, found);
  const left = wordsLeft(meaning, slots, wish);
  if (left !== undefined) return { left };
  const list = slots.list ?? listBefore(meaning, wish);
  const where = list === undefined ? {} : { list };
  switch (meaning) {
    case "add":
      return add(slots, where, wish);
    case "list":
      return show(slots, where, wish);
    case "search":
      return slots.titles.length === 0
        ? { missing: "title" }
        : slots.titles.map((query) => ({ operation: "search", query: withoutArticle(query), ...where }));
    case "clear":
      // A list cannot be cleared of what is due on a day alone.
      if (list === undefined && /\b(?:for|of|from) today\b/.test(wish.forms.join(" "))) return { left: "today" };
      return [{ operation: "clear", ...clearing(slots, wish), ...where }];
    case "update":
      return update(slots, where, wish);
    default: {
      const meant = targets(slots, wish);
      return meant.length === 0
        ? untargeted(slots)
        : meant.map((target) => ({ operation: meaning, ...target, ...where }));
    }
  }
}

/** Only a change has a list to go to: what else names a single list means it. */
function withOneList(meaning: TodoMeaning, slots: TodoSlots): TodoSlots {
  const { list, newList } = slots;
  return meaning === "update" || list !== undefined ? slots : { ...slots, list: newList, newList: undefined };
}

/** "Show the urgent ones": no priority that todos have. */
const levels = new Set("urgent important critical oldest newest latest overdue".split(" "));

/** The words that would be lost; undefined if there are none. */
function wordsLeft(meaning: TodoMeaning, slots: TodoSlots, wish: TodoWish): string | undefined {
  const left = slots.left.filter((word) => !isUsed(word, meaning, wish));
  if (left.length > 0) return left.join(" ");
  // Nobody knows whether "speaker" is a list in "put the phone on speaker".
  const name = slots.list ?? slots.newList;
  const isChanged = meaning === "add" || meaning === "update";
  if (isChanged && name !== undefined && !wish.forms.some((word) => todoNouns.has(word))) return name;
  const level = meaning === "add" || meaning === "update" ? undefined : wish.forms.find((word) => levels.has(word));
  if (level !== undefined && slots.priority === undefined && !slots.titles.some((title) => title.includes(level)))
    return level;
  return unusedSlot(meaning, slots) ?? slots.titles.find((title) => !isTitle(title) && !refersToResult(title));
}

/** What is said of a todo and has no part in what is meant: a second list, a title beside a place. */
function unusedSlot(
  meaning: TodoMeaning,
  { titles, newTitle, newList, index, priority, sort }: TodoSlots,
): string | undefined {
  if (meaning === "update") return titles[(index === undefined ? 2 : 1) - (newTitle === undefined ? 0 : 1)];
  const isOrdered = meaning === "add" || meaning === "list";
  return (
    newTitle ??
    newList ??
    (index === undefined ? undefined : titles[0]) ??
    (isOrdered ? undefined : priority) ??
    (meaning === "list" ? undefined : sort)
  );
}

const ofList = new Set("my our the and list lists todo to do task tasks".split(" "));

function show(slots: TodoSlots, where: object, { date, context, forms }: TodoWish): readonly object[] | NoInputs {
  const { status, sort, priority, list } = slots;
  // "Add milk to my shopping list and my work list": a list alone asks for nothing after another wish.
  if (
    context.before !== undefined &&
    list !== undefined &&
    forms.every((word) => ofList.has(word) || list.includes(word))
  )
    return { left: list };
  const dueOn = date === undefined ? undefined : dayOf(date);
  if (dueOn === null) return { left: "the date" };
  const filter = { ...(dueOn && { dueOn }), ...(status && { status }), ...(priority && { priority }) };
  return [{ operation: "list", ...where, ...filter, ...(sort && { sort }) }];
}

/** "See if milk is on my list", "set its deadline to friday". */
function isUsed(word: string, meaning: TodoMeaning, { date, forms }: TodoWish): boolean {
  if (meaning === "search") return word === "if" || word === "due";
  if (meaning === "list" && isVerb(word, forms)) return true;
  return date !== undefined && (word === "due" || word === "deadline");
}

const beforeVerbs = /^(?:you|please|to|and|just|now)?$/;
const behindVerbs = /^(?:me|us|through|over|out|up|down)$/;

/** "Walk me through my tasks": however somebody asks to be shown a list; not "archive my tasks". */
function isVerb(word: string, forms: readonly string[]): boolean {
  const at = forms.indexOf(word);
  return beforeVerbs.test(forms[at - 1] ?? "") && behindVerbs.test(forms[at + 1] ?? "");
}

/** "add eggs to my shopping list and show it": the list that was named before, where this clause names none. */
function listBefore(meaning: TodoMeaning, { forms, context }: TodoWish): string | undefined {
  const list = context.before?.input.list;
  if (typeof list !== "string") return undefined;
  const namesOwn = forms.some(
    (word, index) => /^(?:to|todo|task|tasks|todos)$/.test(word) && /^(?:do|list|lists)$/.test(forms[index + 1] ?? ""),
  );
  return namesOwn || meaning === "clear" ? undefined : list;
}

/** The day that is asked for; null for a time, or for several days. */
function dayOf({ date, dateTime, isPartOfDay, preposition = "on" }: ClauseDate): string | null {
  const isDay = dateTime === undefined || isPartOfDay;
  return isDay && /^(?:due|due on|on|for)$/.test(preposition) ? date : null;
}

function dueOf(found: ClauseDate | undefined): object {
  if (found === undefined) return {};
  const { date, dateTime, isPartOfDay } = found;
  return dateTime === undefined || isPartOfDay ? { dueDate: date } : { dueAt: dateTime };
}

function add({ titles, priority }: TodoSlots, where: object, wish: TodoWish): readonly object[] | NoInputs {
  if (titles.length === 0) return { missing: "title" };
  const { context, date } = wish;
  const extra = { ...where, ...(priority !== undefined && { priority }), ...dueOf(date) };
  const inputs: object[] = [];
  for (const title of titles) {
    if (!refersToResult(title)) inputs.push({ operation: "add", title, ...extra });
    else if (context.previous === undefined) return { unbound: title };
    else inputs.push({ operation: "add", title: context.previous, ...extra });
  }
  return inputs;
}

/** Which todos are meant: by place, by title, or the ones that came before. */
function targets({ titles, index }: TodoSlots, { context, forms }: TodoWish): readonly object[] {
  if (index !== undefined) return [{ index }];
  if (titles.some((title) => namesOtherTask(title) || meansSeveral(title))) return [];
  // "Every email from Anna" is nothing of ours unless a list or a task is spoken of.
  if (titles.some(isOtherThing) && !forms.some((word) => todoNouns.has(word))) return [];
  const named = titles.filter((title) => !refersToResult(title));
  if (named.length > 0) return named.map((title) => ({ title: withoutArticle(title) }));
  if (titles.length === 0) return [];
  return todoBefore(context);
}

/** Why no todo is meant. */
function untargeted({ titles }: TodoSlots): NoInputs {
  const unbound = titles.find(refersToResult);
  return unbound === undefined ? { missing: "title" } : { unbound };
}

/** The todo that "it" is, by its id; a searched one by its title, as a search may find several. */
function todoBefore({ previous, before }: PhraseContext): readonly object[] {
  const { operation, query } = before?.input ?? {};
  if (operation === "search") return typeof query === "string" ? [{ title: query }] : [];
  if (operation === "list" || operation === "clear" || before === undefined || previous === undefined) return [];
  return [{ id: { $ref: `${previous.$ref}.id` } satisfies PhraseReference }];
}

function update(slots: TodoSlots, where: object, wish: TodoWish): readonly object[] | NoInputs {
  const { newTitle, priority, newList, titles } = slots;
  const [target] = targets(slots, wish);
  if (target === undefined) return untargeted(slots);
  // Of "to 5pm" nobody knows whether the day stays.
  if (wish.date?.isDayAssumed) return { missing: "day" };
  const second = newTitle ?? titles[slots.index === undefined ? 1 : 0];
  const change = {
    ...(second !== undefined && { newTitle: second }),
    ...(newList !== undefined && { newList }),
    ...(priority && { priority }),
    ...dueOf(wish.date),
  };
  if (Object.keys(change).length === 0) return { missing: "newTitle" };
  return [{ operation: "update", ...target, ...where, ...change }];
}

function clearing({ status }: TodoSlots, { forms }: TodoWish): object {
  const isAll = forms.some(
    (word, index) =>
      word === "lists" ||
      (word === "all" && /^(?:reminders|todos|tasks)$/.test(forms.slice(index + 1, index + 4).at(-1) ?? "")),
  );
  return { ...(status === "completed" && { onlyCompleted: true }), ...(isAll && { allLists: true }) };
}

function withoutArticle(text: string): string {
  return text.replace(/^(?:the|my|a|an)\s+(?=\S)/i, "");
}
