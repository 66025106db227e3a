/** What comes one by one, for tests to wait for: the first who waits gets the first that came, and so on. */
export class Arrivals<T> {
  private readonly came: T[] = [];
  private readonly waiting: ((arrival: T) => void)[] = [];

  add(arrival: T): void {
    const next = this.waiting.shift();
    if (next === undefined) this.came.push(arrival);
    else next(arrival);
  }

  /** The next that nobody has waited for yet; at once if it has come. */
  next(): Promise<T> {
    const arrival = this.came.shift();
    if (arrival !== undefined) return Promise.resolve(arrival);
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
