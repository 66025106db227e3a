import { type Clock, letExit, monotonicNow } from "../../async/clock.ts";
import { isThenable } from "../../async/promises.ts";
import { notInTime, settleWithin } from "../../async/timeout.ts";
import type { PostedMessage, PostedMessages } from "../../core/run-store.ts";
import type { EngineSettings } from "./engine-settings.ts";
import { type StoreError, toStoreError } from "./run-recorder.ts";

/** If the machine slept, at least one of the two clocks shows it. */
export interface Confirmation {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export interface LeaseHolder {
  readonly runId: string;
  fence: number | undefined;
  confirmed?: Confirmation | undefined;
  onPosted(posted: readonly PostedMessage[]): void;
  onLeaseLost?(error: StoreError): void;
}

const renewalsPerLease = 3;
const minChangeMs = 1_000;

/**
 * A lease expires unless it is renewed, so that other processes can resume the runs of a dead one. Its fence stops a
 * process that was only asleep from writing after the lease was lost. With a volatile store,
 * the store is asked for posted messages and nothing else.
 */
export class Leases {
  readonly #holders = new Set<LeaseHolder>();
  #owner: string | undefined;
  #timer: unknown;
  #stopWatching: (() => void) | undefined;
  #aheadMs = 0;

  constructor(private readonly options: Pick<EngineSettings, "store" | "clock" | "leaseMs" | "createId">) {}

  async acquire(holder: LeaseHolder): Promise<void> {
    this.#owner ??= `owner_${this.options.createId()}`;
    const { runId } = holder;
    const asked = this.#readClocks();
    try {
      this.#accept(holder, await this.options.store.claim(runId, { owner: this.#owner, ttlMs: this.#ttlMs }), asked);
    } catch (thrown) {
      throw toStoreError(thrown, { runId, operation: "claim" });
    }
  }

  now(): number {
    return this.toShared(this.options.clock.now());
  }

  toShared(ms: number): number {
    return ms + this.#aheadMs;
  }

  get sharedClock(): Clock {
    const { clock } = this.options;
    return {
      now: () => this.now(),
      setTimeout: (callback, delayMs) => clock.setTimeout(callback, delayMs),
      clearTimeout: (timer) => clock.clearTimeout(timer),
    };
  }

  handOver(from: LeaseHolder, to: LeaseHolder): void {
    this.#holders.delete(from);
    to.fence = from.fence;
    to.confirmed = from.confirmed;
    this.#holders.add(to);
  }

  release(holder: LeaseHolder): void | Promise<void> {
    if (!this.#holders.delete(holder)) return undefined;
    if (this.#holders.size === 0) {
      this.options.clock.clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    const { fence, runId } = holder;
    if (fence === undefined || this.#owner === undefined) return undefined;
    try {
      const released = this.options.store.release(runId, { owner: this.#owner, fence });
      return isThenable(released) ? this.#inTime(Promise.resolve(released).catch(() => {})).then(() => {}) : undefined;
    } catch {
      return undefined;
    }
  }

  readTime({ nowMs }: { readonly nowMs?: number | undefined } = {}, askedMs: number): void {
    if (typeof nowMs !== "number" || !Number.isFinite(nowMs)) return;
    const leastMs = nowMs - this.options.clock.now();
    const mostMs = nowMs - askedMs;
    if (this.#aheadMs <= leastMs - minChangeMs) this.#aheadMs = leastMs;
    else if (this.#aheadMs >= mostMs + minChangeMs) this.#aheadMs = mostMs;
  }

  get #ttlMs(): number {
    const { store, leaseMs } = this.options;
    return store.isVolatile === true ? Number.POSITIVE_INFINITY : leaseMs;
  }

  confirm(holder: LeaseHolder): boolean | Promise<boolean> {
    return this.#isConfirmed(holder) || this.#ask(holder);
  }

  #isConfirmed({ confirmed }: LeaseHolder): boolean {
    if (this.#ttlMs === Number.POSITIVE_INFINITY) return true;
    if (confirmed === undefined) return false;
    const { wallMs, monotonicMs } = this.#readClocks();
    const longestMs = this.#ttlMs / renewalsPerLease;
    const passedMs = wallMs - confirmed.wallMs;
    return passedMs >= 0 && passedMs < longestMs && monotonicMs - confirmed.monotonicMs < longestMs;
  }

  async #ask(holder: LeaseHolder): Promise<boolean> {
    const { runId } = holder;
    const answered = await this.#inTime(this.#renew(holder));
    const noAnswer = () => toStoreError(new Error("it does not answer"), { runId, operation: "claim" });
    const error = answered === notInTime ? noAnswer() : answered;
    if (error !== undefined) this.#lose(holder, error);
    if (error !== undefined || !this.#holders.has(holder)) return false;
    // The process may have slept while it waited for the answer.
    return this.confirm(holder);
  }

  #inTime<T>(answer: Promise<T>): Promise<T | typeof notInTime> {
    return settleWithin(answer, this.#ttlMs / renewalsPerLease, this.options.clock);
  }

  #readClocks(): Confirmation {
    const { clock } = this.options;
    return { wallMs: clock.now(), monotonicMs: monotonicNow(clock) };
  }

  #accept(holder: LeaseHolder, claim: { readonly fence: number } & PostedMessages, asked: Confirmation): void {
    const fence: unknown = claim?.fence;
    if (typeof fence !== "number" || !Number.isFinite(fence)) throw new TypeError("its lease has no fence");
    holder.fence = fence;
    holder.confirmed = asked;
    const posted = readPosted(claim);
    this.readTime(claim, asked.wallMs);
    this.#holders.add(holder);
    if (this.#timer === undefined) this.#renewLater();
    // Watches only once, as watching may take a connection.
    this.#stopWatching ??= this.options.store.watchPosted?.((runId) => this.#look(runId));
    if (posted.length > 0) holder.onPosted(posted);
  }

  close(): void {
    this.#stopWatching?.();
  }

  #look(runId: string | undefined): void {
    for (const holder of this.#holders)
      if (runId === undefined || holder.runId === runId) void this.#renewInTime(holder);
  }

  #renewLater(): void {
    const renew = () => {
      // The next renewal is due whether or not the store answers this one.
      this.#renewLater();
      this.#look(undefined);
    };
    this.#timer = this.options.clock.setTimeout(renew, this.options.leaseMs / renewalsPerLease);
    // The timer does not keep an idle process alive. The exit of such a process counts as its death.
    letExit(this.#timer);
  }

  /** Ignores a failure of the store, which may recover in time. A refusal means that the lease is lost. */
  async #renewInTime(holder: LeaseHolder): Promise<void> {
    const error = await this.#renew(holder);
    if (error?.code === "run-owned-elsewhere") this.#lose(holder, error);
  }

  #lose(holder: LeaseHolder, error: StoreError): void {
    if (this.#holders.has(holder)) holder.onLeaseLost?.(error);
  }

  async #renew(holder: LeaseHolder): Promise<StoreError | undefined> {
    const { fence, runId } = holder;
    if (fence === undefined || this.#owner === undefined) return undefined;
    const asked = this.#readClocks();
    try {
      const said = await this.options.store.renew(runId, { owner: this.#owner, fence, ttlMs: this.#ttlMs });
      const posted = readPosted(said);
      this.readTime(said, asked.wallMs);
      holder.confirmed = asked;
      if (posted.length > 0 && this.#holders.has(holder)) holder.onPosted(posted);
      return undefined;
    } catch (thrown) {
      return toStoreError(thrown, { runId, operation: "claim" });
    }
  }
}

function readPosted(said: PostedMessages | undefined): readonly PostedMessage[] {
  const posted: unknown = said?.posted ?? [];
  if (!Array.isArray(posted)) throw new TypeError("its posted messages are not a list");
  const wrong = posted.findIndex((one) => !Number.isSafeInteger((one as PostedMessage | null)?.number));
  if (wrong >= 0) throw new TypeError(`its posted message ${wrong + 1} has no number`);
  return posted as readonly PostedMessage[];
}
