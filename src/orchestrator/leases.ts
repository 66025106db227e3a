import { type Clock, monotonicNow } from "../async/clock.ts";
import { isThenable } from "../async/thenable.ts";
import { notInTime, settleWithin } from "../async/timeout.ts";
import type { PostedMessage, PostedMessages, RunStore } from "../core/run-store.ts";
import { type StoreError, toStoreError } from "./run-recorder.ts";

/** When a store said that a claim lasts, by both clocks: a machine that slept shows it by at least one of them. */
export interface Confirmation {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Who holds a claim: a run that goes on here. */
export interface LeaseHolder {
  readonly runId: string;
  fence: number | undefined;
  confirmed?: Confirmation | undefined;
  /** Told what was posted to the run, each time the store says so. */
  onPosted(posted: readonly PostedMessage[]): void;
  /** Told that the claim is lost, with what the store said. */
  onLeaseLost(error: StoreError): void;
}

/** What {@link Leases} needs of an engine. */
export interface LeaseOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly createId: () => string;
}

/** So often is a claim renewed before it would end, and what was posted to its run looked for. */
const renewalsPerLease = 3;

/**
 * The claims of an engine on the runs that go on in it. A claim ends by time unless it is renewed, so that others can go on
 * with the runs of a process that died; its fence keeps a process that only slept from writing then. One timer renews
 * them all; where the store goes with the process, they only look for what was posted.
 */
export class Leases {
  private readonly holders = new Set<LeaseHolder>();
  private owner: string | undefined;
  private timer: unknown;

  constructor(private readonly options: LeaseOptions) {}

  /** Claims a run. At once if the store answers so. Rejects, or throws, with `run-owned-elsewhere` or `store-failed`. */
  acquire(holder: LeaseHolder): void | Promise<void> {
    const { store } = this.options;
    this.owner ??= `owner_${this.options.createId()}`;
    const { runId } = holder;
    const asked = this.readClocks();
    try {
      const claimed = store.claim(runId, { owner: this.owner, ttlMs: this.ttlMs });
      if (!isThenable(claimed)) return this.hold(holder, claimed, asked);
      return Promise.resolve(claimed)
        .then((claim) => this.hold(holder, claim, asked))
        .catch((thrown) => {
          throw toStoreError(thrown, { runId, operation: "claim" });
        });
    } catch (thrown) {
      throw toStoreError(thrown, { runId, operation: "claim" });
    }
  }

  /** Another holder has the claim from now on. */
  handOver(from: LeaseHolder, to: LeaseHolder): void {
    this.holders.delete(from);
    to.fence = from.fence;
    to.confirmed = from.confirmed;
    this.holders.add(to);
  }

  /** Gives a claim back. What the store says to that is nothing to the run, which has ended. */
  release(holder: LeaseHolder): void | Promise<void> {
    if (!this.holders.delete(holder)) return undefined;
    if (this.holders.size === 0) this.stopRenewing();
    const { fence, runId } = holder;
    if (fence === undefined || this.owner === undefined) return undefined;
    try {
      const released = this.options.store.release(runId, { owner: this.owner, fence });
      return isThenable(released) ? this.inTime(Promise.resolve(released).catch(() => {})).then(() => {}) : undefined;
    } catch {
      return undefined;
    }
  }

  private get ttlMs(): number {
    const { store, leaseMs } = this.options;
    return store.isVolatile === true ? Number.POSITIVE_INFINITY : leaseMs;
  }

  /**
   * Whether a claim lasts, so that nobody else has the run: known if the store said so lately, else it is asked. If it says
   * no, or nothing in time, the claim is lost.
   */
  confirm(holder: LeaseHolder): boolean | Promise<boolean> {
    return this.isConfirmed(holder) || this.ask(holder);
  }

  private isConfirmed({ confirmed }: LeaseHolder): boolean {
    if (this.ttlMs === Number.POSITIVE_INFINITY) return true;
    if (confirmed === undefined) return false;
    const { wallMs, monotonicMs } = this.readClocks();
    const longestMs = this.ttlMs / renewalsPerLease;
    const passedMs = wallMs - confirmed.wallMs;
    return passedMs >= 0 && passedMs < longestMs && monotonicMs - confirmed.monotonicMs < longestMs;
  }

  private async ask(holder: LeaseHolder): Promise<boolean> {
    const { runId } = holder;
    const answered = await this.inTime(this.renew(holder));
    const error = answered === notInTime ? noAnswer(runId) : answered;
    if (error !== undefined && this.holders.has(holder)) holder.onLeaseLost(error);
    return error === undefined && this.holders.has(holder);
  }

  /** A store may never answer. */
  private inTime<T>(answer: Promise<T>): Promise<T | typeof notInTime> {
    return settleWithin(answer, this.ttlMs / renewalsPerLease, this.options.clock);
  }

  private readClocks(): Confirmation {
    const { clock } = this.options;
    return { wallMs: clock.now(), monotonicMs: monotonicNow(clock) };
  }

  private hold(holder: LeaseHolder, claim: { readonly fence: number } & PostedMessages, asked: Confirmation): void {
    holder.fence = readFence(claim);
    holder.confirmed = asked;
    const posted = readPosted(claim);
    this.holders.add(holder);
    if (this.timer === undefined) this.renewLater();
    if (posted.length > 0) holder.onPosted(posted);
  }

  private renewLater(): void {
    const timer = this.options.clock.setTimeout(() => this.renewAll(), this.options.leaseMs / renewalsPerLease);
    // A process with nothing else to do may end: it has died then, as far as its runs go.
    (timer as { unref?(): void } | undefined)?.unref?.();
    this.timer = timer;
  }

  private stopRenewing(): void {
    if (this.timer !== undefined) this.options.clock.clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** The next time comes when it is due, whether or not the store has answered: it may never do so. */
  private renewAll(): void {
    this.renewLater();
    for (const holder of this.holders) void this.renewInTime(holder);
  }

  /** A store that cannot answer now may do so before the claim ends; one that says no has given it to somebody else. */
  private async renewInTime(holder: LeaseHolder): Promise<void> {
    const error = await this.renew(holder);
    if (error?.code === "run-owned-elsewhere" && this.holders.has(holder)) holder.onLeaseLost(error);
  }

  /** Resolves to what the store says against it. */
  private async renew(holder: LeaseHolder): Promise<StoreError | undefined> {
    const { fence, runId } = holder;
    if (fence === undefined || this.owner === undefined) return undefined;
    const asked = this.readClocks();
    try {
      const said = await this.options.store.renew(runId, { owner: this.owner, fence, ttlMs: this.ttlMs });
      const posted = readPosted(said);
      holder.confirmed = asked;
      if (posted.length > 0 && this.holders.has(holder)) holder.onPosted(posted);
      return undefined;
    } catch (thrown) {
      return toStoreError(thrown, { runId, operation: "claim" });
    }
  }
}

function noAnswer(runId: string): StoreError {
  return toStoreError(new Error("it does not answer"), { runId, operation: "claim" });
}

/** The fence of a claim, as a store gives it. Throws for anything else. */
function readFence(claim: { readonly fence: number } | undefined): number {
  const fence: unknown = claim?.fence;
  if (typeof fence !== "number" || !Number.isFinite(fence)) throw new TypeError("its claim has no fence");
  return fence;
}

/** What a store says was posted. Throws for anything else. */
function readPosted(said: PostedMessages | undefined): readonly PostedMessage[] {
  const posted: unknown = said?.posted;
  if (posted === undefined) return none;
  if (!Array.isArray(posted)) throw new TypeError("what was posted is not a list");
  const wrong = posted.findIndex((one) => !Number.isSafeInteger((one as PostedMessage | null)?.number));
  if (wrong >= 0) throw new TypeError(`message ${wrong + 1} of what was posted has no number`);
  return posted as readonly PostedMessage[];
}

const none: readonly never[] = [];
