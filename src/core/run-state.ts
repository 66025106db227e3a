import type { AgentErrorData } from "./errors.ts";
import type { AgentEvent, PendingItem } from "./events.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Plan } from "./plan.ts";
import type { ToolEffect } from "./tool.ts";

/** Where a run stands. */
export type RunStatus = "planning" | "running" | "completed" | "failed" | "cancelled" | "suspended" | "interrupted";

/** Where a step stands. */
export type StepStatus =
  | "pending"
  | "running"
  | "completed"
  | "failed"
  | "skipped"
  | "cancelled"
  | "interrupted"
  | "unknown";

/** What is known of a step. */
export interface StepState {
  readonly stepId: string;
  readonly tool: string;
  input: JsonObject;
  status: StepStatus;
  /** How often the tool was called. */
  attempts: number;
  output?: JsonValue;
  error?: AgentErrorData;
  effect?: ToolEffect;
  startedAt?: string;
  completedAt?: string;
  reasoning?: string;
}

/** What is known of a run: the fold of its recorded events. */
export interface RunState {
  readonly runId: string;
  status: RunStatus;
  /** The number of the event folded last. */
  sequence: number;
  request?: string;
  metadata: JsonObject;
  plan?: Plan;
  /** By step id, in plan order. */
  readonly steps: Map<string, StepState>;
  error?: AgentErrorData;
  pending?: readonly PendingItem[];
  createdAt: string;
  updatedAt: string;
}

/** The state of a run before its first event. */
export function initialRunState(runId: string): RunState {
  return { runId, status: "planning", sequence: 0, metadata: {}, steps: new Map(), createdAt: "", updatedAt: "" };
}

/**
 * Folds one recorded event into a run's state: the only place where it changes. The state is changed in place and
 * returned, so that a fold costs the same for the first and the ten-thousandth step.
 */
export function reduceRunState(state: RunState, event: AgentEvent): RunState {
  state.sequence = event.sequence;
  state.updatedAt = event.timestamp;
  state.status = runStatusAfter(event) ?? state.status;
  switch (event.type) {
    case "run-start":
      state.createdAt = event.timestamp;
      state.metadata = event.metadata;
      if (event.request !== undefined) state.request = event.request;
      if (event.plan !== undefined) adoptPlan(state, event.plan);
      break;
    case "plan-end":
      if (event.outcome.status === "completed") adoptPlan(state, event.outcome.plan);
      break;
    case "step-start":
    case "step-retry":
    case "step-skip":
    case "step-end": {
      const step = state.steps.get(event.stepId);
      if (step !== undefined) reduceStep(step, event);
      break;
    }
    case "run-suspend":
      state.pending = event.pending;
      break;
    case "run-end":
      if (event.outcome.status !== "completed") state.error = event.outcome.error;
      break;
    case "plan-start":
    case "step-progress":
    case "step-late":
      break;
    default:
      event satisfies never;
  }
  return state;
}

/** The status of a run after an event; undefined if the event does not change it. */
export function runStatusAfter(event: AgentEvent): RunStatus | undefined {
  switch (event.type) {
    case "run-start":
      return event.plan === undefined ? "planning" : "running";
    case "plan-end":
      return event.outcome.status === "completed" ? "running" : undefined;
    case "run-suspend":
      return "suspended";
    case "run-end":
      return event.outcome.status;
    default:
      return undefined;
  }
}

/** The state that a list of events leads to. */
export function foldEvents(runId: string, events: Iterable<AgentEvent>): RunState {
  const state = initialRunState(runId);
  for (const event of events) reduceRunState(state, event);
  return state;
}

function adoptPlan(state: RunState, plan: Plan): void {
  state.plan = plan;
  for (const { id: stepId, tool, input, reasoning } of plan.steps) {
    const step: StepState = { stepId, tool, input, status: "pending", attempts: 0 };
    if (reasoning !== undefined) step.reasoning = reasoning;
    state.steps.set(stepId, step);
  }
}

type StepEvent = Extract<AgentEvent, { type: "step-start" | "step-retry" | "step-skip" | "step-end" }>;

function reduceStep(step: StepState, event: StepEvent): void {
  switch (event.type) {
    case "step-start":
      step.status = "running";
      step.input = event.input as JsonObject;
      step.startedAt = event.timestamp;
      step.attempts = 1;
      if (event.effect !== undefined) step.effect = event.effect;
      break;
    case "step-retry":
      step.attempts = event.attempt + 1;
      break;
    case "step-skip":
      step.status = "skipped";
      break;
    case "step-end":
      step.status = event.outcome.status;
      step.attempts = event.attempts;
      step.completedAt = event.timestamp;
      if (event.outcome.status === "completed") step.output = event.outcome.output as JsonValue;
      else step.error = event.outcome.error;
      break;
    default:
      event satisfies never;
  }
}
