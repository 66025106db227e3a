import type { Attributes, Span } from "@opentelemetry/api";
import type { AgentEventOf } from "../../core/events.ts";
import type { ObservedCall } from "../../core/observer.ts";
import { describeStepRef, type StepRef, stepRefOf } from "../../core/step.ts";
import { inputAttributes, outputAttributes, toolCallAttributes } from "./content.ts";
import type { EventHandlers } from "./event-handlers.ts";
import type { ExecutionSpans } from "./execution-spans.ts";
import { attribute, splitModel } from "./names.ts";

const planKey = "plan";

/** What each event does to the spans of its execution. */
export const spanHandlers: EventHandlers<ExecutionSpans> = {
  "run-start": ({ root, settings }, { request, plan }) =>
    root?.setAttributes(inputAttributes(settings.content, request ?? plan?.steps)),
  "plan-start": startPlanning,
  "plan-fallback": (spans, { type, planner, next, error }) =>
    spans.get(planKey)?.addEvent(type, {
      [attribute.planner]: planner,
      [attribute.next]: next,
      [attribute.errorType]: error.code,
    }),
  "plan-end": endPlanning,
  "plan-revise": (spans, event) => {
    if (spans.get(planKey) === undefined) startPlanning(spans, event);
    endPlanning(spans, event);
  },
  "model-start": startModel,
  "model-retry": (spans, event) => spans.get(planKey)?.addEvent(event.type, retryAttributes(event)),
  "model-end": endModel,
  "step-start": startStep,
  "step-attempt": (spans, event) => {
    const key = keyOfStep(event, event.undo);
    const attributes = { [attribute.attempt]: event.attempt };
    spans.start(attemptKey(key), `attempt ${event.attempt}`, { parent: key, attributes });
  },
  "step-retry": (spans, event) => {
    const key = keyOfStep(event, event.undo);
    spans.end(attemptKey(key), { error: event.error });
    spans.get(key)?.addEvent(event.type, retryAttributes(event));
  },
  "step-end": endStep,
  "step-skip": ({ root }, event) =>
    root?.addEvent(event.type, { ...stepAttributes(event), [attribute.reason]: event.reason }),
  "undo-start": (spans, event) => void startTool(spans, keyOfStep(event, true), event, `undo ${event.tool}`),
  "undo-end": (spans, event) => {
    const { outcome, attempts } = event;
    const key = keyOfStep(event, true);
    const attributes = { [attribute.attempts]: attempts, [attribute.stepStatus]: outcome.status };
    spans.end(attemptKey(key));
    spans.end(key, { attributes, ...(outcome.status === "failed" && { error: outcome.error }) });
  },
  "approval-request": ({ root }, event) =>
    root?.addEvent(event.type, event.kind === "step" ? stepAttributes(event) : {}),
  "approval-end": ({ root }, event) =>
    root?.addEvent(event.type, {
      ...(event.kind === "step" && stepAttributes(event)),
      [attribute.outcome]: event.outcome.status,
    }),
  "circuit-change": ({ root }, { type, tool, state }) =>
    root?.addEvent(type, { [attribute.tool]: tool, [attribute.circuit]: state }),
  "run-suspend": (spans, { pending }) =>
    spans.close({ attributes: { [attribute.runStatus]: "suspended", [attribute.pending]: pending.length } }),
  "run-end": (spans, { outcome }) => {
    const output = outcome.status === "completed" ? outcome.output : undefined;
    const attributes = { [attribute.runStatus]: outcome.status, ...outputAttributes(spans.settings.content, output) };
    spans.close({ attributes, ...(outcome.status === "failed" && { error: outcome.error }) });
  },
};

/** The key of the span that is active within a call. */
export function keyOf(spans: ExecutionSpans, call: Exclude<ObservedCall, { type: "run" }>): string {
  if (call.type === "plan") return planKey;
  if (call.type === "model") return keyOfModel(call);
  const key = keyOfStep(call, call.undo);
  return spans.get(attemptKey(key)) === undefined ? key : attemptKey(key);
}

/** Starts the span of a planning, or of a replan. */
export function startPlanning(
  spans: ExecutionSpans,
  { runId, planner, replan }: { readonly runId: string; readonly planner: string; readonly replan?: number },
): void {
  const { name } = spans.settings;
  const attributes = {
    [attribute.operation]: "plan",
    [attribute.agent]: name,
    [attribute.conversation]: runId,
    [attribute.kind]: "AGENT",
    [attribute.planner]: planner,
    ...(replan !== undefined && { [attribute.replan]: replan }),
  };
  spans.start(planKey, `plan ${name}`, { attributes });
}

function endPlanning(spans: ExecutionSpans, { outcome }: AgentEventOf<"plan-end" | "plan-revise">): void {
  if (outcome.status !== "completed") {
    spans.end(planKey, outcome.status === "failed" ? { error: outcome.error } : {});
    return;
  }
  const { source, steps } = outcome.plan;
  const attributes = { [attribute.planner]: source.planner, ...outputAttributes(spans.settings.content, steps) };
  spans.end(planKey, { attributes });
}

function startModel(spans: ExecutionSpans, event: AgentEventOf<"model-start">): void {
  const { provider, model } = splitModel(event.model);
  const attributes = {
    [attribute.operation]: "chat",
    [attribute.provider]: provider,
    [attribute.requestModel]: model,
    [attribute.conversation]: event.runId,
    [attribute.kind]: "LLM",
    [attribute.model]: model,
    [attribute.attempt]: event.attempt,
  };
  spans.start(keyOfModel(event), `chat ${model}`, { parent: planKey, attributes });
}

/** Tokens stand on the span of the model's call alone: who adds up a trace counts them once. */
function endModel(spans: ExecutionSpans, event: AgentEventOf<"model-end">): void {
  const { usage, outcome } = event;
  const { inputTokens, outputTokens, cost } = usage;
  const attributes = {
    [attribute.inputTokens]: inputTokens,
    [attribute.outputTokens]: outputTokens,
    [attribute.promptTokens]: inputTokens,
    [attribute.completionTokens]: outputTokens,
    [attribute.totalTokens]: inputTokens + outputTokens,
    ...(cost !== undefined && { [attribute.cost]: cost }),
  };
  spans.end(keyOfModel(event), { attributes, ...(outcome.status === "failed" && { error: outcome.error }) });
}

function startStep(spans: ExecutionSpans, event: AgentEventOf<"step-start">): void {
  const span = startTool(spans, keyOfStep(event), event, `execute_tool ${event.tool}`);
  if (!span.isRecording()) return;
  if (event.effect !== undefined) span.setAttribute(attribute.effect, event.effect);
  if (spans.settings.content !== "none") {
    span.setAttributes(toolCallAttributes(spans.settings.content, { input: event.input }));
  }
}

function endStep(spans: ExecutionSpans, event: AgentEventOf<"step-end">): void {
  const { outcome, attempts } = event;
  const { content } = spans.settings;
  const key = keyOfStep(event);
  const span = spans.get(key);
  const hasFailed = outcome.status === "failed" || outcome.status === "unknown";
  const end = hasFailed ? { error: outcome.error } : {};
  spans.end(attemptKey(key), end);
  if (span?.isRecording()) {
    span.setAttribute(attribute.attempts, attempts);
    span.setAttribute(attribute.stepStatus, outcome.status);
    const output = outcome.status === "completed" ? outcome.output : undefined;
    if (content !== "none") span.setAttributes(toolCallAttributes(content, { output }));
  }
  spans.end(key, end);
}

type ToolEvent = AgentEventOf<"step-start" | "undo-start">;

/** Starts with what samplers decide by; the rest is for spans that are kept. */
function startTool(spans: ExecutionSpans, key: string, event: ToolEvent, name: string): Span {
  const attributes = {
    [attribute.operation]: "execute_tool",
    [attribute.kind]: "TOOL",
    [attribute.tool]: event.tool,
  };
  const span = spans.start(key, name, { attributes });
  if (!span.isRecording()) return span;
  span.setAttribute(attribute.toolType, "function");
  // The idempotency key that the tool gets.
  span.setAttribute(attribute.toolCall, `${event.runId}/${describeStepRef(stepRefOf(event))}`);
  span.setAttribute(attribute.conversation, event.runId);
  span.setAttribute(attribute.stepId, event.stepId);
  if (event.iteration !== undefined) span.setAttribute(attribute.iteration, event.iteration);
  return span;
}

function stepAttributes({ stepId, iteration }: StepRef): Attributes {
  return { [attribute.stepId]: stepId, ...(iteration !== undefined && { [attribute.iteration]: iteration }) };
}

function retryAttributes({ attempt, delayMs, error }: AgentEventOf<"step-retry" | "model-retry">): Attributes {
  const { code, name } = error;
  return { [attribute.attempt]: attempt, [attribute.delay]: delayMs, [attribute.errorType]: code ?? name };
}

function keyOfStep(ref: StepRef, undo?: boolean): string {
  return `${undo ? "undo" : "step"} ${describeStepRef(stepRefOf(ref))}`;
}

function attemptKey(stepKey: string): string {
  return `${stepKey} attempt`;
}

function keyOfModel({ model, attempt }: { readonly model: string; readonly attempt: number }): string {
  return `model ${attempt} ${model}`;
}
