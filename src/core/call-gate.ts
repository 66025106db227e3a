import type { Abortable } from "../async/abort.ts";
import {
  type CallVerdict,
  CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
} from "../async/circuit-breaker.ts";
import { type Clock, maxTimerMs } from "../async/clock.ts";
import { RateLimit, type RateLimitOptions, Semaphore } from "../async/limits.ts";
import type { RetryOptions } from "../async/retry.ts";
import { type OptionTable, readOptions } from "./option-tables.ts";
import type { ToolLimitOptions } from "./tool.ts";

export const retryOptions = {
  maxAttempts: { type: "integer", min: 1, max: 1_000, default: 3 },
  minDelayMs: { type: "duration", min: 0, default: 1_000 },
  maxDelayMs: { type: "duration", min: 0, default: 30_000 },
  factor: { type: "number", min: 1, default: 2 },
  maxTotalMs: { type: "duration", min: 0, default: Number.POSITIVE_INFINITY },
} satisfies OptionTable<RetryOptions>;

const circuitBreakerOptions = {
  maxFailures: { type: "integer", min: 1, max: 1_000_000, default: 5 },
  windowMs: { type: "duration", min: 1, default: 60_000 },
  resetAfterMs: { type: "number", min: 1, max: maxTimerMs, default: 30_000 },
} satisfies OptionTable<CircuitBreakerOptions>;

const rateLimitOptions = {
  limit: { type: "integer", min: 1, max: 1_000_000, isRequired: true },
  intervalMs: { type: "number", min: 1, max: maxTimerMs, isRequired: true },
} satisfies OptionTable<RateLimitOptions>;

export const callLimitOptions = {
  concurrency: { type: "integer", min: 1 },
  rateLimit: { options: rateLimitOptions },
  circuitBreaker: { options: circuitBreakerOptions },
} satisfies OptionTable<ToolLimitOptions>;

export interface Admission {
  readonly change: CircuitState | undefined;
  leave(verdict: CallVerdict): CircuitState | undefined;
}

export class CallGate {
  readonly #places: Semaphore | undefined;
  readonly #rate: RateLimit | undefined;
  readonly #breaker: CircuitBreaker | undefined;

  constructor(
    { concurrency, rateLimit, circuitBreaker }: ToolLimitOptions,
    clock: Clock,
    private readonly isOpen: (retryAfterMs: number) => Error,
  ) {
    if (concurrency !== undefined) this.#places = new Semaphore(concurrency);
    if (rateLimit !== undefined) this.#rate = new RateLimit(rateLimit, clock);
    if (circuitBreaker !== undefined) {
      this.#breaker = new CircuitBreaker(readOptions(circuitBreakerOptions, circuitBreaker), clock);
    }
  }

  refusesIn(delayMs: number): boolean {
    return (this.#breaker?.refusedForMs() ?? 0) > delayMs;
  }

  async enter(signal: Abortable): Promise<Admission | undefined> {
    this.#throwIfOpen();
    if ((await this.#places?.acquire(signal)) === false) return undefined;
    let admission: Admission | undefined;
    try {
      const hasTurn = (await this.#rate?.acquire(signal)) !== false && !signal.aborted;
      if (hasTurn) admission = this.#admit();
      return admission;
    } finally {
      if (admission === undefined) this.#places?.release();
    }
  }

  #throwIfOpen(): void {
    const refusedMs = this.#breaker?.refusedForMs();
    if (refusedMs !== undefined) throw this.isOpen(refusedMs);
  }

  #admit(): Admission {
    this.#throwIfOpen();
    const permit = this.#breaker?.enter();
    let hasLeft = false;
    return {
      change: permit?.change,
      leave: (verdict) => {
        if (hasLeft) return undefined;
        hasLeft = true;
        this.#places?.release();
        return permit?.report(verdict);
      },
    };
  }
}
