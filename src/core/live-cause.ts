import type { ErrorData } from "./error-data.ts";
import type { AgentEvent } from "./events.ts";

/**
 * What was thrown in this process, by the error data that tells of it. A run holds it while it goes on: in its state, and in
 * what its store gets, there is data alone.
 */
export type LiveCauses = WeakMap<ErrorData, unknown>;

/**
 * Error data with what was thrown as a `cause` that is not enumerable, so that no copy and no JSON has it; `JSON.stringify`
 * sees the recorded cause instead. `original` is what the data was made from.
 */
export function withLiveCause<TError extends ErrorData>(
  data: TError,
  live: LiveCauses | undefined,
  original: ErrorData = data,
): TError {
  if (live?.has(original) !== true) return data;
  const { cause: recorded, ...rest } = data;
  const toJSON = function (this: object) {
    return recorded === undefined ? { ...this } : { ...this, cause: recorded };
  };
  const hidden = { writable: true, configurable: true };
  return Object.defineProperties(rest, {
    cause: { ...hidden, value: live.get(original) },
    toJSON: { ...hidden, value: toJSON },
  }) as TError;
}

/** What {@link withLiveCause} was given, where a value is what it gave; else the value itself. */
export function withoutLiveCause<T extends object>(value: T): T {
  const toJSON: unknown = Object.getOwnPropertyDescriptor(value, "toJSON")?.value;
  return typeof toJSON === "function" ? (toJSON.call(value) as T) : value;
}

/** Where an event may have error data. */
interface Failing {
  readonly error?: ErrorData;
  readonly cause?: ErrorData;
  readonly outcome?: { readonly error?: ErrorData };
  readonly pending?: readonly { readonly error?: ErrorData }[];
}

/** An event as it is told in this process: its errors have what was thrown as their `cause`, where that is known. */
export function withLiveCauses(event: AgentEvent, live: LiveCauses): AgentEvent {
  const { error, cause, outcome, pending } = event as Failing;
  const isLive = (data: ErrorData | undefined) => data !== undefined && live.has(data);
  const hasPending = pending?.some((item) => isLive(item.error)) === true;
  if (!isLive(error) && !isLive(cause) && !isLive(outcome?.error) && !hasPending) return event;
  const toTold = <T extends { readonly error?: ErrorData }>(part: T): T =>
    part.error === undefined ? part : Object.freeze({ ...part, error: Object.freeze(withLiveCause(part.error, live)) });
  return Object.freeze({
    ...toTold(event as AgentEvent & Failing),
    ...(cause && { cause: Object.freeze(withLiveCause(cause, live)) }),
    ...(outcome && { outcome: toTold(outcome) }),
    ...(pending && { pending: Object.freeze(pending.map(toTold)) }),
  }) as AgentEvent;
}
