import type { ErrorData } from "../../core/error-data.ts";
import type { AgentEvent, AgentEventOf, AgentEventType } from "../../core/events.ts";
import { describeStepRef, type StepRef, stepRefOf } from "../../core/step.ts";

/** One line of a log. */
export interface Line {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

type Lines = { readonly [TType in AgentEventType]?: (event: AgentEventOf<TType>) => Line };

/** The line about an event; undefined if there is nothing to say. */
export function lineOf(event: AgentEvent): Line | undefined {
  return (lines[event.type] as ((event: AgentEvent) => Line) | undefined)?.(event);
}

type Level = Line["level"];

const ended: Readonly<Record<string, readonly [Level, string]>> = {
  completed: ["info", "completed"],
  cancelled: ["info", "was cancelled"],
  interrupted: ["warn", "was interrupted"],
  failed: ["error", "failed"],
  unknown: ["error", "has an unknown outcome"],
};

interface Outcome {
  readonly status: string;
  readonly error?: unknown;
}

function end(subject: string, outcome: Outcome, fields: Line["fields"]): Line {
  const [level, what] = ended[outcome.status] ?? ["info", outcome.status];
  const error = outcome.error === undefined ? {} : errorFields(outcome.error as ErrorData);
  return { level, message: `${subject} ${what}`, fields: { ...fields, status: outcome.status, ...error } };
}

const line = (level: Level, message: string, fields: Line["fields"] = {}): Line => ({ level, message, fields });

const lines: Lines = {
  "run-start": ({ tools }) => line("info", "run started", { tools: tools.length }),
  "run-resume": ({ retriesFailed }) => line("info", "run resumed", retriesFailed && { retriesFailed }),
  "run-suspend": ({ pending }) => line("warn", "run waits", { pending: pending.map(({ kind }) => kind) }),
  "run-end": ({ outcome }) => end("run", outcome, {}),
  "run-settle": (event) =>
    line("info", `${nameOf(event)} was settled`, { ...place(event), status: event.outcome.status }),
  "plan-start": ({ planner }) => line("debug", "planning started", { planner }),
  "plan-fallback": ({ planner, next, error }) =>
    line("warn", `${planner} made no plan; ${next} is asked`, { planner, next, ...errorFields(error) }),
  "plan-end": ({ outcome, usage }) =>
    end("planning", outcome, {
      ...(outcome.status === "completed" && { planner: outcome.plan.source.planner, steps: outcome.plan.steps.length }),
      ...(usage && { usage }),
    }),
  "plan-revise": ({ outcome, planner, replan }) => end("replan", outcome, { planner, replan }),
  "model-retry": ({ model, attempt, delayMs, error }) =>
    line("warn", `${model} is asked again`, { model, attempt, delayMs, ...errorFields(error) }),
  "model-end": ({ model, attempt, durationMs, usage, outcome }) => {
    const told = end(model, outcome, { model, attempt, durationMs, usage });
    return told.level === "info" ? { ...told, level: "debug" } : told;
  },
  "step-start": (event) => line("debug", `${nameOf(event)} started`, place(event)),
  "step-attempt": (event) =>
    line("debug", `${nameOf(event)} is tried again`, { ...place(event), attempt: event.attempt }),
  "step-retry": (event) => {
    const { attempt, delayMs, error } = event;
    return line("warn", `${nameOf(event)} failed and is repeated`, {
      ...place(event),
      attempt,
      delayMs,
      ...errorFields(error),
    });
  },
  "step-skip": (event) => {
    const isPlanned = event.reason === "condition" || event.reason === "no-items";
    return line(isPlanned ? "info" : "warn", `${nameOf(event)} was skipped`, { ...place(event), reason: event.reason });
  },
  "step-end": (event) => end(nameOf(event), event.outcome, { ...place(event), attempt: event.attempts }),
  "step-late": (event) =>
    line("warn", `${nameOf(event)} answered too late`, { ...place(event), attempt: event.attempt }),
  "undo-start": (event) => line("debug", `${nameOf(event)} is being undone`, place(event)),
  "undo-end": (event) => end(`undoing ${nameOf(event)}`, event.outcome, { ...place(event), attempt: event.attempts }),
  "approval-request": (event) =>
    event.kind === "step"
      ? line("warn", `${nameOf(event)} needs approval`, place(event))
      : line("warn", "the plan needs approval"),
  "approval-end": (event) => {
    const { status } = event.outcome;
    const by = "by" in event.outcome ? { by: event.outcome.by } : {};
    const subject = event.kind === "step" ? nameOf(event) : "the plan";
    return line("info", `${subject} was ${status}`, { ...(event.kind === "step" && place(event)), status, ...by });
  },
  "circuit-change": ({ tool, state }) =>
    line(state === "open" ? "warn" : "info", `the circuit of ${tool} is ${state}`, { tool, state }),
};

function nameOf(ref: StepRef): string {
  return `step ${describeStepRef(stepRefOf(ref))}`;
}

function place(event: StepRef & { readonly tool?: string }): Line["fields"] {
  return { ...stepRefOf(event), ...(event.tool !== undefined && { tool: event.tool }) };
}

function errorFields({ name, code, message }: ErrorData): Line["fields"] {
  return { error: { name, ...(code !== undefined && { code }), message } };
}
