import { BasicTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { type ApprovalItem, createAgent, createMemoryRunStore, defineTool } from "planwright";
import { createTelemetry } from "planwright/otel";
import { expect, it } from "vitest";
import { z } from "zod/v4";

it("without a context manager, each execution has one span, and all end below it", async () => {
  const started: string[] = [];
  const ended: ReadableSpan[] = [];
  const processor = {
    onStart: ({ name }: { readonly name: string }) => void started.push(name),
    onEnd: (span: ReadableSpan) => void ended.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] });
  const act = defineTool({
    name: "Act",
    description: "Acts",
    inputSchema: z.object({}),
    effect: "idempotent",
    needsApproval: true,
    execute: () => 1,
  });
  const options = { tools: [act], observers: [createTelemetry({ tracerProvider })], store: createMemoryRunStore() };
  const agent = createAgent(options);
  const plan = { steps: [{ id: "a", tool: "Act" as const, input: {} }] };
  const asked = await Promise.all(["r1", "r2"].map((runId) => agent.execute(plan, { runId })));
  for (const { runId, pending = [] } of asked) await agent.approve(runId, pending[0] as ApprovalItem).result;
  await expect(agent.execute({ steps: [] }, { runId: "r1" })).rejects.toThrow();
  expect(ended.map(({ name }) => name).sort()).toEqual(started.sort());
  const roots = ended.filter(({ name }) => name === "invoke_agent planwright");
  expect(roots).toHaveLength(4);
  const ids = new Map(ended.map((span) => [span.spanContext().spanId, span]));
  for (const span of ended) {
    const parent = ids.get(span.parentSpanContext?.spanId ?? "");
    expect(parent?.name).toBe(roots.includes(span) ? undefined : "invoke_agent planwright");
  }
});
