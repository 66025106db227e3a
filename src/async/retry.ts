import { maxTimerMs } from "./clock.ts";
import { countPending } from "./promises.ts";

/** Retry policy for failed attempts. The fields of a tool's policy override those of the agent's. @group Agents */
export interface RetryOptions {
  /** Number of attempts in all, the first one included. At least 1. @default 3 */
  readonly maxAttempts?: number | undefined;
  /** Delay before the second attempt, without jitter. @default 1000 */
  readonly minDelayMs?: number | undefined;
  /** Longest delay before an attempt. @default 30000 */
  readonly maxDelayMs?: number | undefined;
  /** Factor by which the delay grows each time. At least 1. @default 2 */
  readonly factor?: number | undefined;
  /** Time since the start of the first attempt after which no further attempt starts. @default Infinity */
  readonly maxTotalMs?: number | undefined;
}

export type RetryPolicy = Required<RetryOptions>;

/**
 * p-retry does not retry a thrown string or TypeError, so failures are wrapped. It gets no delays, because they would
 * ignore our clock, and no signal, because that would drop a value that arrives during an abort.
 */
export async function retryFailed<TResult>(
  first: TResult,
  options: {
    readonly maxAttempts: number;
    readonly isFailure: (result: TResult) => boolean;
    readonly shouldRetry: (failure: TResult, attempt: number) => Promise<boolean>;
    readonly attempt: (attempt: number) => Promise<TResult>;
  },
): Promise<TResult> {
  const { maxAttempts, isFailure, shouldRetry, attempt } = options;
  const tryOnce = async (number: number) => {
    const result = number === 1 ? first : await attempt(number);
    if (isFailure(result)) throw new FailedAttempt(result);
    return result;
  };
  const { default: pRetry } = await countPending(import("p-retry"));
  try {
    return await pRetry(tryOnce, {
      retries: maxAttempts - 1,
      minTimeout: 0,
      shouldRetry: ({ error, attemptNumber }) => shouldRetry((error as FailedAttempt<TResult>).result, attemptNumber),
    });
  } catch (thrown) {
    if (thrown instanceof FailedAttempt) return thrown.result as TResult;
    throw thrown;
  }
}

class FailedAttempt<TResult> extends Error {
  constructor(readonly result: TResult) {
    super("attempt failed");
  }
}

/** Uses "equal jitter": https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
export function retryDelayMs({ minDelayMs, maxDelayMs, factor }: RetryPolicy, attempt: number, random: () => number) {
  const longestMs = Math.min(maxDelayMs, maxTimerMs);
  const whole = minDelayMs === 0 ? 0 : Math.min(longestMs, minDelayMs * factor ** (attempt - 1));
  return Math.round(whole / 2 + (whole / 2) * random());
}

export function askedTooLong(askedMs: number, { maxDelayMs }: RetryPolicy): string {
  return ` (the error asks to wait ${askedMs} ms, longer than the maxDelayMs of ${maxDelayMs} ms)`;
}

const maxCauses = 5;

type ErrorWithDelay = Readonly<Record<string, unknown>> & { readonly response?: { readonly headers?: unknown } | null };

export function retryAfterMs(thrown: unknown, nowMs: number): number | undefined {
  try {
    let error = thrown as ErrorWithDelay;
    for (let depth = 0; depth <= maxCauses && typeof error === "object" && error !== null; depth++) {
      const askedMs = readDelayMs(error, nowMs);
      if (askedMs !== undefined) return Math.min(Math.max(Math.ceil(askedMs), 0), maxTimerMs);
      error = error.cause as ErrorWithDelay;
    }
  } catch {
    // A getter or proxy threw.
  }
  return undefined;
}

function readDelayMs(error: ErrorWithDelay, nowMs: number): number | undefined {
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

function header(headers: object, name: string): unknown {
  const { get } = headers as Partial<Headers>;
  const entries = headers instanceof Map ? [...headers] : Object.entries(headers);
  const found = () => entries.find(([key]) => String(key).toLowerCase() === name)?.[1];
  const value = (typeof get === "function" ? get.call(headers, name) : undefined) ?? found();
  return Array.isArray(value) ? value[0] : value;
}

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

const httpDate = /^(?:[a-z]{3}, \d\d [a-z]{3} \d{4}|[a-z]{6,9}, \d\d-[a-z]{3}-\d\d) \d\d:\d\d:\d\d (?:GMT|UTC)$/i;
/** The obsolete form that RFC 9110 obliges recipients to accept: `Sun Nov  6 08:49:37 1994`. */
const asctimeDate = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;
const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Accepts only HTTP and ISO dates, because `Date.parse` also finds dates in texts that are not dates. */
function parseDate(text: string): number {
  if (asctimeDate.test(text)) return Date.parse(`${text} GMT`);
  return httpDate.test(text) || isoDate.test(text) ? Date.parse(text) : Number.NaN;
}
