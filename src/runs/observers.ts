import { isThenable } from "../async/thenable.ts";
import type { ObservedCall, Observer } from "../core/observer.ts";
import { failOption } from "../core/options.ts";

/** Makes a call within the contexts that observers set, and returns what it returns. */
export type Within = <T>(call: ObservedCall, proceed: () => T) => T;

/** What observers add to the settings of an engine. */
export interface Observation {
  /** Undefined if no observer sets a context. */
  readonly within: Within | undefined;
  readonly traceparent: (() => string | undefined) | undefined;
}

type OnError = (error: unknown, about: ObservedCall) => void;

/** Checks the option `observers`. Throws `invalid-options`. */
export function readObservers(value: unknown, option: string): readonly Observer[] {
  if (!Array.isArray(value)) failOption(option, value, "a list of observers");
  for (const [index, observer] of value.entries()) {
    const methods = ["event", "within", "traceparent"].map(
      (name) => (observer as Partial<Record<string, unknown>>)?.[name],
    );
    const isValid = methods.every((method) => method === undefined || typeof method === "function");
    if (typeof observer !== "object" || observer === null || !isValid || methods.every((one) => one === undefined)) {
      failOption(
        `${option}.${index}`,
        observer,
        "an object with the methods event, within, traceparent, or some of them",
      );
    }
  }
  return Object.freeze([...value]);
}

/** What the observers do around calls. */
export function observationOf(observers: readonly Observer[], onError: OnError): Observation {
  const outer = observers.filter(({ within }) => within !== undefined);
  const tracer = observers.find(({ traceparent }) => traceparent !== undefined);
  return {
    within: outer.length === 0 ? undefined : (call, proceed) => callWithin(outer, { call, onError, index: 0 }, proceed),
    traceparent: tracer && (() => readTraceparent(tracer)),
  };
}

interface Around {
  readonly call: ObservedCall;
  readonly onError: OnError;
  /** Of the outermost observer that has not been asked. */
  readonly index: number;
}

/** Whatever an observer does, the call is made once, at once, and its result is what is returned. */
function callWithin<T>(observers: readonly Observer[], around: Around, proceed: () => T): T {
  const { call, onError, index } = around;
  const observer = observers[index];
  if (observer === undefined) return proceed();
  let made: { readonly value: T } | { readonly thrown: unknown } | undefined;
  const make = () => {
    if (made !== undefined) return report(onError, new Error(`An observer called twice within "${call.type}".`), call);
    // Until it returns, a second call is refused, too.
    made = { thrown: undefined };
    try {
      made = { value: callWithin(observers, { ...around, index: index + 1 }, proceed) };
    } catch (thrown) {
      made = { thrown };
    }
  };
  try {
    const answer = observer.within?.(call, make);
    if (isThenable(answer)) answer.then(undefined, (error: unknown) => report(onError, error, call));
    if (made === undefined) report(onError, new Error(`An observer did not call within "${call.type}".`), call);
  } catch (error) {
    report(onError, error, call);
  }
  if (made === undefined) make();
  const result = made as unknown as { readonly value: T } | { readonly thrown: unknown };
  if ("thrown" in result) throw result.thrown;
  return result.value;
}

function readTraceparent(observer: Observer): string | undefined {
  try {
    const text: unknown = observer.traceparent?.();
    return typeof text === "string" && traceparentForm.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace id, parent id, flags. */
const traceparentForm = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** The listener of errors may fail, too: there is nobody left to tell. */
function report(onError: OnError, error: unknown, call: ObservedCall): void {
  try {
    const answer: unknown = onError(error, call);
    if (isThenable(answer)) answer.then(undefined, () => {});
  } catch {}
}
