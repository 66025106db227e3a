/** @module planwright/log */

import type { ErrorData } from "../../core/error-data.ts";
import { type AgentEvent, type AgentEventOf, type EventHandlers, handleEvent } from "../../core/events.ts";
import type { Observer } from "../../core/observer.ts";
import { checkOption } from "../../core/option-tables.ts";
import { isHold } from "../../core/run-summary.ts";
import { describeStepRef, type StepRef, stepRefOf } from "../../core/step.ts";

/** Method of a logger. @inline */
type Write = (...args: never[]) => unknown;

/** Logger for {@link createRunLog}: pino, bunyan, `console`, or any other logger with these methods. */
export interface RunLogger {
  /** Creates a logger that adds these fields to all its lines. Without this method, each line gets them. */
  child?(fields: object): RunLogger;
  /** Receives starts of planning, steps, later attempts and undo, and answers of models. */
  readonly debug: Write;
  /** Receives execution starts, completions, cancellations, decisions, planned skips, and circuits no longer open. */
  readonly info: Write;
  /** Receives retries, fallbacks, late answers, interruptions, waits, unplanned skips, and opened circuits. */
  readonly warn: Write;
  /** Receives failures and unknown outcomes. */
  readonly error: Write;
}

/**
 * Creates an observer that writes a line for most events, with `runId`. Lines about a step have `stepId`, `iteration`
 * and `tool`; those about an attempt or the end of a step have `attempt`, too. {@link RunLogger} lists the levels.
 * Inputs and outputs are not written. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/28-log.ts}
 */
export function createRunLog(logger: RunLogger): Required<Pick<Observer, "event">> {
  const methods = ["debug", "info", "warn", "error"] as const;
  checkOption({ methods, expected: "a logger", isRequired: true }, logger, "logger");
  const children = new Map<string, RunLogger>();
  const write = (runId: string, { level, message, fields }: Line): unknown => {
    if (logger.child === undefined)
      return (logger[level] as (...args: unknown[]) => unknown)(message, { runId, ...fields });
    const child = children.get(runId) ?? logger.child({ runId });
    children.set(runId, child);
    return (child[level] as (...args: unknown[]) => unknown)(fields, message);
  };
  return {
    event: (event) => {
      const line = handleEvent(lines, event);
      const fields = { ...getPlace(event), ...line?.fields };
      // If the logger rejects, the caller reports that.
      const written = line && write(event.runId, { ...line, fields });
      const isOver = event.type === "run-end" || event.type === "run-suspend" || event.type === "plan-end";
      if (isOver) children.delete(event.runId);
      return written;
    },
  };
}

type Level = Exclude<keyof RunLogger, "child">;

interface Line {
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const endings: Readonly<Record<string, readonly [Level, string]>> = {
  completed: ["info", "completed"],
  cancelled: ["info", "was cancelled"],
  interrupted: ["warn", "was interrupted"],
  failed: ["error", "failed"],
  unknown: ["error", "has an unknown outcome"],
  answer: ["info", "found the answer to a question"],
  decline: ["info", "found that a question was declined"],
};

type Outcome = { readonly status: string; readonly error?: ErrorData };

function toEndLine(subject: string, { status, error }: Outcome, fields: Line["fields"]): Line {
  const [level, what] = endings[status] ?? ["info", status];
  const errorFields = error === undefined ? {} : toErrorFields(error);
  return { level, message: `${subject} ${what}`, fields: { ...fields, status, ...errorFields } };
}

const line = (level: Level, message: string, fields: Line["fields"] = {}): Line => ({ level, message, fields });

const lines: EventHandlers<Line> = {
  "run-start": ({ tools }) => line("info", "run started", { tools: tools.length }),
  "run-resume": ({ retriesFailed }) => line("info", "run resumed", retriesFailed && { retriesFailed }),
  "run-suspend": ({ pending }) => {
    const reason = pending.find(isHold)?.reason;
    return line("warn", "run waits", { pending: pending.map(({ kind }) => kind), ...(reason && { reason }) });
  },
  "run-end": ({ outcome }) => toEndLine("run", outcome, {}),
  "run-settle": (event) => line("info", `${nameStep(event)} was settled`, { status: event.outcome.status }),
  "plan-start": ({ planner }) => line("debug", "planning started", { planner }),
  "plan-fallback": ({ planner, next, error }) =>
    line("warn", `${planner} made no plan; asking ${next}`, { planner, next, ...toErrorFields(error) }),
  "plan-end": ({ outcome, usage }) =>
    toEndLine("planning", outcome, {
      ...(outcome.status === "completed" && { planner: outcome.plan.source.planner, steps: outcome.plan.steps.length }),
      ...(usage && { usage }),
    }),
  "plan-revise": ({ outcome, planner, replan }) => toEndLine("replan", outcome, { planner, replan }),
  "model-retry": ({ model, attempt, delayMs, error }) =>
    line("warn", `retrying ${model}`, { model, attempt, delayMs, ...toErrorFields(error) }),
  "model-end": ({ model, attempt, durationMs, usage, outcome }) => {
    const line = toEndLine(model, outcome, { model, attempt, durationMs, usage });
    return line.level === "info" ? { ...line, level: "debug" } : line;
  },
  "step-start": (event) => line("debug", `${nameStep(event)} started`),
  "step-attempt": (event) => line("debug", `${nameStep(event)} is tried again`, { attempt: event.attempt }),
  "step-retry": (event) => {
    const { attempt, delayMs, error } = event;
    return line("warn", `${nameStep(event)} failed and is repeated`, { attempt, delayMs, ...toErrorFields(error) });
  },
  "step-skip": (event) => {
    const isPlanned = event.reason === "condition" || event.reason === "no-items";
    return line(isPlanned ? "info" : "warn", `${nameStep(event)} was skipped`, { reason: event.reason });
  },
  "step-end": (event) => toEndLine(nameStep(event), event.outcome, { attempt: event.attempts }),
  "step-late": (event) => line("warn", `${nameStep(event)} answered too late`, { attempt: event.attempt }),
  "undo-start": (event) => line("debug", `${nameStep(event)} is being undone`),
  "undo-end": (event) => toEndLine(`undoing ${nameStep(event)}`, event.outcome, { attempt: event.attempts }),
  "approval-request": (event) => line("warn", `${nameSubject(event)} needs approval`),
  "approval-end": (event) => {
    const { status } = event.outcome;
    const by = "by" in event.outcome ? { by: event.outcome.by } : {};
    return line("info", `the request to approve ${nameSubject(event)} was ${status}`, { status, ...by });
  },
  "circuit-change": ({ tool, state }) =>
    line(state === "open" ? "warn" : "info", `the circuit of ${tool} is ${state}`, { tool, state }),
};

function nameStep(ref: StepRef & { readonly undo?: true }): string {
  return `${ref.undo ? "undoing " : ""}step ${describeStepRef(ref)}`;
}

function nameSubject(event: AgentEventOf<"approval-request" | "approval-end">): string {
  return event.kind === "step" ? nameStep(event) : "the plan";
}

function getPlace(event: AgentEvent): Line["fields"] {
  if (!("stepId" in event) || event.stepId === undefined) return {};
  const { stepId, iteration, tool } = event as StepRef & { readonly tool?: string };
  return { ...stepRefOf({ stepId, iteration }), ...(tool !== undefined && { tool }) };
}

function toErrorFields({ name, code, message }: ErrorData): Line["fields"] {
  return { error: { name, ...(code !== undefined && { code }), message } };
}
