import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Span,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { RecentMap } from "../../async/recent-map.ts";
import type { ErrorData } from "../../core/error-data.ts";
import { type AgentEvent, type AgentEventOf, type EventHandlers, handleEvent } from "../../core/events.ts";
import { addTo } from "../../core/lists.ts";
import { type ObservedCall, parseTraceparent } from "../../core/observer.ts";
import { describeStepRef, type StepRef } from "../../core/step.ts";
import { attribute, splitModel, type TelemetryContent, toDataAttributes, toErrorAttributes } from "./attributes.ts";

interface SpanSettings {
  readonly tracer: Tracer;
  readonly name: string;
  readonly content: TelemetryContent;
  readonly traces: "linked" | "one";
}

type Started = { readonly span: Span; readonly context: Context };
const maxStarted = 10_000;

/** Finds parent spans by run id, not by the active context, as the end of another run may wake a step. */
export class Traces {
  readonly #runs = new Map<string, ExecutionSpans>();
  readonly #started = new RecentMap<Started>(maxStarted);

  constructor(private readonly settings: SpanSettings) {}

  within(call: ObservedCall, proceed: () => void): void {
    if (call.type === "run") {
      const started = this.#startExecution(call);
      const isObserved = !isNothing(started.span);
      if (isObserved) this.#started.set(call.runId, started);
      context.with(isObserved ? started.context : context.active(), proceed);
      return;
    }
    const spans = this.#runs.get(call.runId);
    // A replan starts without an event.
    if (spans !== undefined && call.type === "plan" && call.replan !== undefined) spans.startPlanning(call);
    if (spans === undefined) proceed();
    else context.with(spans.getContext(call), proceed);
  }

  traceparent(): string | undefined {
    const span = trace.getActiveSpan();
    if (span === undefined || isNothing(span)) return undefined;
    const { traceId, spanId, traceFlags } = span.spanContext();
    // https://www.w3.org/TR/trace-context/#traceparent-header
    return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
  }

  event(event: AgentEvent): void {
    const { runId, type } = event;
    const spans = this.#runs.get(runId) ?? this.#open(event);
    if (spans === undefined) return;
    const isOver = type === "run-end" || type === "run-suspend" || (type === "plan-end" && spans.root === undefined);
    try {
      handleEvent(spans.handlers, event);
    } finally {
      if (isOver) this.#runs.delete(runId);
    }
  }

  #open({ type, runId }: AgentEvent): ExecutionSpans | undefined {
    const isPlanning = type === "plan-start";
    // The end is the only event if the first one could not be recorded.
    if (!isPlanning && type !== "run-start" && type !== "run-resume" && type !== "run-end") return undefined;
    const started = isPlanning ? undefined : (this.#started.get(runId) ?? this.#startExecution({ runId }));
    if (started !== undefined) this.#started.delete(runId);
    if (started !== undefined && isNothing(started.span)) return undefined;
    const spans = new ExecutionSpans(this.settings, started?.context ?? context.active(), started?.span);
    this.#runs.set(runId, spans);
    return spans;
  }

  #startExecution({ runId, previousTraceparent }: { runId: string; previousTraceparent?: string }): Started {
    const { tracer, name, traces } = this.settings;
    const named = parseTraceparent(previousTraceparent);
    const previous = named && {
      traceId: named.traceId,
      spanId: named.spanId,
      traceFlags: named.flags & TraceFlags.SAMPLED,
      isRemote: true,
    };
    const active = context.active();
    const parent = traces === "one" && previous !== undefined ? trace.setSpanContext(active, previous) : active;
    const attributes = {
      [attribute.operation]: "invoke_agent",
      [attribute.agent]: name,
      [attribute.conversation]: runId,
      [attribute.kind]: "AGENT",
      [attribute.runId]: runId,
    };
    const links = previous !== undefined && parent === active ? [{ context: previous }] : [];
    const span = tracer.startSpan(`invoke_agent ${name}`, { attributes, links }, parent);
    return { span, context: trace.setSpan(active, span) };
  }
}

function isNothing(span: Span): boolean {
  return !isSpanContextValid(span.spanContext());
}

interface SpanEnd {
  readonly attributes?: Attributes;
  readonly error?: Pick<ErrorData, "name" | "message" | "code"> | undefined;
  readonly failed?: "model-failed";
}

const planKey = "plan";

class ExecutionSpans {
  readonly #open = new Map<string, Span[]>();

  constructor(
    private readonly settings: SpanSettings,
    private readonly context: Context,
    readonly root?: Span,
  ) {}

  readonly handlers: EventHandlers = {
    "run-start": ({ request, plan }) =>
      this.root?.setAttributes(toDataAttributes(this.settings.content, { input: request ?? plan?.steps })),
    "run-suspend": ({ pending }) =>
      this.#close({ attributes: { [attribute.runStatus]: "suspended", [attribute.pending]: pending.length } }),
    "run-end": ({ outcome }) => {
      const output = outcome.status === "completed" ? outcome.output : undefined;
      const data = toDataAttributes(this.settings.content, { output });
      this.#close({ attributes: { [attribute.runStatus]: outcome.status, ...data }, error: getFailure(outcome) });
    },
    "plan-start": (event) => this.startPlanning(event),
    "plan-fallback": ({ type, planner, next, error }) => {
      const named = { [attribute.planner]: planner, [attribute.next]: next };
      this.#get(planKey)?.addEvent(type, { ...named, ...toErrorAttributes(error) });
    },
    "plan-end": (event) => this.#endPlanning(event),
    "plan-revise": (event) => {
      if (this.#get(planKey) === undefined) this.startPlanning(event);
      this.#endPlanning(event);
    },
    "model-start": (event) => {
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
      this.#start(getModelKey(event), `chat ${model}`, attributes, planKey);
    },
    "model-retry": (event) => this.#get(planKey)?.addEvent(event.type, toRetryAttributes(event)),
    // Only a model's span has token counts, so that a sum over a trace counts each token once.
    "model-end": (event) => {
      const { inputTokens, outputTokens, cost } = event.usage;
      const attributes = {
        [attribute.inputTokens]: inputTokens,
        [attribute.outputTokens]: outputTokens,
        [attribute.promptTokens]: inputTokens,
        [attribute.completionTokens]: outputTokens,
        [attribute.totalTokens]: inputTokens + outputTokens,
        ...(cost !== undefined && { [attribute.cost]: cost }),
      };
      this.#end(getModelKey(event), { attributes, error: getFailure(event.outcome), failed: "model-failed" });
    },
    "step-start": (event) => {
      const span = this.#startTool(getStepKey(event), event, `execute_tool ${event.tool}`);
      if (!span.isRecording()) return;
      if (event.effect !== undefined) span.setAttribute(attribute.effect, event.effect);
      span.setAttributes(toDataAttributes(this.settings.content, { input: event.input, ofTool: true }));
    },
    "step-attempt": (event) => {
      const key = getStepKey(event, event.undo);
      this.#start(getAttemptKey(key), `attempt ${event.attempt}`, { [attribute.attempt]: event.attempt }, key);
    },
    "step-retry": (event) => {
      const key = getStepKey(event, event.undo);
      this.#end(getAttemptKey(key), { error: event.error });
      this.#get(key)?.addEvent(event.type, toRetryAttributes(event));
    },
    "step-end": (event) => {
      const { outcome, attempts } = event;
      const key = getStepKey(event);
      const span = this.#get(key);
      const error = getFailure(outcome);
      this.#end(getAttemptKey(key), { error });
      if (span?.isRecording()) {
        const output = outcome.status === "completed" ? outcome.output : undefined;
        const data = toDataAttributes(this.settings.content, { output, ofTool: true });
        span.setAttributes({ [attribute.attempts]: attempts, [attribute.stepStatus]: outcome.status, ...data });
      }
      this.#end(key, { error });
    },
    "step-skip": (event) =>
      this.root?.addEvent(event.type, { ...toStepAttributes(event), [attribute.reason]: event.reason }),
    "undo-start": (event) => void this.#startTool(getStepKey(event, true), event, `undo ${event.tool}`),
    "undo-end": (event) => {
      const { outcome, attempts } = event;
      const key = getStepKey(event, true);
      const attributes = { [attribute.attempts]: attempts, [attribute.stepStatus]: outcome.status };
      this.#end(getAttemptKey(key));
      this.#end(key, { attributes, error: getFailure(outcome) });
    },
    "approval-request": (event) =>
      this.root?.addEvent(event.type, event.kind === "step" ? toStepAttributes(event) : {}),
    "approval-end": (event) => {
      const step = event.kind === "step" ? toStepAttributes(event) : {};
      this.root?.addEvent(event.type, { ...step, [attribute.outcome]: event.outcome.status });
    },
    "circuit-change": ({ type, tool, state }) =>
      this.root?.addEvent(type, { [attribute.tool]: tool, [attribute.circuit]: state }),
  };

  startPlanning({ runId, planner, replan }: { runId: string; planner: string; replan?: number }): void {
    const { name } = this.settings;
    const attributes = {
      [attribute.operation]: "plan",
      [attribute.agent]: name,
      [attribute.conversation]: runId,
      [attribute.kind]: "AGENT",
      [attribute.planner]: planner,
      ...(replan !== undefined && { [attribute.replan]: replan }),
    };
    this.#start(planKey, `plan ${name}`, attributes);
  }

  #endPlanning({ outcome }: AgentEventOf<"plan-end" | "plan-revise">): void {
    if (outcome.status === "completed") {
      const { source, steps } = outcome.plan;
      const data = toDataAttributes(this.settings.content, { output: steps });
      this.#end(planKey, { attributes: { [attribute.planner]: source.planner, ...data } });
    } else this.#end(planKey, { error: getFailure(outcome) });
  }

  #startTool(key: string, event: AgentEventOf<"step-start" | "undo-start">, name: string): Span {
    const { runId, tool } = event;
    const sampled = { [attribute.operation]: "execute_tool", [attribute.kind]: "TOOL", [attribute.tool]: tool };
    const span = this.#start(key, name, sampled);
    if (!span.isRecording()) return span;
    const toolCall = `${runId}/${describeStepRef(event)}`;
    const names = { [attribute.toolType]: "function", [attribute.toolCall]: toolCall, [attribute.conversation]: runId };
    return span.setAttributes({ ...names, ...toStepAttributes(event) });
  }

  getContext(call: Exclude<ObservedCall, { type: "run" }>): Context {
    if (call.type === "plan") return this.#getKeyContext(planKey);
    if (call.type === "model") return this.#getKeyContext(getModelKey(call));
    const key = getStepKey(call, call.undo);
    return this.#getKeyContext(this.#get(getAttemptKey(key)) === undefined ? key : getAttemptKey(key));
  }

  #getKeyContext(key: string | undefined): Context {
    const span = key === undefined ? undefined : this.#get(key);
    return span === undefined ? this.context : trace.setSpan(this.context, span);
  }

  #get(key: string): Span | undefined {
    return this.#open.get(key)?.at(-1);
  }

  #start(key: string, name: string, attributes: Attributes, parent?: string): Span {
    const span = this.settings.tracer.startSpan(name, { attributes }, this.#getKeyContext(parent));
    addTo(this.#open, key, span);
    return span;
  }

  #end(key: string, end: SpanEnd = {}): void {
    const spans = this.#open.get(key);
    const span = spans?.shift();
    if (spans?.length === 0) this.#open.delete(key);
    if (span !== undefined) this.#endSpan(span, end);
  }

  #close(end: SpanEnd): void {
    for (const spans of this.#open.values()) for (const span of spans) span.end();
    this.#open.clear();
    if (this.root !== undefined) this.#endSpan(this.root, end);
  }

  #endSpan(span: Span, { attributes, error, failed }: SpanEnd): void {
    if (attributes !== undefined) span.setAttributes(attributes);
    if (error !== undefined) {
      span.setAttributes(toErrorAttributes(error, failed));
      // The message may quote the output of a tool.
      const message = this.settings.content === "all" ? { message: error.message } : {};
      span.setStatus({ code: SpanStatusCode.ERROR, ...message });
    }
    span.end();
  }
}

function getFailure(outcome: { readonly status: string; readonly error?: ErrorData }): ErrorData | undefined {
  return outcome.status === "failed" || outcome.status === "unknown" ? outcome.error : undefined;
}

function toStepAttributes({ stepId, iteration }: StepRef): Attributes {
  return { [attribute.stepId]: stepId, ...(iteration !== undefined && { [attribute.iteration]: iteration }) };
}

function toRetryAttributes({ type, attempt, delayMs, error }: AgentEventOf<"step-retry" | "model-retry">): Attributes {
  const failed = type === "model-retry" ? "model-failed" : "tool-failed";
  return { [attribute.attempt]: attempt, [attribute.delay]: delayMs, ...toErrorAttributes(error, failed) };
}

function getStepKey(ref: StepRef, undo?: boolean): string {
  return `${undo ? "undo" : "step"} ${describeStepRef(ref)}`;
}

function getAttemptKey(stepKey: string): string {
  return `${stepKey} attempt`;
}

function getModelKey({ model, attempt }: { readonly model: string; readonly attempt: number }): string {
  return `model ${attempt} ${model}`;
}
