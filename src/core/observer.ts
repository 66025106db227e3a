import type { AgentEvent } from "./events.ts";
import type { StepRef } from "./step.ts";

/** A call around which an {@link Observer} may set a context. @group Events */
export type ObservedCall =
  | {
      readonly type: "run";
      readonly runId: string;
      /** Trace context recorded by the previous execution, if this one resumes the run. */
      readonly previousTraceparent?: string;
    }
  | {
      readonly type: "plan";
      readonly runId: string;
      readonly planner: string;
      /** Number of the replan in the run, from 1; absent for the first plan. */
      readonly replan?: number;
    }
  | { readonly type: "model"; readonly runId: string; readonly model: string; readonly attempt: number }
  | (StepRef & {
      readonly type: "attempt";
      readonly runId: string;
      readonly tool: string;
      readonly attempt: number;
      readonly undo?: true;
    });

/**
 * Observes an agent, for traces, metrics and logs. The agent does not wait for the observer, and passes its errors
 * to `onListenerError`. {@includeCode ../../examples/26-observe.ts} @group Events
 */
export interface Observer {
  /** Receives every event, with sensitive values hidden; also the `run-end` of a run that could not be recorded. */
  event?(event: AgentEvent): unknown;
  /** Sets a context, such as that of `AsyncLocalStorage`, around a call. Must call `proceed` before returning. */
  within?(call: ObservedCall, proceed: () => void): unknown;
  /** Returns the active W3C trace context, which is recorded with the run. Only the first observer with this method is called. */
  traceparent?(): string | undefined;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

export function parseTraceparent(text: unknown) {
  const [, traceId, spanId, flags] = (typeof text === "string" && form.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
