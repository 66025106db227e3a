import { maxTimerMs } from "./clock.ts";

/** How many causes deep to look; an error may be its own cause. */
const maxCauses = 5;

/**
 * How long an error asks to wait before another try, in whole milliseconds from 0 to 2 147 483 647; undefined if it has
 * no readable request to wait. Never throws, whatever was thrown.
 *
 * Read in this order, first of the error, then of its `cause`, and so on:
 *
 * 1. `retryAfterMs`: milliseconds
 * 2. `retryAfter`: seconds, a `Date`, or any value of the `retry-after` header
 * 3. the headers `retry-after-ms` and `retry-after` in `headers`, `responseHeaders` and `response.headers`, each of
 *    which may be a `Headers`, a `Map` or a plain object with keys of any case
 *
 * A time in the past, or a negative number, means 0.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(thrown: unknown, nowMs: number): number | undefined {
  let error = thrown;
  for (let depth = 0; depth <= maxCauses && isObject(error); depth++) {
    const askedMs = askedBy(error, nowMs);
    if (askedMs !== undefined) return Math.min(Math.max(Math.ceil(askedMs), 0), maxTimerMs);
    error = read(error, "cause");
  }
  return undefined;
}

function askedBy(error: object, nowMs: number): number | undefined {
  const askedMs = toMs(read(error, "retryAfterMs")) ?? toDelayMs(read(error, "retryAfter"), nowMs);
  if (askedMs !== undefined) return askedMs;
  for (const headers of [
    read(error, "headers"),
    read(error, "responseHeaders"),
    read(read(error, "response"), "headers"),
  ]) {
    if (!isObject(headers)) continue;
    const headerMs = toMs(header(headers, "retry-after-ms")) ?? toDelayMs(header(headers, "retry-after"), nowMs);
    if (headerMs !== undefined) return headerMs;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Runs something that may throw: a getter, or a trap of a proxy. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function read(value: unknown, key: string): unknown {
  return isObject(value) ? attempt(() => (value as Record<string, unknown>)[key]) : undefined;
}

/** The value of a header; the first of a list of values. */
function header(headers: object, name: string): unknown {
  const value = attempt(() => (headers as Headers).get(name)) ?? entry(headers, name);
  return attempt(() => Array.isArray(value)) ? read(value, "0") : value;
}

/** The value of a key of any case, in a map or a plain object. */
function entry(headers: object, name: string): unknown {
  const isName = (key: unknown) => typeof key === "string" && key.toLowerCase() === name;
  let found: unknown;
  // Works for maps of any realm, and throws for anything else.
  const isMap = attempt(() => {
    Map.prototype.forEach.call(headers, (value, key) => {
      if (isName(key)) found ??= value;
    });
    return true;
  });
  if (isMap) return found;
  const key = attempt(() => Object.keys(headers).find(isName));
  return key === undefined ? undefined : read(headers, key);
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
  const delayMs = toTimeMs(value) - nowMs;
  return Number.isFinite(delayMs) ? delayMs : undefined;
}

/** The time of a `Date` or of the text of one, or NaN. */
function toTimeMs(value: unknown): number {
  if (typeof value === "string") return parseDate(value.trim());
  // Works for dates of any realm, and throws for anything else.
  return isObject(value) ? (attempt(() => Date.prototype.getTime.call(value)) ?? Number.NaN) : Number.NaN;
}

/** The forms of an HTTP date, of which asctime has no zone but means UTC, and the JSON form of a `Date`. */
const dateWithZone = /^(?:[a-z]{3}, \d\d [a-z]{3} \d{4}|[a-z]{6,9}, \d\d-[a-z]{3}-\d\d) \d\d:\d\d:\d\d (?:GMT|UTC)$/i;
const asctimeDate = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;
const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Accepts only these forms: `Date.parse` finds a date in texts that were never meant as one. */
function parseDate(text: string): number {
  if (dateWithZone.test(text) || isoDate.test(text)) return Date.parse(text);
  return asctimeDate.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
