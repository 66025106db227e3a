import pTimeout from "p-timeout";
import type { Abortable } from "./abort-source.ts";
import type { Clock } from "./clock.ts";

/**
 * Settles as the promise does, or rejects with the signal's reason when that aborts first. The promise keeps running: a
 * caller that wants its late value keeps it.
 *
 * The code that aborts the signal owns the one timer of an attempt. p-timeout without a timer would do the same, but
 * keeps twice as much for each waiting step: it has two more promises, and a callback to clear its timer.
 */
export function settleOrAbort<T>(promise: Promise<T>, signal: Abortable): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      signal.removeEventListener("abort", stop);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
    promise.then(
      (value) => {
        signal.removeEventListener("abort", stop);
        resolve(value);
      },
      (thrown) => {
        signal.removeEventListener("abort", stop);
        reject(thrown);
      },
    );
  });
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
