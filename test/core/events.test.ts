import { type AgentEvent, type AgentEventType, createAgent, createMemoryRunStore } from "planwright";
import { createFakeTool } from "planwright/testing";
import { expect, it } from "vitest";
import { formatVersion, isTransient } from "../../src/core/events.ts";
import { runStart } from "../../src/testing/conformance/run-store-conformance.ts";

it("only progress, attempts, late results and partial plans are transient", () => {
  const types: Record<AgentEventType, boolean> = {
    "run-start": false,
    "plan-start": false,
    "model-start": true,
    "model-retry": true,
    "model-end": false,
    "plan-delta": true,
    "plan-fallback": false,
    "plan-end": false,
    "step-start": false,
    "wait-start": false,
    "run-deliver": false,
    "step-progress": true,
    "step-attempt": true,
    "step-retry": false,
    "step-skip": false,
    "step-end": false,
    "step-late": true,
    "run-settle": false,
    "run-suspend": false,
    "run-resume": false,
    "plan-revise": false,
    "approval-request": false,
    "approval-end": false,
    "undo-start": false,
    "undo-end": false,
    "circuit-change": false,
    "run-end": false,
  };
  for (const [type, expected] of Object.entries(types))
    expect(isTransient({ type: type as AgentEventType })).toBe(expected);
});

it("a run in format 7, which has no questions, is read and resumed", async () => {
  const tools = [createFakeTool({ name: "Fake" })];
  const today = createMemoryRunStore();
  await createAgent({ tools, store: today }).execute({ steps: [{ id: "s1", tool: "Fake" }] }, { runId: "r" });
  const [start] = await today.read("r", { limit: 1 });
  const store = createMemoryRunStore();
  await store.append("r", [{ ...start, version: 7 } as AgentEvent], { sequence: 1 });
  const agent = createAgent({ tools, store });
  expect(await agent.getRun("r")).toMatchObject({ status: "running" });
  expect(await agent.resume("r")).toMatchObject({ status: "completed" });
  const [, resumed] = await store.read("r");
  expect(resumed).toMatchObject({ type: "run-resume", version: 8 });
});

it.each([
  ["a later format", formatVersion + 1, /format 9; expected format 7 or 8/],
  ["an earlier format", 3, /format 3; expected format 7 or 8/],
  ["no format", undefined, /no format; expected format 7 or 8/],
  ["a format that is no number", "7", /format "7"; expected format 7 or 8/],
])("a run in %s is refused by every method, and left unchanged", async (_name, version, message) => {
  const store = createMemoryRunStore();
  const events = [{ ...runStart("r", { request: "Do it" }), version } as AgentEvent];
  await store.append("r", events, { sequence: 1 });
  const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })], store });
  const refusal = {
    code: "store-failed",
    message: expect.stringMatching(message),
    details: { runId: "r", operation: "read", problem: "wrong-format" },
  };
  await expect(agent.getRun("r")).rejects.toMatchObject(refusal);
  await expect(agent.resume("r")).rejects.toMatchObject(refusal);
  await expect(agent.run("Do it", { runId: "r" })).rejects.toMatchObject(refusal);
  await expect(agent.resumeAll()).resolves.toMatchObject([{ runId: "r", error: refusal }]);
  expect((await agent.listRuns()).runs).toMatchObject([{ runId: "r", status: "planning" }]);
  expect(await store.read("r")).toEqual(events);
});
