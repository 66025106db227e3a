import pTimeout from "p-timeout";
import type { Abortable } from "./abort-source.ts";
import type { Clock } from "./clock.ts";

/**
 * Settles as the promise does, or rejects with the signal's reason when that aborts first. The promise goes on: whoever
 * wants its late value keeps it.
 *
 * The one timer of an attempt belongs to whoever aborts the signal; p-timeout gets none, because it would build an error
 * with a stack before anything has failed.
 */
export function settleOrAbort<T>(promise: Promise<T>, signal: Abortable): Promise<T> {
  return pTimeout(promise, { milliseconds: Number.POSITIVE_INFINITY, signal: signal as AbortSignal });
}

/** What {@link settleWithin} resolves to when time is up. */
export const notInTime = Symbol("notInTime");

/** Settles as the promise does, or resolves to {@link notInTime} after `delayMs`, which may be 0. */
export function settleWithin<T>(promise: Promise<T>, delayMs: number, clock: Clock): Promise<T | typeof notInTime> {
  return pTimeout<T, typeof notInTime>(promise, {
    milliseconds: Math.max(delayMs, Number.MIN_VALUE),
    fallback: () => notInTime,
    customTimers: {
      setTimeout: ((callback: () => void, ms: number) => clock.setTimeout(callback, ms)) as typeof setTimeout,
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
  });
}
