/** Something to wait for besides a promise: the part of an `AbortSignal` that p-timeout and {@link sleep} need. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

const none: readonly never[] = [];

/**
 * An abort controller that creates its `AbortSignal` only on demand. Most tools never read their signal, and creating
 * one, with a listener added and removed, costs more than everything else a step does.
 */
export class AbortSource implements Abortable {
  aborted = false;
  reason: unknown;
  /** Most have one listener or none, so a set would be the largest part of a source. */
  private listeners: readonly (() => void)[] = none;
  private controller: AbortController | undefined;

  /** The signal to hand out. Always the same. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.aborted) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** Aborts; only the first reason counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.controller?.abort(reason);
    for (const listener of this.listeners) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    // Spreading an empty list would allocate room for 17.
    this.listeners = this.listeners.length === 0 ? [listener] : [...this.listeners, listener];
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.listeners =
      this.listeners.length === 1 && this.listeners[0] === listener
        ? none
        : this.listeners.filter((other) => other !== listener);
  }
}
