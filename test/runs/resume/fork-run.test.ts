import { type AgentEvent, createMemoryRunStore, type RunResult } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
import { exportRun, verifyRun } from "planwright/view";
import { describe, expect, it } from "vitest";
import { eventTexts } from "../../scenario/ask-for-approval.ts";
import { checkStartsAndEnds } from "../../scenario/check-starts-and-ends.ts";
import {
  agentOf,
  callsOf,
  numberOf,
  returning,
  threeSteps,
  threeTools,
  withSource,
} from "../../scenario/fork-source.ts";

describe("a fork", () => {
  it("keeps what has ended, and runs the rest with keys of its own", async () => {
    const { agent, store, tools } = await withSource();
    const before = await store.read("source");
    const after = await numberOf(store, "step-end s1");
    const handle = agent.fork("source", { after, runId: "fork" });
    const result = await handle.result;
    expect(result).toMatchObject({
      runId: "fork",
      status: "completed",
      output: 3,
      forkedFrom: { runId: "source", after },
    });
    expect(callsOf(tools)).toEqual([1, 2, 2]);
    expect(tools[1]?.calls[1]).toMatchObject({ input: { of: 1 }, context: { attempt: 1, idempotencyKey: "fork/s2" } });
    expect(await store.read("source")).toEqual(before);
    const events: AgentEvent[] = [];
    for await (const event of handle.events) events.push(event);
    expect(eventTexts(events)).toEqual([
      "run-resume",
      "step-start s2",
      "step-end s2",
      "step-start s3",
      "step-end s3",
      "run-end",
    ]);
    const recorded = await store.read("fork");
    expect(recorded.slice(after)).toEqual(events);
    checkStartsAndEnds(recorded);
    expect(await agent.getRun("fork")).toMatchObject({
      metadata: { for: "ann" },
      forkedFrom: { runId: "source", after },
    });
  });

  it("is listed as created when it was forked, and keeps the times of what it has taken over", async () => {
    const clock = createManualClock();
    const { agent, store } = await withSource({ clock });
    await clock.advance(3_600_000);
    await agent.fork("source", { after: await numberOf(store, "step-end s1"), runId: "fork" }).result;
    const { runs } = await agent.listRuns();
    expect(runs.map(({ runId }) => runId)).toEqual(["fork", "source"]);
    const [fork, source] = [await store.read("fork"), await store.read("source")];
    expect(fork[2]?.timestamp).toBe(source[2]?.timestamp);
    expect(Date.parse(fork[0]?.timestamp ?? "") - Date.parse(source[0]?.timestamp ?? "")).toBe(3_600_000);
  });

  it("of a whole run that has completed is a copy of it", async () => {
    const { agent, store, tools } = await withSource();
    const handle = agent.fork("source");
    const result = await handle.result;
    const { runId: _id, forkedFrom, createdAt: _at, ...rest } = result;
    const { runId: _sourceId, createdAt: _sourceAt, ...source } = (await agent.resume("source")) as RunResult;
    expect(rest).toEqual(source);
    expect(forkedFrom).toEqual({ runId: "source", after: (await store.read("source")).length });
    expect(handle.runId).toMatch(/^run_/);
    expect(callsOf(tools)).toEqual([1, 1, 1]);
  });

  it("of a run that has failed tries what failed again", async () => {
    const failing = createFakeTool({
      name: "B",
      outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }, { returns: 2 }],
    });
    const { agent, tools } = await withSource({}, [returning("A", { value: 1 }), failing, returning("C", 3)]);
    expect(await agent.getRun("source")).toMatchObject({ status: "failed" });
    const result = await agent.fork("source", { runId: "fork" }).result;
    expect(result).toMatchObject({ status: "completed", output: 3 });
    expect(callsOf(tools)).toEqual([1, 2, 1]);
    expect(await agent.getRun("source")).toMatchObject({ status: "failed" });
  });

  it("may be made of a run that is still running, and of a fork", async () => {
    const slow = createFakeTool({ name: "B", outcomes: [{ hangs: "until-aborted" }, { returns: 2 }] });
    const store = createMemoryRunStore();
    const agent = agentOf([returning("A", { value: 1 }), slow, returning("C", 3)], { store });
    const running = agent.start(threeSteps, { runId: "source" });
    for await (const event of running.events) if (event.type === "step-start" && event.stepId === "s2") break;
    const first = await agent.fork("source", { runId: "fork" }).result;
    expect(first).toMatchObject({ status: "completed", output: 3 });
    const after = await numberOf(store, "step-end s2", "fork");
    const second = await agent.fork("fork", { after: after + 2, runId: "fork2" }).result;
    expect(second).toMatchObject({ status: "completed", forkedFrom: { runId: "fork", after: after + 2 } });
    running.cancel();
    expect((await running.result).status).toBe("cancelled");
  });

  it("plans again where planning had not ended", async () => {
    const store = createMemoryRunStore();
    const planner = createScriptedPlanner([threeSteps, threeSteps]);
    const agent = agentOf(threeTools(), { store, planner });
    await agent.run("do it", { runId: "source" });
    const result = await agent.fork("source", { after: 2, runId: "fork" }).result;
    expect(result).toMatchObject({ status: "completed", request: "do it" });
    expect(eventTexts(await store.read("fork")).slice(0, 5)).toEqual([
      "run-start",
      "plan-start",
      "run-resume",
      "plan-end",
      "plan-start",
    ]);
  });
});

describe("a step that had started and not ended", () => {
  it("is called again, with the key of the fork", async () => {
    const { agent, store, tools } = await withSource();
    await agent.fork("source", { after: await numberOf(store, "step-start s2"), runId: "fork" }).result;
    expect(tools[1]?.calls[1]?.context).toMatchObject({ attempt: 2, idempotencyKey: "fork/s2" });
    const recorded = await store.read("fork");
    checkStartsAndEnds(recorded);
    expect(recorded.find((event) => event.type === "step-end" && event.stepId === "s2")).toMatchObject({
      outcome: { status: "interrupted", error: { message: expect.stringContaining("forked") } },
    });
  });

  it("is in doubt if it must run only once", async () => {
    const once = createFakeTool({ name: "B", effect: "once", outcomes: [{ returns: 2 }] });
    const { agent, store } = await withSource({}, [returning("A", { value: 1 }), once, returning("C", 3)]);
    const after = await numberOf(store, "step-start s2");
    const suspended = await agent.fork("source", { after, runId: "fork" }).result;
    expect(suspended).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "s2" }] });
    expect(once.calls).toHaveLength(1);
    const settled = await agent.settle("fork", "s2", { output: 2 }).result;
    expect(settled).toMatchObject({ status: "completed", output: 3 });
    expect(once.calls).toHaveLength(1);
  });
});

describe("undoing", () => {
  it("leaves alone what the other run has done", async () => {
    const undone: string[] = [];
    const undoable = (name: string, value: unknown) => ({
      ...returning(name, value),
      undo: async (_done: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
        undone.push(idempotencyKey);
      },
    });
    const tools = [
      undoable("A", { value: 1 }),
      undoable("B", 2),
      createFakeTool({ name: "C", outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }] }),
    ];
    const store = createMemoryRunStore();
    const agent = agentOf(tools, { store });
    await agent.execute(threeSteps, { runId: "source", undoOnFailure: true });
    undone.length = 0;
    const result = await agent.fork("source", { after: await numberOf(store, "step-end s1"), runId: "fork" }).result;
    expect(undone).toEqual(["fork/s2/undo"]);
    expect(result).toMatchObject({ status: "failed", notUndone: [{ stepId: "s1", tool: "A", reason: "forked" }] });
  });
});

describe("the id of a fork", () => {
  it("given again is the same fork", async () => {
    const { agent, store, tools } = await withSource();
    const after = await numberOf(store, "step-end s2");
    const results = await Promise.all([1, 2].map(() => agent.fork("source", { after, runId: "fork" }).result));
    results.push(await agent.fork("source", { runId: "fork" }).result);
    for (const result of results) expect(result).toMatchObject({ status: "completed", output: 3 });
    expect(callsOf(tools)).toEqual([1, 1, 2]);
  });

  it("is refused for anything else", async () => {
    const { agent, store } = await withSource();
    await agent.fork("source", { after: 3, runId: "fork" }).result;
    const before = await store.read("fork");
    for (const [from, options] of [
      ["source", { after: 4, runId: "fork" }],
      ["fork", { runId: "source" }],
      ["source", { runId: "source" }],
    ] as const) {
      await expect(agent.fork(from, options).result).rejects.toMatchObject({ code: "run-conflict" });
    }
    expect(await store.read("fork")).toEqual(before);
  });
});

describe("a fork that cannot be made", () => {
  it("stores nothing", async () => {
    const { agent, store } = await withSource();
    const refusal = (from: string, after: number) => agent.fork(from, { after, runId: "fork" }).result;
    await expect(refusal("nobody", 1)).rejects.toMatchObject({ code: "run-not-found", details: { runId: "nobody" } });
    await expect(refusal("source", 99)).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("at most 8, the number of the last event"),
    });
    const fewer = agentOf(threeTools().slice(0, 2), { store });
    await expect(fewer.fork("source", { after: 3, runId: "fork" }).result).rejects.toMatchObject({
      code: "resume-mismatch",
    });
    const changed = agentOf([...threeTools().slice(0, 2), createFakeTool({ name: "C", effect: "once" })], { store });
    await expect(changed.fork("source", { after: 3, runId: "fork" }).result).rejects.toMatchObject({
      code: "resume-mismatch",
    });
    expect(await store.read("fork")).toEqual([]);
    expect(() => agent.fork("source", { after: 0 })).toThrow(expect.objectContaining({ code: "invalid-options" }));
    expect(() => agent.fork("source", { runId: "a b" })).toThrow(expect.objectContaining({ code: "invalid-options" }));
    expect(() => agent.fork("")).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});

describe("the evidence of a fork", () => {
  it("covers what it has taken over", async () => {
    const { agent, store } = await withSource({ evidence: true });
    await agent.fork("source", { after: 4, runId: "fork" }).result;
    const exported = await exportRun({ store, runId: "fork" });
    const { length } = exported.events;
    expect(await verifyRun(exported)).toEqual({ status: "unsigned", recordedTo: length });
    const changed = exported.events.with(3, { ...exported.events[3], output: 7 } as unknown as AgentEvent);
    expect(await verifyRun({ ...exported, events: changed })).toMatchObject({ status: "changed" });
  });
});

describe("at every event of a run", () => {
  it.each([
    ["in memory", () => createMemoryRunStore()],
    ["in a file", () => createSqliteRunStore({ path: ":memory:" })],
  ])("a fork %s ends as the run did, and calls only what had not ended", async (_where, createStore) => {
    const { agent, store, tools } = await withSource({ store: createStore() });
    const recorded = await store.read("source");
    for (let after = 1; after <= recorded.length; after++) {
      const before = callsOf(tools);
      const result = await agent.fork("source", { after, runId: `fork${after}` }).result;
      expect(result).toMatchObject({ status: "completed", output: 3 });
      const ended = new Set(eventTexts(recorded.slice(0, after)).filter((text) => text.startsWith("step-end")));
      const left = ["s1", "s2", "s3"].map((id) => Number(!ended.has(`step-end ${id}`)));
      expect(callsOf(tools).map((count, index) => count - (before[index] ?? 0))).toEqual(left);
    }
  });
});
