import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Span,
  type SpanContext,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import type { AgentEvent } from "../../core/events.ts";
import { type ObservedCall, parseTraceparent } from "../../core/observer.ts";
import { handle } from "./event-handlers.ts";
import { ExecutionSpans, type SpanSettings } from "./execution-spans.ts";
import { attribute } from "./names.ts";
import { keyOf, spanHandlers, startPlanning } from "./span-handlers.ts";

interface TraceSettings extends SpanSettings {
  readonly traces: "linked" | "one";
}

/** An execution whose span has started, and whose first event is about to come. */
interface Started {
  readonly runId: string;
  readonly span: Span;
  readonly context: Context;
}

const startedKey = createContextKey("planwright execution");

/** Makes spans of events. Parents are found by run id: what wakes a step may be the end of another run's. */
export class Traces {
  private readonly runs = new Map<string, ExecutionSpans>();

  constructor(private readonly settings: TraceSettings) {}

  within(call: ObservedCall, proceed: () => void): void {
    if (call.type === "run") {
      const started = this.startExecution(call);
      if (isNothing(started.span)) proceed();
      else context.with(started.context.setValue(startedKey, started), proceed);
      return;
    }
    const spans = this.runs.get(call.runId);
    // A replan has no event when it starts.
    if (spans !== undefined && call.type === "plan" && call.replan !== undefined) startPlanning(spans, call);
    if (spans === undefined) proceed();
    else context.with(spans.contextOf(keyOf(spans, call)), proceed);
  }

  traceparent(): string | undefined {
    const span = trace.getActiveSpan();
    return span === undefined || isNothing(span) ? undefined : toTraceparent(span);
  }

  event(event: AgentEvent): void {
    const { runId, type } = event;
    const spans = this.runs.get(runId) ?? this.open(event);
    if (spans === undefined) return;
    const isOver = type === "run-end" || type === "run-suspend" || (type === "plan-end" && spans.root === undefined);
    try {
      handle(spanHandlers, spans, event);
    } finally {
      if (isOver) this.runs.delete(runId);
    }
  }

  /** The spans of an execution that begins, or of a planning without a run. */
  private open({ type, runId }: AgentEvent): ExecutionSpans | undefined {
    let spans: ExecutionSpans;
    // A run whose first event could not be recorded has only its end.
    if (type === "run-start" || type === "run-resume" || type === "run-end") {
      const found = context.active().getValue(startedKey) as Started | undefined;
      const started = found?.runId === runId ? found : this.startExecution({ runId });
      if (isNothing(started.span)) return undefined;
      spans = new ExecutionSpans(this.settings, started.context, started.span);
    } else if (type === "plan-start") {
      spans = new ExecutionSpans(this.settings, context.active());
    } else {
      return undefined;
    }
    this.runs.set(runId, spans);
    return spans;
  }

  private startExecution({ runId, previousTraceparent }: { runId: string; previousTraceparent?: string }): Started {
    const { tracer, name, traces } = this.settings;
    const previous = fromTraceparent(previousTraceparent);
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
    return { runId, span, context: trace.setSpan(active, span) };
  }
}

/** Without an SDK, and without a caller's trace, no span is anything, and those below it need not be made. */
function isNothing(span: Span): boolean {
  return !isSpanContextValid(span.spanContext());
}

/** A span as [the header traceparent](https://www.w3.org/TR/trace-context/#traceparent-header) names it. */
function toTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
}

/** The span that a traceparent names; undefined for anything else. */
function fromTraceparent(text: string | undefined): SpanContext | undefined {
  const named = parseTraceparent(text);
  if (named === undefined) return undefined;
  const { traceId, spanId, flags } = named;
  return { traceId, spanId, traceFlags: flags & TraceFlags.SAMPLED, isRemote: true };
}
