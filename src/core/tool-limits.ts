import { maxDurationMs, type OptionTable } from "./options.ts";

/** How often a tool may be called, over all runs of an agent. */
export interface RateLimitOptions {
  /** The most calls that start within any `intervalMs`. At least 1. */
  readonly limit: number;
  /** At least 1. */
  readonly intervalMs: number;
}

/**
 * When calls of a tool that keeps failing are refused, over all runs of an agent. An error with `retryable: false` does
 * not count: the tool has answered.
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

/** The options of a `circuitBreaker`. */
export const circuitBreakerOptions = {
  maxFailures: { type: "integer", min: 1, max: 1_000_000, default: 5 },
  windowMs: { type: "duration", min: 1, default: 60_000 },
  resetAfterMs: { type: "number", min: 1, max: maxDurationMs, default: 30_000 },
} satisfies OptionTable<CircuitBreakerOptions>;

const rateLimitOptions = {
  limit: { type: "integer", min: 1, max: 1_000_000, isRequired: true },
  intervalMs: { type: "number", min: 1, max: maxDurationMs, isRequired: true },
} satisfies OptionTable<RateLimitOptions>;

/** The limits of a tool. */
export const toolLimits = {
  concurrency: { type: "integer", min: 1 },
  rateLimit: { options: rateLimitOptions },
  circuitBreaker: { options: circuitBreakerOptions },
} satisfies OptionTable<ToolLimitOptions>;
