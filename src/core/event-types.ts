import type { AgentEventType } from "./events.ts";
import { failOption } from "./options.ts";

/** Every event type. */
const eventTypes: Readonly<Record<AgentEventType, true>> = {
  "run-start": true,
  "plan-start": true,
  "model-start": true,
  "model-retry": true,
  "model-end": true,
  "plan-delta": true,
  "plan-fallback": true,
  "plan-end": true,
  "plan-revise": true,
  "step-start": true,
  "step-progress": true,
  "step-attempt": true,
  "step-retry": true,
  "step-end": true,
  "step-skip": true,
  "step-late": true,
  "approval-request": true,
  "approval-end": true,
  "circuit-change": true,
  "wait-start": true,
  "run-deliver": true,
  "undo-start": true,
  "undo-end": true,
  "run-suspend": true,
  "run-resume": true,
  "run-settle": true,
  "run-end": true,
};

/** Throws `invalid-options` for anything that is not an event type. */
export function checkEventType(type: unknown): asserts type is AgentEventType {
  if (typeof type === "string" && Object.hasOwn(eventTypes, type)) return;
  failOption("type", type, `the type of an event: ${Object.keys(eventTypes).join(", ")}`);
}

const transientTypes: ReadonlySet<AgentEventType> = new Set([
  "step-progress",
  "step-attempt",
  "step-late",
  "plan-delta",
  "model-start",
  "model-retry",
] as const);

/** Whether an event is only emitted, never recorded. */
export function isTransient({ type }: { readonly type: AgentEventType }): boolean {
  return transientTypes.has(type);
}

/** The types of events that state a digest, if the agent keeps evidence: those that open or close an execution of a run. */
type DigestedType = "run-suspend" | "run-resume" | "run-end";

/** Whether an event states a digest, if the agent keeps evidence. */
export function isDigested<T extends { readonly type: AgentEventType }>(
  event: T,
): event is T & { readonly type: DigestedType } {
  return event.type === "run-suspend" || event.type === "run-resume" || event.type === "run-end";
}
