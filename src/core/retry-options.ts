/** How failed attempts are repeated. All fields are optional; a tool's fields win over the agent's. @group Agents */
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
