import { type DueMoment, parseDueDate } from "./due-date.ts";
import type { Todo } from "./todo.ts";

/** The list of a todo that was added without one. */
export const defaultListName = "todos";

/** Names that people and models use for the default list. */
const defaultListNames = new Set("todo|todos|to-do|to-dos|to do|to dos|task|tasks|default|list".split("|"));

/** A text for comparison: in lower case, without spaces at the ends and repeated spaces. */
export function foldText(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/**
 * A title for comparison: the result of {@link foldText}, without punctuation. Never empty: a title of only punctuation
 * keeps it.
 *
 * Significant symbols stay (`C++`, `C#`, `50%`, emoji, the minus of a number).
 */
export function titleKey(title: string): string {
  const text = foldText(title);
  const key = text
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, "")
    .replace(/(?<![^\s])-(?=\d)/g, "\u2212")
    .replace(/[^\p{L}\p{M}\p{N}\p{S}#%&@*]+/gu, " ")
    .trim();
  return key === "" ? text : key;
}

/** The words of the {@link titleKey} of a text, without duplicates. */
export function wordsOf(text: string): readonly string[] {
  return [...new Set(titleKey(text).split(" "))];
}

/**
 * The name of a list without the words around it: "my Shopping list" is `Shopping`, "to-do list" is `todos`.
 */
export function cleanListName(name: string): string {
  const bare = name
    .trim()
    .replace(/\s+/g, " ")
    .replace(/^(?:my|the|our) (?=\S)/i, "")
    .replace(/(?<=\S) list$/i, "");
  return defaultListNames.has(bare.toLowerCase()) ? defaultListName : bare;
}

/** A todo with the values that queries compare. */
export interface TodoRow {
  /** A frozen copy. */
  readonly todo: Todo;
  readonly listKey: string;
  readonly titleKey: string;
  /** From 1, the highest priority, to 3. */
  readonly rank: number | undefined;
  readonly due: DueMoment | undefined;
}

/** Priorities from the highest. */
export const ranks = { high: 1, medium: 2, low: 3 };

/** Creates the row of a todo. */
export function toRow(todo: Todo): TodoRow {
  const written = todo.dueAt ?? todo.dueDate;
  return {
    todo: Object.freeze({ ...todo, tags: Object.freeze([...todo.tags]) }),
    listKey: foldText(todo.list),
    titleKey: titleKey(todo.title),
    rank: todo.priority && ranks[todo.priority],
    due: written === undefined ? undefined : parseDueDate(written),
  };
}
