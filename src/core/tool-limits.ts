import { checkDuration, checkKeys, checkNumber, maxDurationMs } from "./options.ts";

/** How often a tool may be called, over all runs of an agent. @inline */
export interface RateLimitOptions {
  /** The most calls that start within any `intervalMs`. At least 1. */
  readonly limit: number;
  /** At least 1. */
  readonly intervalMs: number;
}

/**
 * When calls of a tool that keeps failing are refused, over all runs of an agent. An error with `retryable: false` does
 * not count: the tool has answered.
 * @inline
 */
export interface CircuitBreakerOptions {
  /** How many calls fail within `windowMs` before the circuit opens. At least 1. @default 5 */
  readonly maxFailures?: number | undefined;
  /** At least 1. @default 60000 */
  readonly windowMs?: number | undefined;
  /** How long it stays open before one call is let through as a test. At least 1. @default 30000 */
  readonly resetAfterMs?: number | undefined;
}

/** What bounds the calls of a tool, over all runs of an agent. */
export interface ToolLimitOptions {
  /** The most calls at a time. At least 1. @default no limit */
  readonly concurrency?: number | undefined;
  /** @default no limit */
  readonly rateLimit?: RateLimitOptions | undefined;
  /** @default none */
  readonly circuitBreaker?: CircuitBreakerOptions | undefined;
}

/** Throws `invalid-options` for invalid limits. `option` names an option of the tool. */
export function checkToolLimits(
  option: (key: string) => string,
  { concurrency, rateLimit, circuitBreaker }: Record<keyof ToolLimitOptions, unknown>,
): void {
  checkNumber(option("concurrency"), concurrency, { min: 1, isInteger: true });
  if (rateLimit !== undefined) {
    checkKeys(option("rateLimit"), rateLimit, ["limit", "intervalMs"]);
    const { limit, intervalMs } = rateLimit as Partial<RateLimitOptions>;
    checkNumber(option("rateLimit.limit"), limit, { min: 1, max: 1_000_000, isInteger: true, isRequired: true });
    checkNumber(option("rateLimit.intervalMs"), intervalMs, { min: 1, max: maxDurationMs, isRequired: true });
  }
  if (circuitBreaker !== undefined) {
    checkKeys(option("circuitBreaker"), circuitBreaker, ["maxFailures", "windowMs", "resetAfterMs"]);
    const { maxFailures, windowMs, resetAfterMs } = circuitBreaker as CircuitBreakerOptions;
    checkNumber(option("circuitBreaker.maxFailures"), maxFailures, { min: 1, max: 1_000_000, isInteger: true });
    checkDuration(option("circuitBreaker.windowMs"), windowMs, { min: 1 });
    checkNumber(option("circuitBreaker.resetAfterMs"), resetAfterMs, { min: 1, max: maxDurationMs });
  }
}
