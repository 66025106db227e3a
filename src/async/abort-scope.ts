import { AbortSource } from "./abort-source.ts";

/** Sources that are aborted together: those that are open, and at once those that are opened later. */
export class AbortScope<TReason> {
  /** Set by the first abort; later ones change nothing. */
  reason: TReason | undefined;
  private sources: AbortSource[] = [];

  /** Aborts all, for the first reason it is given. */
  abort(reason: TReason): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    for (const source of [...this.sources]) source.abort(reason);
  }

  /** What is opened from now on is not aborted; what was, stays so. */
  reset(): void {
    this.reason = undefined;
  }

  /** A source that is aborted with the others. Give it back with {@link AbortScope.release}. */
  open(): AbortSource {
    const source = new AbortSource();
    if (this.reason !== undefined) source.abort(this.reason);
    // Mostly it is the only one, and pushing it to an empty list would make room for 17.
    if (this.sources.length === 0) this.sources = [source];
    else this.sources.push(source);
    return source;
  }

  /** Whether a source has not been given back. */
  isOpen(source: AbortSource): boolean {
    return this.sources.includes(source);
  }

  /** Takes a source back; nothing happens if it is not one of these. */
  release(source: AbortSource): void {
    const { sources } = this;
    // Few are open at a time, and the one that is released is mostly the last.
    if (sources[sources.length - 1] === source) {
      sources.pop();
      return;
    }
    const index = sources.indexOf(source);
    const last = index === -1 ? undefined : sources.pop();
    if (last !== undefined) sources[index] = last;
  }
}
