import type { Abortable } from "./abort-source.ts";
import { onAbort } from "./on-abort.ts";

/** A waiting caller, in a linked list: leaving the middle is as cheap as leaving the front. */
interface Waiter {
  readonly settle: (isTurn: boolean) => void;
  previous: Waiter | undefined;
  next: Waiter | undefined;
}

/**
 * Lets at most `limit` callers in at a time, in order of arrival. A caller that stops waiting leaves nothing behind.
 *
 * A released place passes to the next in line at once, so no later caller gets in between.
 */
export class Semaphore {
  private taken = 0;
  private first: Waiter | undefined;
  private last: Waiter | undefined;

  /** `limit`: a whole number of at least 1, or `Infinity`; the caller checks it. */
  constructor(readonly limit: number) {}

  /**
   * Takes a place: `true` at once if one is free, else a promise of whether it got one before the signal aborted. Each
   * true, even one that comes just as the signal aborts, must be followed by one `release()`. Never rejects.
   */
  acquire(signal: Abortable): true | Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.taken >= this.limit) return this.wait(signal);
    this.taken++;
    return true;
  }

  /** Releases a place. Does nothing if none is taken. */
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
      // All waiters with one signal share a listener. It may still call one that an earlier callback has just let in.
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
