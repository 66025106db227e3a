import { context, ProxyTracerProvider, type SpanContext, trace } from "@opentelemetry/api";
import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import { createTelemetry } from "planwright/otel";
import { expect, it } from "vitest";
import { z } from "zod/v4";
import { recordSpans } from "../../scenario/span-recorder.ts";

// Sets the global contexts.
recordSpans();

/** An agent whose tool tells which span is active. */
function newAgent() {
  const seen: (SpanContext | undefined)[] = [];
  const act = defineTool({
    name: "Act",
    description: "Acts",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: () => {
      seen.push(trace.getActiveSpan()?.spanContext());
      return "done";
    },
  });
  const observers = [createTelemetry({ tracerProvider: new ProxyTracerProvider() })];
  const store = createMemoryRunStore();
  return { agent: createAgent({ tools: [act], observers, store }), store, seen };
}

const plan = {
  steps: [
    { id: "s1", tool: "Act" as const, input: {} },
    { id: "s2", tool: "Act" as const, input: {} },
  ],
};

it("without an SDK, runs are as they are, without spans", async () => {
  const { agent, store, seen } = newAgent();
  expect(await agent.execute(plan, { runId: "r1" })).toMatchObject({ status: "completed" });
  expect(JSON.stringify(await store.read("r1"))).not.toContain("traceparent");
  expect(seen).toEqual([undefined, undefined]);
  expect(await agent.run("act")).toMatchObject({ status: "failed" });
});

it("without an SDK, the trace of the caller goes on", async () => {
  const { agent, seen } = newAgent();
  const caller = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
  const within = trace.setSpanContext(context.active(), caller);
  await context.with(within, () => agent.execute(plan));
  expect(seen).toEqual([caller, caller]);
});
