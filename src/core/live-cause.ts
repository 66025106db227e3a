import type { ErrorData } from "./error-data.ts";
import type { AgentEvent } from "./events.ts";

/**
 * The values thrown in this process, by the error data that describes them. A run keeps them while it is running: its
 * state and its store contain only data.
 */
export type LiveCauses = WeakMap<ErrorData, unknown>;

/**
 * Error data with the thrown value as a `cause` that is not enumerable, so that no copy and no JSON has it;
 * `JSON.stringify` sees the recorded cause instead. `original` is the data that this data was copied from.
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

/** The data that {@link withLiveCause} was given, if a value is its result; else the value itself. */
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

/** An event as it is emitted in this process: its errors have the thrown value as their `cause`, if it is known. */
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
