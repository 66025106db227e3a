import type { Abortable } from "../async/abort.ts";
import { type CallVerdict, CircuitBreaker, type CircuitState } from "../async/circuit-breaker.ts";
import type { Clock } from "../async/clock.ts";
import { RateLimit, Semaphore } from "../async/limits.ts";
import { circuitBreakerOptions } from "./define-tool.ts";
import { readOptions } from "./options.ts";
import type { ToolLimitOptions } from "./tool.ts";

/** A call that a {@link CallGate} let through. */
export interface Admission {
  /** The state of the circuit if letting this call through changed it. */
  readonly change: CircuitState | undefined;
  /** Gives the place back, the first time; returns the circuit's new state if the verdict changed it. */
  leave(verdict: CallVerdict): CircuitState | undefined;
}

/** The limits of a tool or a model: calls at a time, calls in a time, and a circuit breaker. */
export class CallGate {
  private readonly places: Semaphore | undefined;
  private readonly rate: RateLimit | undefined;
  private readonly breaker: CircuitBreaker | undefined;

  /** `isOpen` makes the error of a call that an open circuit refuses. */
  constructor(
    { concurrency, rateLimit, circuitBreaker }: ToolLimitOptions,
    clock: Clock,
    private readonly isOpen: (retryAfterMs: number) => Error,
  ) {
    if (concurrency !== undefined) this.places = new Semaphore(concurrency);
    if (rateLimit !== undefined) this.rate = new RateLimit(rateLimit, clock);
    if (circuitBreaker !== undefined) {
      this.breaker = new CircuitBreaker(readOptions(circuitBreakerOptions, circuitBreaker), clock);
    }
  }

  /** Returns true if an open circuit would refuse a call that comes so much later. */
  refusesIn(delayMs: number): boolean {
    return (this.breaker?.refusal()?.retryAfterMs ?? 0) > delayMs;
  }

  /**
   * Waits for a turn, unless the circuit is open, and then checks it again: a call that waited while it opened is
   * refused. Undefined if the signal aborted first. Rejects with the error of an open circuit.
   */
  async enter(signal: Abortable): Promise<Admission | undefined> {
    const refusal = this.breaker?.refusal();
    if (refusal !== undefined) throw this.isOpen(refusal.retryAfterMs);
    if ((await this.places?.acquire(signal)) === false) return undefined;
    try {
      const hasTurn = (await this.rate?.acquire(signal)) !== false && !signal.aborted;
      if (hasTurn) return this.admit();
    } catch (thrown) {
      this.places?.release();
      throw thrown;
    }
    this.places?.release();
    return undefined;
  }

  private admit(): Admission {
    const permit = this.breaker?.enter();
    if (permit?.allowed === false) throw this.isOpen(permit.retryAfterMs);
    let hasLeft = false;
    return {
      change: permit?.change,
      leave: (verdict) => {
        if (hasLeft) return undefined;
        hasLeft = true;
        this.places?.release();
        return permit?.report(verdict);
      },
    };
  }
}
