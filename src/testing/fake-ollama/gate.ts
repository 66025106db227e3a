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
