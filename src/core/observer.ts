import type { AgentEvent } from "./events.ts";

/**
 * A call that an {@link Observer} may set a context around: an execution of a run, a planning, an attempt to call a model, or
 * an attempt of a step.
 * @group Events
 */
export type ObservedCall =
  | {
      readonly type: "run";
      readonly runId: string;
      /** The trace context that was recorded by the execution before, if this one resumes the run. */
      readonly previousTraceparent?: string;
    }
  | {
      readonly type: "plan";
      readonly runId: string;
      readonly planner: string;
      /** The number of the replan of the run, from 1; absent for the first plan. */
      readonly replan?: number;
    }
  | { readonly type: "model"; readonly runId: string; readonly model: string; readonly attempt: number }
  | {
      readonly type: "attempt";
      readonly runId: string;
      readonly stepId: string;
      readonly iteration?: number;
      readonly tool: string;
      readonly attempt: number;
      /** It is an attempt to undo the step. */
      readonly undo?: true;
    };

/**
 * Watches an agent from the outside, for traces, metrics and logs. It cannot change a run: what its methods throw, and
 * what the promises they return reject with, goes to `onListenerError`, and nothing waits for those promises.
 *
 * {@includeCode ../../examples/26-observe.ts}
 * @group Events
 */
export interface Observer {
  /**
   * Receives every event, as `agent.subscribe` does. Sensitive values are hidden in it. If not even the first event of a
   * run can be recorded, there is only its `run-end`, with `recorded: false`, which listeners do not receive.
   */
  event?(event: AgentEvent): unknown;
  /**
   * Sets a context, such as that of `AsyncLocalStorage`, around a call: it must call `proceed` exactly once, before it
   * returns. The event that starts what is called has been emitted, except for `run` and for replans, which have none
   * before. If it throws or returns before it has called, the call is made outside; a second call does nothing.
   */
  within?(call: ObservedCall, proceed: () => void): unknown;
  /**
   * The W3C trace context that is active, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`: called within
   * `run`, and recorded with the run, so that the next execution can refer to this one. If several observers have this
   * method, only the first one is asked. An invalid trace context is not recorded.
   */
  traceparent?(): string | undefined;
}

interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header. The version `ff` and ids of zeros are invalid. */
const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

export function parseTraceparent(text: unknown): TraceParent | undefined {
  const [, traceId, spanId, flags] = (typeof text === "string" && form.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
