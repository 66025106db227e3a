// Loads `p-retry` early: the first retry would otherwise load it, and this clock does not wait for imports.
import "p-retry";
import type { Clock } from "../async/clock.ts";
import { pendingWork } from "../async/promises.ts";

/** Clock that stands still until a test moves it. @group Testing */
export interface ManualClock extends Clock {
  /** Number of timers that are waiting. */
  readonly pendingTimers: number;
  /** Milliseconds since the clock was created; changes only when the clock is moved. */
  monotonic(this: void): number;
  /** Sets the value of `now()`, forward or back. Does not affect timers. */
  setNow(this: void, nowMs: number): void;
  /** Moves time forward, fires each timer when it is due, and waits until all work started by timers has settled. */
  advance(this: void, ms: number): Promise<void>;
  /** Moves time from timer to timer until the promise settles, and settles like it. Rejects if it never settles. */
  runUntil<T>(this: void, promise: Promise<T>): Promise<T>;
}

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A promise may need turns of the event loop without a timer, for example to read files or compute hashes. */
const maxIdleTurns = 10_000;
const turnsToSettle = 5;

/**
 * Creates a {@link ManualClock}. It starts at 2026-01-01 UTC by default.
 * {@includeCode ../../examples/20-test-an-agent.ts} @group Testing
 */
export function createManualClock({ nowMs = Date.UTC(2026, 0, 1) }: { nowMs?: number } = {}): ManualClock {
  const timers = new Set<Timer>();
  let elapsedMs = 0;
  let startMs = nowMs;

  const nextTimer = (): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) if (next === undefined || timer.atMs < next.atMs) next = timer;
    return next;
  };
  const fire = (timer: Timer) => {
    timers.delete(timer);
    elapsedMs = Math.max(elapsedMs, timer.atMs);
    timer.callback();
  };

  return {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    setNow(this: void, nowMs) {
      startMs = nowMs - elapsedMs;
    },
    setTimeout(callback, delayMs) {
      const timer = { atMs: elapsedMs + Math.max(0, delayMs), callback };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => void timers.delete(timer as Timer),
    get pendingTimers() {
      return timers.size;
    },
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      await settle();
      for (let timer = nextTimer(); timer !== undefined && timer.atMs <= untilMs; timer = nextTimer()) {
        fire(timer);
        await settle();
      }
      elapsedMs = untilMs;
    },
    async runUntil(promise) {
      let isSettled = false;
      const markSettled = () => {
        isSettled = true;
      };
      promise.then(markSettled, markSettled);
      for (let idleTurns = 0; !isSettled; ) {
        await settle();
        const timer = isSettled ? undefined : nextTimer();
        if (timer !== undefined) fire(timer);
        idleTurns = timer === undefined ? idleTurns + 1 : 0;
        if (idleTurns > maxIdleTurns) throw new Error("The promise does not settle, and no timer is pending.");
      }
      return promise;
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < turnsToSettle; turn = pendingWork() > 0 ? 0 : turn + 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
