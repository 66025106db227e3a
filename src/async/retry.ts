import { maxTimerMs } from "./clock.ts";
import { countPending } from "./pending-work.ts";

/**
 * How failed attempts are repeated. All fields are optional; a tool's fields win over the agent's.
 * @group Agents
 */
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

/** {@link RetryOptions} with all defaults. */
export type RetryPolicy = Required<RetryOptions>;

/** What {@link retryFailed} needs. A result is a success if `isFailure` returns false. */
export interface RetryFailedOptions<TResult> {
  readonly maxAttempts: number;
  readonly isFailure: (result: TResult) => boolean;
  /** Whether to try again. It waits out the delay itself. */
  readonly shouldRetry: (failure: TResult, attempt: number) => Promise<boolean>;
  /** Makes attempt number `attempt`, from 2. Must not reject. */
  readonly attempt: (attempt: number) => Promise<TResult>;
}

/**
 * Retries after a failed first attempt, through p-retry, and resolves to the last result.
 *
 * p-retry is loaded and called only now, as it costs more than most tools. Every failure is wrapped in one kind of
 * error, because p-retry does not retry a thrown string or TypeError. `shouldRetry` waits out the delays, because
 * p-retry's own are neither reported nor on our clock. p-retry gets no signal, as it would drop a value that arrives
 * while it aborts.
 */
export async function retryFailed<TResult>(first: TResult, options: RetryFailedOptions<TResult>): Promise<TResult> {
  const { maxAttempts, isFailure, shouldRetry, attempt } = options;
  const tryOnce = async (number: number) => {
    const result = number === 1 ? first : await attempt(number);
    if (isFailure(result)) throw new FailedAttempt(result);
    return result;
  };
  const { default: pRetry } = await countPending(import("p-retry"));
  try {
    return await pRetry(tryOnce, {
      retries: maxAttempts - 1,
      minTimeout: 0,
      shouldRetry: ({ error, attemptNumber }) => shouldRetry((error as FailedAttempt<TResult>).result, attemptNumber),
    });
  } catch (thrown) {
    if (thrown instanceof FailedAttempt) return thrown.result as TResult;
    throw thrown;
  }
}

class FailedAttempt<TResult> extends Error {
  constructor(readonly result: TResult) {
    super("attempt failed");
  }
}

/**
 * The delay after failed attempt number `attempt`: exponential, with "equal jitter", so between half and the whole of
 * `minDelayMs * factor ** (attempt - 1)`, in whole milliseconds.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelayMs(
  { minDelayMs, maxDelayMs, factor }: RetryPolicy,
  attempt: number,
  random: () => number,
): number {
  const longestMs = Math.min(maxDelayMs, maxTimerMs);
  const whole = minDelayMs === 0 ? 0 : Math.min(longestMs, minDelayMs * factor ** (attempt - 1));
  return Math.round(whole / 2 + (whole / 2) * random());
}
