import type { Abortable } from "./abort-source.ts";
import { onAbort } from "./on-abort.ts";

/** One who waits, in a linked list: a place in the middle is given up as cheaply as the first one. */
interface Waiter {
  readonly settle: (isTurn: boolean) => void;
  previous: Waiter | undefined;
  next: Waiter | undefined;
}

/**
 * Lets at most `limit` callers in at a time, in the order in which they came. Who stops waiting leaves nothing behind.
 *
 * A place that is given back passes to the next in line at once, so nobody who comes later gets in between.
 */
export class Semaphore {
  private taken = 0;
  private first: Waiter | undefined;
  private last: Waiter | undefined;

  /** `limit`: a whole number of at least 1, or `Infinity`; checked by whoever reads the options. */
  constructor(readonly limit: number) {}

  /**
   * Takes a place: `true` at once if one is free, else a promise of whether it got one before the signal aborted. Each
   * true, also one that comes just as the signal aborts, must be followed by one `release()`. Never rejects.
   */
  acquire(signal: Abortable): true | Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.taken >= this.limit) return this.wait(signal);
    this.taken++;
    return true;
  }

  /** Gives a place back. Nothing happens if none is taken. */
  release(): void {
    const waiter = this.first;
    if (waiter !== undefined) {
      this.remove(waiter);
      waiter.settle(true);
    } else if (this.taken > 0) {
      this.taken--;
    }
  }

  private wait(signal: Abortable): Promise<boolean> {
    return new Promise((resolve) => {
      let isWaiting = true;
      const settle = (isTurn: boolean) => {
        isWaiting = false;
        stopListening();
        resolve(isTurn);
      };
      const waiter: Waiter = { settle, previous: this.last, next: undefined };
      // All who wait with one signal share a listener. It may still call one whom another it just called has let in.
      const stopListening = onAbort(signal as AbortSignal, () => {
        if (!isWaiting) return;
        this.remove(waiter);
        settle(false);
      });
      if (this.last === undefined) this.first = waiter;
      else this.last.next = waiter;
      this.last = waiter;
    });
  }

  private remove({ previous, next }: Waiter): void {
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.last = previous;
    else next.previous = previous;
  }
}
