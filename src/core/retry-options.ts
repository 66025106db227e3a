import type { OptionTable } from "./options.ts";

/** How failed attempts are repeated. All fields are optional; a tool's fields win over the agent's. */
export interface RetryOptions {
  /** How often a step is tried in all, the first try included. At least 1. @default 3 */
  readonly maxAttempts?: number | undefined;
  /** The delay before the second attempt, before jitter. @default 1000 */
  readonly minDelayMs?: number | undefined;
  /** The longest delay. @default 30000 */
  readonly maxDelayMs?: number | undefined;
  /** What the delay is multiplied by each time. At least 1. @default 2 */
  readonly factor?: number | undefined;
  /** No attempt starts later than this after the start of the first. @default Infinity */
  readonly maxTotalMs?: number | undefined;
}

/** The options of a retry policy, with the general defaults. */
export const retryOptions = {
  maxAttempts: { type: "integer", min: 1, max: 1_000, default: 3 },
  minDelayMs: { type: "duration", min: 0, default: 1_000 },
  maxDelayMs: { type: "duration", min: 0, default: 30_000 },
  factor: { type: "number", min: 1, default: 2 },
  maxTotalMs: { type: "duration", min: 0, default: Number.POSITIVE_INFINITY },
} satisfies OptionTable<RetryOptions>;
