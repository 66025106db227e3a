import type { AgentEvent } from "./events.ts";
import type { StepRef } from "./step.ts";

/** A call that an {@link Observer} may set a context around. @group Events */
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
  | (StepRef & {
      readonly type: "attempt";
      readonly runId: string;
      readonly tool: string;
      readonly attempt: number;
      /** It is an attempt to undo the step. */
      readonly undo?: true;
    });

/**
 * Watches an agent, for traces, metrics and logs. It cannot change a run: what its methods throw or reject with goes to
 * `onListenerError`, and nothing waits for them. {@includeCode ../../examples/26-observe.ts} @group Events
 */
export interface Observer {
  /** Receives every event, with sensitive values hidden; also the `run-end` of a run of which nothing could be recorded. */
  event?(event: AgentEvent): unknown;
  /**
   * Sets a context, such as that of `AsyncLocalStorage`, around a call: it must call `proceed` exactly once, before it
   * returns. If it throws or returns before it has called, the call is made outside; a second call does nothing.
   */
  within?(call: ObservedCall, proceed: () => void): unknown;
  /**
   * The W3C trace context that is active: called within `run`, and recorded with the run, so that the next execution can
   * refer to this one. If several observers have this method, only the first one is asked.
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
