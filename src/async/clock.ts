import type { Abortable } from "./abort-source.ts";

/** Where time comes from. Tests give a manual one. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Calls back once, after at most 2 147 483 647 ms. */
  setTimeout(callback: () => void, delayMs: number): unknown;
  /** Stops what `setTimeout` returned; nothing happens if it has called back. */
  clearTimeout(timer: unknown): void;
}

/** The longest delay a timer of JavaScript can have: a longer one fires at once. */
export const maxTimerMs = 2_147_483_647;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Waits, or stops waiting when the signal aborts: resolves to whether the whole time has passed. Never rejects. */
export function sleep(delayMs: number, { clock, signal }: { clock: Clock; signal: Abortable }): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = () => {
      signal.removeEventListener("abort", stop);
      clock.clearTimeout(timer);
      resolve(false);
    };
    const timer = clock.setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve(true);
    }, delayMs);
    signal.addEventListener("abort", stop);
  });
}
