import type { Abortable } from "./abort.ts";

/** The source of time. Tests pass a manual one. @group Agents */
export interface Clock {
  /** Milliseconds since 1970 UTC, as recorded and compared between processes. It may be set forward or back. */
  now(): number;
  /** Milliseconds since an arbitrary moment, never set back: for intervals within a process. @default `now` */
  monotonic?(): number;
  /** Calls `callback` once, after `delayMs`: at most 2 147 483 647. */
  setTimeout(callback: () => void, delayMs: number): unknown;
  /** Cancels a timer from `setTimeout`; does nothing once the timer has called back. */
  clearTimeout(timer: unknown): void;
}

/** Longest delay of a JavaScript timer. A longer one fires at once. */
export const maxTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

export function monotonicNow(clock: Clock): number {
  return clock.monotonic === undefined ? clock.now() : clock.monotonic();
}

let latest = { ms: Number.NaN, text: "" };

/** Keeps the latest text, because formatting takes a fifth of the time of a step. */
export function toTimestamp(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}

export function letExit(timer: unknown): void {
  (timer as { unref?(): void } | undefined)?.unref?.();
}

/** Resolves to false if the signal aborts first. With `mayExit`, the timer does not keep the process alive. */
export function sleep(
  delayMs: number,
  { clock, signal, mayExit = false }: { clock: Clock; signal: Abortable; mayExit?: boolean },
): Promise<boolean> {
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
    if (mayExit) letExit(timer);
    signal.addEventListener("abort", stop);
  });
}

export function callAt(clock: Clock, atMs: number, callback: () => void): () => void {
  let timer: unknown;
  const wait = () => {
    const leftMs = Math.max(0, atMs - clock.now());
    timer = clock.setTimeout(() => (clock.now() >= atMs ? callback() : wait()), Math.min(leftMs, maxTimerMs));
    letExit(timer);
  };
  wait();
  return () => clock.clearTimeout(timer);
}
