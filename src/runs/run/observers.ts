import { isThenable } from "../../async/promises.ts";
import type { AgentEvent } from "../../core/events.ts";
import { type ObservedCall, type Observer, parseTraceparent } from "../../core/observer.ts";
import { failOption } from "../../core/option-tables.ts";

export interface Observation {
  readonly within: (<T>(call: ObservedCall, proceed: () => T) => T) | undefined;
  readonly traceparent: ((runId: string) => string | undefined) | undefined;
  readonly tellObservers: (event: AgentEvent) => void;
}

type OnError = (error: unknown, about: AgentEvent | ObservedCall) => void;

export function readObservers(value: unknown, option: string): readonly Observer[] {
  if (!Array.isArray(value)) failOption(option, value, "a list of observers");
  for (const [index, observer] of value.entries()) {
    const { event, within, traceparent } = (observer ?? {}) as Partial<Observer>;
    const methods: readonly unknown[] = [event, within, traceparent].filter((method) => method !== undefined);
    const expected = "an object with one or more of the methods event, within and traceparent";
    const isValid = methods.length > 0 && methods.every((method) => typeof method === "function");
    if (typeof observer !== "object" || !isValid) failOption(`${option}.${index}`, observer, expected);
  }
  return Object.freeze([...value]);
}

export function observationOf(observers: readonly Observer[], onError: OnError): Observation {
  const outer = observers.filter(({ within }) => within !== undefined);
  const tracer = observers.find(({ traceparent }) => traceparent !== undefined);
  return {
    within:
      outer.length === 0
        ? undefined
        : (call, proceed) => {
            // An observer must not change the call for the next one.
            Object.freeze(call);
            const report = (error: unknown) => onError(error, call);
            return outer.reduceRight((inner, observer) => () => callOnce(observer, { call, report }, inner), proceed)();
          },
    traceparent:
      tracer &&
      ((runId) => {
        const report = (error: unknown) => onError(error, { type: "run", runId });
        const text = answerOf(() => tracer.traceparent?.(), report);
        return parseTraceparent(text) && (text as string);
      }),
    tellObservers: (event) => {
      const report = (error: unknown) => onError(error, event);
      for (const observer of observers) answerOf(() => observer.event?.(event), report);
    },
  };
}

function callOnce<T>(
  observer: Observer,
  { call, report }: { readonly call: ObservedCall; readonly report: (error: unknown) => void },
  proceed: () => T,
): T {
  let made: { readonly value: T } | { readonly thrown: unknown } | undefined;
  const make = () => {
    if (made !== undefined) return report(new Error(`An observer ran the "${call.type}" call twice, or too late.`));
    made = { thrown: undefined };
    try {
      made = { value: proceed() };
    } catch (thrown) {
      made = { thrown };
    }
  };
  const ask = () => {
    const answer = observer.within?.(call, make);
    if (made === undefined) report(new Error(`An observer did not run the "${call.type}" call.`));
    return answer;
  };
  answerOf(ask, report);
  if (made === undefined) make();
  const result = made as unknown as { readonly value: T } | { readonly thrown: unknown };
  if ("thrown" in result) throw result.thrown;
  return result.value;
}

export function answerOf(ask: () => unknown, report: (error: unknown) => void): unknown {
  try {
    const answer = ask();
    if (isThenable(answer)) answer.then(undefined, report);
    return answer;
  } catch (error) {
    report(error);
    return undefined;
  }
}
