/** How much the rules may do for one request, in steps of some 50 ns. Long requests that people write take 20 000. */
export const maxWork = 600_000;
/** Words and signs of a request that are looked at; a quoted text is one. */
export const maxTokens = 4_000;

/** Counts what is done for one request: a measure that no clock and no machine disturbs. */
export class WorkMeter {
  done = 0;

  constructor(private readonly limit = maxWork) {}

  /** Adds steps. Throws {@link TooMuchWork} beyond the limit. */
  spend(steps: number): void {
    this.done += steps;
    if (this.done > this.limit) throw new TooMuchWork();
  }
}

/** A request has so many ways to be read that the rules give up. */
export class TooMuchWork extends Error {}
