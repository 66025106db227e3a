/** A parsed due date, so that it can be compared without being parsed again. */
export interface DueMoment {
  /** The calendar date as it was written, in its own offset, as a number: 20261122. */
  readonly dueDay: number;
  /** Milliseconds since 1970 UTC; for a date without a time, the end of that day in UTC. */
  readonly dueMs: number;
  /** True if it has no time. */
  readonly isWholeDay: boolean;
  /** Todos are sorted by the calendar date as it was written; on one date by the instant, and last the whole day. */
  readonly dueOrder: number;
}

const dayMs = 86_400_000;
const dayPattern = String.raw`\d{4}-\d{2}-\d{2}`;
const timePattern = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const offsetPattern = String.raw`(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const dueDatePattern = new RegExp(`^${dayPattern}(?:T${timePattern}${offsetPattern})?$`);

/** True if a text is an ISO 8601 date, or a date and time with an offset, that exists in the calendar. */
export function isDueDate(text: string): boolean {
  if (!dueDatePattern.test(text)) return false;
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  // Date turns the 30th of February into the 2nd of March: a date exists only if it is unchanged by a round trip.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Parses a text for which {@link isDueDate} is true. */
export function parseDueDate(text: string): DueMoment {
  const day = text.slice(0, 10);
  const isWholeDay = text.length === 10;
  const dueMs = Date.parse(isWholeDay ? `${day}T23:59:59.999Z` : text);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // An offset moves the instant by less than a day, so three days hold all of one date.
  const sinceDate = isWholeDay ? 3 * dayMs - 1 : dueMs - midnight + dayMs;
  return { dueDay: Number(day.replaceAll("-", "")), dueMs, isWholeDay, dueOrder: 3 * midnight + sinceDate };
}

/** Time at which a todo is due; `null` for no longer. */
export interface DueFields {
  readonly dueDate?: string | null | undefined;
  readonly dueAt?: string | null | undefined;
}

/**
 * Both fields of what one of them says: a todo has a day or a time, not both. Undefined if neither says anything.
 *
 * A day keeps the time of a todo that has one: "15:00+01:00" stays when a meeting moves to Friday.
 */
export function settleDue({ dueDate, dueAt }: DueFields, before: DueFields = {}) {
  const said = dueAt === undefined ? dueDate : dueAt;
  if (said === undefined) return undefined;
  const time = said?.length === 10 ? (before.dueAt ?? before.dueDate ?? "").slice(10) : "";
  const due = said && said + time;
  return due === null || due.length > 10 ? { dueDate: null, dueAt: due } : { dueDate: due, dueAt: null };
}

/**
 * Compares when something is due with a bound: negative if before it, positive if after it, else 0.
 *
 * For a bound without a time only the calendar dates count, each as it was written: a todo due on that day is neither
 * before nor after. For a bound with a time, a due date without a time is the end of its day.
 */
export function compareDue(due: DueMoment, bound: DueMoment): number {
  if (bound.isWholeDay) return due.dueDay - bound.dueDay;
  if (due.isWholeDay) return due.dueDay < bound.dueDay ? -1 : 1;
  return due.dueMs - bound.dueMs;
}
