import { isInCalendar } from "../../core/step.ts";
import { foldText } from "../storage/keyed-records.ts";
import type { Todo } from "./todo.ts";

export const defaultListName = "todos";

const defaultListNames = new Set("todo|todos|to-do|to-dos|to do|to dos|task|tasks|default|list".split("|"));

/** Removes punctuation, unless there is nothing else. Keeps symbols: `C++`, `50%`, emoji, a minus before a number. */
export function titleKey(title: string): string {
  const text = foldText(title);
  const key = text
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, "")
    .replace(/(?<![^\s])-(?=\d)/g, "\u2212")
    .replace(/[^\p{L}\p{M}\p{N}\p{S}#%&@*]+/gu, " ")
    .trim();
  return key === "" ? text : key;
}

export function wordsOf(text: string): readonly string[] {
  return [...new Set(titleKey(text).split(" "))];
}

/** Turns "my Shopping list" into `Shopping`, and "to-do list" into `todos`. */
export function cleanListName(name: string): string {
  const bare = name
    .trim()
    .replace(/\s+/g, " ")
    .replace(/^(?:my|the|our) (?=\S)/i, "")
    .replace(/(?<=\S) list$/i, "");
  return defaultListNames.has(bare.toLowerCase()) ? defaultListName : bare;
}

export interface TodoRow {
  readonly todo: Todo;
  readonly listKey: string;
  readonly titleKey: string;
  readonly rank: number | undefined;
  readonly due: DueMoment | undefined;
}

export const ranks = { high: 1, medium: 2, low: 3 };

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

export interface DueMoment {
  /** Calendar date as written, in its own offset: 20261122. */
  readonly dueDay: number;
  /** Milliseconds since 1970 UTC. A date without a time counts as the end of that day in UTC. */
  readonly dueMs: number;
  readonly isWholeDay: boolean;
  /** Sorts by calendar date as written, then by instant; a whole day comes after the times of its date. */
  readonly dueOrder: number;
}

const dayMs = 86_400_000;
const dayPattern = String.raw`\d{4}-\d{2}-\d{2}`;
const timePattern = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const offsetPattern = String.raw`(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const dueDatePattern = new RegExp(`^${dayPattern}(?:T${timePattern}${offsetPattern})?$`);

export function isDueDate(text: string): boolean {
  return dueDatePattern.test(text) && isInCalendar(text);
}

export function parseDueDate(text: string): DueMoment {
  const day = text.slice(0, 10);
  const isWholeDay = text.length === 10;
  const dueMs = Date.parse(isWholeDay ? `${day}T23:59:59.999Z` : text);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // An offset is less than a day, so all instants of one date lie within three days.
  const sinceDate = isWholeDay ? 3 * dayMs - 1 : dueMs - midnight + dayMs;
  return { dueDay: Number(day.replaceAll("-", "")), dueMs, isWholeDay, dueOrder: 3 * midnight + sinceDate };
}

export interface DueFields {
  readonly dueDate?: string | null | undefined;
  readonly dueAt?: string | null | undefined;
}

const timeOnly = new RegExp(`^T${timePattern}(${offsetPattern})$`);

export function isTimeOnly(text: string): boolean {
  return timeOnly.test(text);
}

function onDayOf({ dueAt, dueDate }: DueFields, time: string, nowMs: number): string {
  const [, offset = "Z"] = timeOnly.exec(time) ?? [];
  if (dueAt)
    return dueAt.slice(0, 10) + time.slice(0, -offset.length) + (/(?:Z|[+-]\d\d:\d\d)$/.exec(dueAt)?.[0] ?? offset);
  if (dueDate) return dueDate + time;
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  const dayAt = (ms: number) => new Date(ms + offsetMs).toISOString().slice(0, 10);
  const today = dayAt(nowMs) + time;
  return Date.parse(today) > nowMs ? today : dayAt(nowMs + dayMs) + time;
}

/** A new day keeps the time of the todo, and a new time keeps its day. */
export function settleDue({ dueDate, dueAt }: DueFields, before: DueFields = {}, nowMs = 0) {
  const given = dueAt === undefined ? dueDate : dueAt;
  const said = given && isTimeOnly(given) ? onDayOf(before, given, nowMs) : given;
  if (said === undefined) return undefined;
  const time = said?.length === 10 ? (before.dueAt ?? before.dueDate ?? "").slice(10) : "";
  const due = said && said + time;
  return due === null || due.length > 10 ? { dueDate: null, dueAt: due } : { dueDate: due, dueAt: null };
}

/** Compares only calendar dates if the bound has no time. Otherwise, a date without a time is the end of its day. */
export function compareDue(due: DueMoment, bound: DueMoment): number {
  if (bound.isWholeDay) return due.dueDay - bound.dueDay;
  if (due.isWholeDay) return due.dueDay < bound.dueDay ? -1 : 1;
  return due.dueMs - bound.dueMs;
}
