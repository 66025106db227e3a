import { type Clock, monotonicNow } from "./clock.ts";

/** State of a circuit, which allows all calls (`closed`), none (`open`), or one as a test (`half-open`). */
export type CircuitState = "closed" | "open" | "half-open";

/** Limits on failures, beyond which further calls are refused. @inline */
export interface CircuitBreakerOptions {
  /** Number of failed calls within `windowMs` that opens the circuit. At least 1. @default 5 */
  readonly maxFailures?: number | undefined;
  /** Length of the window: at least 1, or `Infinity`. A failure exactly as old no longer counts. @default 60000 */
  readonly windowMs?: number | undefined;
  /** Time that the circuit stays open before one call is let through as a test. At least 1. @default 30000 */
  readonly resetAfterMs?: number | undefined;
}

export type CallVerdict = "succeeded" | "failed" | "abandoned";

export type CircuitPermit = ReturnType<CircuitBreaker["enter"]>;

/** A success does not offset failures, and an outcome counts only if the state has not changed since the call began. */
export class CircuitBreaker {
  state: CircuitState = "closed";
  #generation = 0;
  #isProbing = false;
  #openedMs = 0;
  #failuresMs: number[] = [];
  #next = 0;

  constructor(
    private readonly options: Required<CircuitBreakerOptions>,
    private readonly clock: Clock,
  ) {}

  /** The caller must call `report` once, at least with `abandoned`. It then gets the new state, if that has changed. */
  enter() {
    const change = this.state === "open" ? this.#change("half-open") : undefined;
    this.#isProbing = this.state === "half-open";
    const generation = this.#generation;
    let hasReported = false;
    const report = (verdict: CallVerdict): CircuitState | undefined => {
      if (hasReported || generation !== this.#generation) return undefined;
      hasReported = true;
      return this.#judge(verdict);
    };
    return { change, report };
  }

  /** Time until a test call; undefined if a call is allowed now; 0 while a test call runs, because it may end soon. */
  refusedForMs(): number | undefined {
    if (this.state === "half-open") return this.#isProbing ? 0 : undefined;
    if (this.state === "closed") return undefined;
    const nowMs = monotonicNow(this.clock);
    // If the clock was set back, the circuit counts as opened just now.
    this.#openedMs = Math.min(this.#openedMs, nowMs);
    const leftMs = this.#openedMs + this.options.resetAfterMs - nowMs;
    return leftMs > 0 ? leftMs : undefined;
  }

  #judge(verdict: CallVerdict): CircuitState | undefined {
    if (this.state === "half-open") {
      this.#isProbing = false;
      if (verdict === "abandoned") return undefined;
      return verdict === "succeeded" ? this.#change("closed") : this.#open();
    }
    return verdict === "failed" && this.#isOneTooMany() ? this.#open() : undefined;
  }

  #isOneTooMany(): boolean {
    const nowMs = monotonicNow(this.clock);
    this.#failuresMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.options.maxFailures;
    const oldestMs = this.#failuresMs[this.#next];
    return oldestMs !== undefined && Math.abs(nowMs - oldestMs) < this.options.windowMs;
  }

  #open(): CircuitState {
    this.#openedMs = monotonicNow(this.clock);
    this.#failuresMs = [];
    this.#next = 0;
    return this.#change("open");
  }

  #change(state: CircuitState): CircuitState {
    this.state = state;
    this.#generation++;
    return state;
  }
}
