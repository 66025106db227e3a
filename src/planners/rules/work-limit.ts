/** How much the rules may do for one request, in steps of some 50 ns. Long requests that people write take 20 000. */
export const maxWork = 600_000;
/** How many words and signs a request may have; a quoted text is one. */
export const maxTokens = 4_000;

/** Counts the work done for one request: a measure that depends on no clock and no machine. */
export class WorkMeter {
  done = 0;

  constructor(private readonly limit = maxWork) {}

  /** Adds steps. Throws {@link TooMuchWork} beyond the limit. */
  spend(steps: number): void {
    this.done += steps;
    if (this.done > this.limit) throw new TooMuchWork();
  }
}

/** A request can be read in so many ways that the rules give up. */
export class TooMuchWork extends Error {}
