/** What holds an answer up until it is let go on, one step at a time. */
export class Gate {
  private credit = 0;
  private waiting: (() => void) | undefined;

  /** Settles when it is opened the next time; at once if that was before anybody waited. */
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
