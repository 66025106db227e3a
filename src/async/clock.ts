import type { Abortable } from "./abort-source.ts";

/** Where time comes from. Tests give a manual one. */
export interface Clock {
  /** Milliseconds since 1970 UTC: what is recorded, and what processes compare. Somebody may set it forward or back. */
  now(): number;
  /** Milliseconds since any moment, never set back: what intervals within a process are measured by. @default `now` */
  monotonic?(): number;
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
  // Whole, as those of `now`: some of them are told.
  monotonic: () => Math.floor(performance.now()),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The time by which an interval is measured; only two of its answers mean something, by what lies between them. */
export function monotonicNow(clock: Clock): number {
  return clock.monotonic === undefined ? clock.now() : clock.monotonic();
}

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
