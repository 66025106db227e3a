/** Holds an answer until it is allowed to continue, one step at a time. */
export class Gate {
  private credit = 0;
  private waiting: (() => void) | undefined;

  /** Settles the next time it is opened; at once if it was opened before anything waited. */
  pass(): Promise<void> {
    if (this.credit > 0) {
      this.credit--;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }

  open(): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting === undefined) this.credit++;
    else waiting();
  }
}

/** A queue for tests to wait on: the first to wait gets the first arrival, and so on. */
export class Arrivals<T> {
  private readonly came: T[] = [];
  private readonly waiting: ((arrival: T) => void)[] = [];

  add(arrival: T): void {
    const next = this.waiting.shift();
    if (next === undefined) this.came.push(arrival);
    else next(arrival);
  }

  /** The next arrival that nothing has waited for yet; at once if it is already there. */
  next(): Promise<T> {
    const arrival = this.came.shift();
    if (arrival !== undefined) return Promise.resolve(arrival);
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
