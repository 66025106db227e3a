import { type Abortable, onAbort } from "./abort.ts";
import { type Clock, monotonicNow, sleep } from "./clock.ts";

export class Semaphore {
  #taken = 0;
  readonly #waiting = new Set<() => void>();
  /** One iterator for all turns, because a new one would step over all deleted entries again. */
  #turns = this.#waiting.values();

  constructor(readonly limit: number) {}

  /** True once the caller has a place, which it must give back with `release()`; false if the signal aborts first. */
  acquire(signal: Abortable): true | Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#taken >= this.limit) return this.#wait(signal);
    this.#taken++;
    return true;
  }

  release(): void {
    let turn = this.#turns.next();
    if (turn.done) {
      this.#turns = this.#waiting.values();
      turn = this.#turns.next();
    }
    if (!turn.done) turn.value();
    else if (this.#taken > 0) this.#taken--;
  }

  #wait(signal: Abortable): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isTurn: boolean) => {
        // The shared abort listener may still call a waiter that an earlier callback has admitted.
        if (!this.#waiting.delete(enter)) return;
        stopListening();
        resolve(isTurn);
      };
      const enter = () => settle(true);
      this.#waiting.add(enter);
      const stopListening = onAbort(signal, () => settle(false));
    });
  }
}

/** Limit on the number of calls that may start in an interval. @inline */
export interface RateLimitOptions {
  /** Maximum number of calls that start in any window of `intervalMs`: an integer of at least 1. */
  readonly limit: number;
  /** Length of the window in milliseconds, from 1 to 2 147 483 647. Starts exactly this far apart share no window. */
  readonly intervalMs: number;
}

/** Uses a sliding window, because fixed intervals would allow twice as many calls around a boundary. */
export class RateLimit {
  readonly #startsMs: number[] = [];
  #next = 0;
  #newestMs = Number.NEGATIVE_INFINITY;
  readonly #turn = new Semaphore(1);

  constructor(
    private readonly options: RateLimitOptions,
    private readonly clock: Clock,
  ) {}

  acquire(signal: Abortable): true | Promise<boolean> {
    const turn = this.#turn.acquire(signal);
    if (turn !== true || this.#delayMs() > 0) return this.#wait(turn, signal);
    this.#start();
    this.#turn.release();
    return true;
  }

  async #wait(turn: true | Promise<boolean>, signal: Abortable): Promise<boolean> {
    if (turn !== true && !(await turn)) return false;
    try {
      for (let delayMs = this.#delayMs(); delayMs > 0; delayMs = this.#delayMs()) {
        if (!(await sleep(delayMs, { clock: this.clock, signal }))) return false;
      }
      if (signal.aborted) return false;
      this.#start();
      return true;
    } finally {
      this.#turn.release();
    }
  }

  #start(): void {
    this.#newestMs = monotonicNow(this.clock);
    this.#startsMs[this.#next] = this.#newestMs;
    this.#next = (this.#next + 1) % this.options.limit;
  }

  #delayMs(): number {
    const nowMs = monotonicNow(this.clock);
    const backMs = this.#newestMs - nowMs;
    // The clock was set back. Without a shift, all calls would wait until the earlier time comes again.
    if (backMs > 0) {
      for (const [index, startMs] of this.#startsMs.entries()) this.#startsMs[index] = startMs - backMs;
      this.#newestMs = nowMs;
    }
    const oldestMs = this.#startsMs[this.#next];
    return oldestMs === undefined ? 0 : oldestMs + this.options.intervalMs - nowMs;
  }
}
