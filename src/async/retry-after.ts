import { maxTimerMs } from "./clock.ts";

/** How many causes deep to look; an error may be its own cause. */
const maxCauses = 5;

/** The members of an error that may state a delay. */
interface Asking {
  readonly retryAfterMs?: unknown;
  readonly retryAfter?: unknown;
  readonly headers?: unknown;
  readonly responseHeaders?: unknown;
  readonly response?: { readonly headers?: unknown } | null;
  readonly cause?: unknown;
}

/**
 * How long an error asks to wait before another try, in whole milliseconds from 0 to 2 147 483 647; undefined if it has
 * no readable request to wait. Never throws, whatever was thrown.
 *
 * Read in this order, first of the error, then of its `cause`, and so on:
 *
 * 1. `retryAfterMs`: milliseconds
 * 2. `retryAfter`: seconds, a `Date`, or any value of the `retry-after` header
 * 3. the headers `retry-after-ms` and `retry-after` in `headers`, `responseHeaders` and `response.headers`, each of
 *    which may be a `Headers`, or a `Map` or a plain object with keys of any case
 *
 * A time in the past, or a negative number, means 0.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(thrown: unknown, nowMs: number): number | undefined {
  try {
    let error = thrown;
    for (let depth = 0; depth <= maxCauses && typeof error === "object" && error !== null; depth++) {
      const askedMs = askedBy(error, nowMs);
      if (askedMs !== undefined) return Math.min(Math.max(Math.ceil(askedMs), 0), maxTimerMs);
      error = (error as Asking).cause;
    }
  } catch {
    // A getter or a proxy threw.
  }
  return undefined;
}

function askedBy(error: Asking, nowMs: number): number | undefined {
  const { retryAfterMs, retryAfter } = error;
  const askedMs = toMs(retryAfterMs) ?? toDelayMs(retryAfter, nowMs);
  if (askedMs !== undefined) return askedMs;
  const { headers, responseHeaders, response } = error;
  for (const given of [headers, responseHeaders, response?.headers]) {
    if (typeof given !== "object" || given === null) continue;
    const headerMs = toMs(header(given, "retry-after-ms")) ?? toDelayMs(header(given, "retry-after"), nowMs);
    if (headerMs !== undefined) return headerMs;
  }
  return undefined;
}

/** The value of a header; the first of a list of values. */
function header(headers: object, name: string): unknown {
  const { get } = headers as Partial<Headers>;
  const entries = headers instanceof Map ? [...headers] : Object.entries(headers);
  const found = () => entries.find(([key]) => String(key).toLowerCase() === name)?.[1];
  const value = (typeof get === "function" ? get.call(headers, name) : undefined) ?? found();
  return Array.isArray(value) ? value[0] : value;
}

/** A finite number, given as such or in digits. */
function toMs(value: unknown): number | undefined {
  const number = typeof value === "string" && isNumeric.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

const isNumeric = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;

function toDelayMs(value: unknown, nowMs: number): number | undefined {
  const seconds = toMs(value);
  if (seconds !== undefined) return seconds * 1_000;
  const atMs =
    value instanceof Date ? value.getTime() : typeof value === "string" ? parseDate(value.trim()) : Number.NaN;
  return Number.isFinite(atMs - nowMs) ? atMs - nowMs : undefined;
}

/** An HTTP date, and the JSON form of a `Date`. */
const httpDate = /^(?:[a-z]{3}, \d\d [a-z]{3} \d{4}|[a-z]{6,9}, \d\d-[a-z]{3}-\d\d) \d\d:\d\d:\d\d (?:GMT|UTC)$/i;
/** The obsolete form that RFC 9110 obliges recipients to accept: `Sun Nov  6 08:49:37 1994`, which is in GMT. */
const asctimeDate = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;
const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Accepts only these forms: `Date.parse` finds a date in texts that were never meant as one. */
function parseDate(text: string): number {
  if (asctimeDate.test(text)) return Date.parse(`${text} GMT`);
  return httpDate.test(text) || isoDate.test(text) ? Date.parse(text) : Number.NaN;
}
