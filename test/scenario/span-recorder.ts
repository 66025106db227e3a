import { context, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { AgentEvent, AgentEventType, Observer } from "planwright";
import { createTelemetry, type TelemetryOptions } from "planwright/otel";
import { expect } from "vitest";
import { keyOf } from "./check-starts-and-ends.ts";

/** An observer that keeps the spans that it makes. */
export interface SpanRecorder {
  readonly observer: Required<Observer>;
  /** In the order in which they started. */
  readonly spans: readonly ReadableSpan[];
  /** How many have not ended. */
  readonly openCount: number;
  /** A provider for spans of others. */
  readonly provider: BasicTracerProvider;
}

let hasContexts = false;

let idCount = 0;
const countedId = (length: number) => (++idCount).toString(16).padStart(length, "0");
/** What is recorded of a trace is the same in each run of a test. */
const idGenerator = { generateTraceId: () => countedId(32), generateSpanId: () => countedId(16) };

/** Creates a recorder of spans, with contexts that follow asynchronous calls. */
export function recordSpans(options: TelemetryOptions = {}): SpanRecorder {
  if (!hasContexts) context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  hasContexts = true;
  const spans: ReadableSpan[] = [];
  const open = new Set<unknown>();
  const processor: SpanProcessor = {
    onStart: (span) => {
      spans.push(span as unknown as ReadableSpan);
      open.add(span.spanContext().spanId);
    },
    onEnd: (span) => {
      expect(open.delete(span.spanContext().spanId), `${span.name} ended once`).toBe(true);
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const provider = new BasicTracerProvider({ spanProcessors: [processor], idGenerator });
  return {
    observer: createTelemetry({ tracerProvider: provider, ...options }),
    spans,
    provider,
    get openCount() {
      return open.size;
    },
  };
}

/** The spans as lines, each below its parent, with what matters of its attributes. */
export function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const ids = new Map(spans.map((span, index) => [span.spanContext().spanId, index]));
  const below = (parent: string | undefined): readonly string[] =>
    spans
      .filter(({ parentSpanContext: one }) => (one && ids.has(one.spanId) ? one.spanId : undefined) === parent)
      .flatMap((span) => [describeSpan(span, ids), ...below(span.spanContext().spanId).map((line) => `  ${line}`)]);
  return below(undefined);
}

function describeSpan(
  { name, attributes, status, events, links }: ReadableSpan,
  ids: ReadonlyMap<string, number>,
): string {
  const shown = Object.entries(attributes)
    .filter(([key]) => /^(error\.type|planwright\.(?!run\.id|planner$)|gen_ai\.usage|input|output)/.test(key))
    .map(([key, value]) => `${key.replace(/^planwright\./, "")}=${value}`);
  const told = events.map((event) => `${event.name}(${event.attributes?.["planwright.step.id"] ?? ""})`);
  const linked = links.map((link) => `-> span ${ids.get(link.context.spanId) ?? "elsewhere"}`);
  return [name, ...(status.code === SpanStatusCode.ERROR ? ["ERROR"] : []), ...shown, ...told, ...linked].join(" ");
}

/** The tree in short, for a snapshot: names, steps and how they ended. Equal neighbours are one line with their number. */
export function outlineOf(spans: readonly ReadableSpan[]): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const children = new Map<string | undefined, ReadableSpan[]>();
  for (const span of spans) {
    const parent = span.parentSpanContext?.spanId;
    const key = parent !== undefined && ids.has(parent) ? parent : undefined;
    children.set(key, [...(children.get(key) ?? []), span]);
  }
  const below = (parent: string | undefined, indent: string): string[] => {
    const trees: { readonly text: string; count: number }[] = [];
    for (const span of children.get(parent) ?? []) {
      const text = [indent + nameSpan(span), ...below(span.spanContext().spanId, `${indent}  `)].join("\n");
      const last = trees.at(-1);
      if (last?.text === text) last.count += 1;
      else trees.push({ text, count: 1 });
    }
    return trees.map(({ text, count }) => (count === 1 ? text : text.replace(/$/m, ` (${count} times)`)));
  };
  return below(undefined, "").join("\n");
}

function nameSpan({ name, attributes, status }: ReadableSpan): string {
  const { "planwright.step.id": stepId, "planwright.run.status": run, "planwright.step.status": step } = attributes;
  const error = status.code === SpanStatusCode.ERROR ? `ERROR ${attributes["error.type"]}` : undefined;
  return [name, stepId, run ?? step, error].filter((part) => part !== undefined).join(" ");
}

/** Checks that each start of a run has one span, which has ended, below that of its execution. */
export function checkSpans({ spans, openCount }: SpanRecorder, events: readonly AgentEvent[]): void {
  // The span of an execution that was refused before its first event is never exported.
  const isRefused = events.length === 0 && spans.every(({ name }) => name.startsWith("invoke_agent "));
  expect(isRefused ? 0 : openCount).toBe(0);
  if (isRefused) return;
  const count = (...types: AgentEventType[]) => events.filter(({ type }) => types.includes(type)).length;
  const named = (pattern: RegExp) => spans.filter(({ name }) => pattern.test(name));
  expect(named(/^invoke_agent /)).toHaveLength(count("run-start", "run-resume"));
  expect(named(/^plan /)).toHaveLength(count("plan-start", "plan-revise"));
  expect(named(/^chat /)).toHaveLength(count("model-start"));
  expect(named(/^execute_tool /)).toHaveLength(count("step-start"));
  expect(named(/^undo /)).toHaveLength(count("undo-start"));
  expect(named(/^attempt /)).toHaveLength(count("step-attempt"));
  const executions = new Set(named(/^invoke_agent /).map((span) => span.spanContext().spanId));
  for (const { parentSpanContext } of named(/^(execute_tool|undo) /)) {
    expect(executions.has(parentSpanContext?.spanId ?? "")).toBe(true);
  }
  // After a kill, the end of what the dead process had started has no span here.
  const started = new Set<string>();
  const failed = events.filter((event) => {
    if (event.type === "step-start") started.add(keyOf(event));
    if (event.type !== "step-end" || !started.delete(keyOf(event))) return false;
    return event.outcome.status === "failed" || event.outcome.status === "unknown";
  });
  expect(named(/^execute_tool /).filter(({ status }) => status.code === SpanStatusCode.ERROR)).toHaveLength(
    failed.length,
  );
  for (const span of spans) {
    if (!span.name.startsWith("chat ")) expect(Object.keys(span.attributes).join()).not.toMatch(/usage|token/);
  }
}
