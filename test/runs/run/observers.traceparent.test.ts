import {
  type AgentEvent,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type ObservedCall,
  type Observer,
} from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const note = defineTool({
  name: "Note",
  description: "Takes a note",
  inputSchema: z.object({ title: z.string() }),
  effect: "idempotent",
  execute: () => "ok",
});
const plan = { steps: [{ id: "s1", tool: "Note" as const, input: { title: "milk" } }] };

describe("the trace context", () => {
  const trace = (id: number) => `00-${"a".repeat(32)}-${String(id).padStart(16, "0")}-01`;

  it("is recorded with a run and its resumes, and told to the next execution", async () => {
    const store = createMemoryRunStore();
    const calls: ObservedCall[] = [];
    let count = 0;
    const observer: Observer = {
      within: (call, proceed) => {
        calls.push(call);
        proceed();
      },
      traceparent: () => trace(++count),
    };
    const careful = { ...note, needsApproval: true };
    const agent = createAgent({ tools: [careful], store, observers: [observer] });
    const { runId, pending } = await agent.execute(plan);
    const [item] = pending ?? [];
    await agent.approve(runId, item as never).result;
    const events: AgentEvent[] = [];
    for await (const event of agent.events(runId)) events.push(event);
    const recorded = events.flatMap((event) => ("traceparent" in event ? [[event.type, event.traceparent]] : []));
    expect(recorded).toEqual([
      ["run-start", trace(1)],
      ["run-resume", trace(2)],
    ]);
    expect(calls.filter(({ type }) => type === "run")).toEqual([
      { type: "run", runId },
      { type: "run", runId, previousTraceparent: trace(1) },
    ]);
  });

  it.each([
    undefined,
    "",
    "none",
    trace(1).toUpperCase(),
    trace(1).replace("00-", "ff-"),
    trace(1).replaceAll("a", "0"),
    trace(0),
    7,
  ])("is left out if it is none: %s", async (text) => {
    const agent = createAgent({ tools: [note], observers: [{ traceparent: () => text as string }] });
    const { runId } = await agent.execute(plan);
    for await (const event of agent.events(runId)) expect(event).not.toHaveProperty("traceparent");
  });

  it("is asked of the first observer that has it", async () => {
    const asked: number[] = [];
    const asks = (id: number): Observer => ({
      traceparent: () => {
        asked.push(id);
        return id === 1 ? undefined : trace(id);
      },
    });
    const agent = createAgent({ tools: [note], observers: [asks(1), asks(2)] });
    const { runId } = await agent.execute(plan);
    expect(asked).toEqual([1]);
    for await (const event of agent.events(runId)) expect(event).not.toHaveProperty("traceparent");
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no trace");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no trace"))],
  ])("is left out and reported if its observer %s", async (_, traceparent) => {
    const reported: unknown[] = [];
    const agent = createAgent({
      tools: [note],
      observers: [{ traceparent } as Observer],
      onListenerError: (error, about) => reported.push([(error as Error).message, about]),
    });
    const { status } = await agent.execute(plan, { runId: "r1" });
    expect(status).toBe("completed");
    expect(reported).toEqual([["no trace", { type: "run", runId: "r1" }]]);
    for await (const event of agent.events("r1")) expect(event).not.toHaveProperty("traceparent");
  });
});
