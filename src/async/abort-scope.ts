import { AbortSource } from "./abort-source.ts";

/** Sources that are aborted together. One that is opened after the abort is aborted at once. */
export class AbortScope<TReason> {
  /** Set by the first abort; later ones change nothing. */
  reason: TReason | undefined;
  private sources: AbortSource[] = [];

  /** Aborts all sources; only the first reason counts. */
  abort(reason: TReason): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    for (const source of [...this.sources]) source.abort(reason);
  }

  /** Sources opened from now on are not aborted; those already aborted stay so. */
  reset(): void {
    this.reason = undefined;
  }

  /** A source that is aborted with the others. Release it with {@link AbortScope.release}. */
  open(): AbortSource {
    const source = new AbortSource();
    if (this.reason !== undefined) source.abort(this.reason);
    // Usually it is the only one, and pushing to an empty list would allocate room for 17.
    if (this.sources.length === 0) this.sources = [source];
    else this.sources.push(source);
    return source;
  }

  /** Whether a source has not been released. */
  isOpen(source: AbortSource): boolean {
    return this.sources.includes(source);
  }

  /** Removes a source; does nothing if it is not one of these. */
  release(source: AbortSource): void {
    const { sources } = this;
    // Few are open at a time, and the one that is released is usually the last.
    if (sources[sources.length - 1] === source) {
      sources.pop();
      return;
    }
    const index = sources.indexOf(source);
    const last = index === -1 ? undefined : sources.pop();
    if (last !== undefined) sources[index] = last;
  }
}
