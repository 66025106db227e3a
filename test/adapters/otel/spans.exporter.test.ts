import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import { createTelemetry, type TelemetryOptions } from "planwright/otel";
import { createFaultyRunStore } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod/v4";
import { recordSpans, treeOf } from "../../scenario/span-recorder.ts";

// Sets the global contexts.
recordSpans();

type Answer = Parameters<SpanExporter["export"]>[1];
type Down = (answer: Answer) => void;

/** How an exporter is down. */
const ways: readonly (readonly [string, Down])[] = [
  ["calls back with a failure", (answer) => answer({ code: 1, error: new Error("ECONNREFUSED") })],
  [
    "throws",
    () => {
      throw new Error("ECONNREFUSED");
    },
  ],
  ["hangs", () => {}],
];

const plan = {
  steps: [
    { id: "s1", tool: "Act" as const, input: {} },
    { id: "s2", tool: "Act" as const, input: {}, dependsOn: ["s1"] },
  ],
};

/** Runs with telemetry, and closes the agent; `during` is called in its tool. */
async function play(options: TelemetryOptions, during: () => void = () => {}) {
  const act = defineTool({
    name: "Act",
    description: "Acts",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: async () => {
      during();
      await new Promise((resolve) => setImmediate(resolve));
      return "done";
    },
  });
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const reported: unknown[] = [];
  const agent = createAgent({
    tools: [act],
    observers: [createTelemetry(options)],
    onListenerError: (error) => reported.push((error as Error).message),
  });
  const { status, output, steps } = await agent.execute(plan);
  await agent.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  return { ended: [status, output, ...steps.map((step) => step.status)], reported };
}

const asWithout = ["completed", "done", "completed", "completed"];

describe.each(ways)("an exporter that %s", (_, down) => {
  it.each<[string, (exporter: SpanExporter) => SpanProcessor]>([
    ["one by one", (exporter) => new SimpleSpanProcessor(exporter)],
    ["in batches", (exporter) => new BatchSpanProcessor(exporter, { maxExportBatchSize: 1 })],
  ])("gets spans %s, and changes neither a run nor how long an agent takes to close", async (_how, processorOf) => {
    const asked: Answer[] = [];
    let isUp = false;
    const exporter: SpanExporter = {
      export: (_spans, answer) => {
        asked.push(answer);
        if (isUp) answer({ code: 0 });
        else down(answer);
      },
      shutdown: async () => {},
    };
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [processorOf(exporter)] });
    expect(await play({ tracerProvider })).toEqual({ ended: asWithout, reported: [] });
    expect(asked.length).toBeGreaterThan(0);
    isUp = true;
    for (const answer of asked) answer({ code: 0 });
    await tracerProvider.shutdown();
  });

  it("gets metrics, and changes nothing either", async () => {
    const asked: Answer[] = [];
    let isUp = false;
    const exporter: PushMetricExporter = {
      export: (_metrics, answer) => {
        asked.push(answer);
        if (isUp) answer({ code: 0 });
        else down(answer);
      },
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    const reader = new PeriodicExportingMetricReader({ exporter });
    const meterProvider = new MeterProvider({ readers: [reader] });
    // As the timer of the reader would.
    const during = () => void reader.forceFlush().catch(() => {});
    expect(await play({ meterProvider }, during)).toEqual({ ended: asWithout, reported: [] });
    expect(asked.length).toBeGreaterThan(0);
    isUp = true;
    for (const answer of asked) answer({ code: 0 });
    await meterProvider.shutdown();
  });
});

it("a processor of spans that throws is reported, and changes nothing", async () => {
  const fail = () => {
    throw new Error("no processor");
  };
  const processor: SpanProcessor = {
    onStart: () => {},
    onEnd: fail,
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] });
  const { ended, reported } = await play({ tracerProvider });
  expect(ended).toEqual(asWithout);
  // Two steps and the run have ended.
  expect(reported).toEqual(["no processor", "no processor", "no processor"]);
});

it("a meter that throws is reported, and spans end nevertheless", async () => {
  const meterProvider = new MeterProvider();
  const meter = meterProvider.getMeter("broken");
  vi.spyOn(meter, "createHistogram").mockReturnValue({
    record: () => {
      throw new Error("no meter");
    },
  } as never);
  vi.spyOn(meterProvider, "getMeter").mockReturnValue(meter);
  const recorder = recordSpans();
  const { ended, reported } = await play({ meterProvider, tracerProvider: recorder.provider });
  expect(ended).toEqual(asWithout);
  expect(new Set(reported)).toEqual(new Set(["no meter"]));
  expect([recorder.spans.length, recorder.openCount]).toEqual([3, 0]);
});

it("a run whose first event cannot be recorded has a span, which ends as failed", async () => {
  const recorder = recordSpans();
  const store = createFaultyRunStore(createMemoryRunStore(), { failAppends: [1] });
  const act = defineTool({
    name: "Act",
    description: "Acts",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: () => "done",
  });
  const { status } = await createAgent({ tools: [act], store, observers: [recorder.observer] }).execute(plan);
  expect(status).toBe("failed");
  expect(treeOf(recorder.spans)).toEqual(["invoke_agent planwright ERROR run.status=failed error.type=store-failed"]);
  expect(recorder.openCount).toBe(0);
});
