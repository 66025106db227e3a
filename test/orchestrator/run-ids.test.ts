import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";
import { createScriptedPlanner } from "../../src/testing/scripted-planner.ts";
import { answerLater } from "../scenarios/run-scenario.ts";

const plan = { steps: [{ id: "s1", tool: "A", input: {} }] } as const;
const other = { steps: [{ id: "s1", tool: "A", input: { more: 1 } }] } as const;

function createCounted() {
  const tool = createFakeTool({ name: "A", outcomes: [{ returns: 1 }] });
  const store = createMemoryRunStore();
  const create = () => createAgent({ tools: [tool], store, planner: createScriptedPlanner([plan, plan, plan]) });
  return { tool, store, create, agent: create() };
}

describe("a run id given twice", () => {
  it("with the same request gives the stored result; nothing runs again", async () => {
    const { agent, create, tool } = createCounted();
    const first = await agent.run("do it", { runId: "r1" });
    expect(await agent.run("do it", { runId: "r1" })).toEqual(first);
    expect(await create().run("do it", { runId: "r1" })).toEqual(first);
    expect(tool.calls).toHaveLength(1);
  });

  it("with a plan of the same hash gives the stored result, and its events", async () => {
    const { agent, tool } = createCounted();
    const first = await agent.execute(plan, { runId: "r1" });
    const handle = agent.start({ ...plan, id: "another" }, { runId: "r1" });
    expect(await handle.result).toEqual(first);
    const types: string[] = [];
    for await (const event of handle.events) types.push(event.type);
    expect(types).toEqual(["run-start", "step-start", "step-end", "run-end"]);
    expect(tool.calls).toHaveLength(1);
  });

  it("while the run goes on joins it", async () => {
    const { agent, tool } = createCounted();
    const first = agent.start("do it", { runId: "r1" });
    const second = agent.start("do it", { runId: "r1" });
    expect(await second.result).toEqual(await first.result);
    for (const { events } of [first, second]) {
      const types: string[] = [];
      for await (const event of events) types.push(event.type);
      expect(types).toEqual(["run-start", "plan-start", "plan-end", "step-start", "step-end", "run-end"]);
    }
    expect(tool.calls).toHaveLength(1);
  });

  it("with another request or plan is a conflict, during the run and after it", async () => {
    const { agent } = createCounted();
    const running = agent.start(plan, { runId: "r1" });
    await expect(agent.start(other, { runId: "r1" }).result).rejects.toMatchObject({ code: "run-conflict" });
    await running.result;
    for (const target of [other, "do it"]) {
      await expect(agent.start(target, { runId: "r1" }).result).rejects.toMatchObject({
        code: "run-conflict",
        details: { runId: "r1" },
      });
    }
  });

  it("gives the stored result if another process was faster, from the beginning to the end", async () => {
    const { tool, store, create } = createCounted();
    for (const [runId, theirs] of [
      ["r1", plan],
      ["r2", other],
    ] as const) {
      const slow = Object.assign(Object.create(store) as RunStore, {
        async claim(...args: Parameters<RunStore["claim"]>) {
          await create().execute(theirs, { runId });
          return store.claim(...args);
        },
      });
      const sleeper = createAgent({ tools: [tool], store: slow });
      const handle = sleeper.start(plan, { runId });
      if (theirs === other) await expect(handle.result).rejects.toMatchObject({ code: "run-conflict" });
      else {
        expect(await handle.result).toEqual(await create().resume(runId));
        const types: string[] = [];
        for await (const { type } of handle.events) types.push(type);
        expect(types).toEqual(["run-start", "step-start", "step-end", "run-end"]);
      }
      await store.claim(runId, { owner: "another", ttlMs: 1 });
    }
    expect(tool.calls).toHaveLength(2);
  });

  it("shows the stored events to those who join while the store is asked", async () => {
    const { agent, store, tool } = createCounted();
    await agent.execute(plan, { runId: "r1" });
    const later = createAgent({ tools: [tool], store: answerLater(store) });
    for (const { events, result } of [later.start(plan, { runId: "r1" }), later.start(plan, { runId: "r1" })]) {
      const types: string[] = [];
      for await (const event of events) types.push(event.type);
      expect(types).toEqual(["run-start", "step-start", "step-end", "run-end"]);
      expect((await result).status).toBe("completed");
    }
    expect(tool.calls).toHaveLength(1);
  });

  it("does not skip the checks of the plan and its approval", async () => {
    const { agent } = createCounted();
    await agent.execute(plan, { runId: "r1" });
    const approvedHash = "0".repeat(64);
    await expect(agent.execute(plan, { runId: "r1", approvedHash })).rejects.toMatchObject({
      code: "plan-not-approved",
    });
    for (const target of [{ ...plan, extra: 1 }, null, 5]) {
      await expect(agent.execute(target as never, { runId: "r1" })).rejects.toMatchObject({ code: "invalid-plan" });
    }
  });

  it("with another request shows nothing of the run there was", async () => {
    const { agent } = createCounted();
    await agent.execute(plan, { runId: "r1" });
    const { events, result } = agent.start("do it", { runId: "r1" });
    await expect(result).rejects.toMatchObject({ code: "run-conflict" });
    for await (const event of events) expect.unreachable(event.type);
  });

  it("throws for each caller as that one has asked", async () => {
    const { agent } = createCounted();
    const [first, second] = [false, true].map((throwOnFailure) => agent.start("", { runId: "r1", throwOnFailure }));
    expect(await first?.result).toMatchObject({ status: "failed" });
    await expect(second?.result).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("with the same request is the same run, also where the request is far too long", async () => {
    const { agent } = createCounted();
    const request = "x".repeat(300_000);
    for (let time = 0; time < 2; time++) {
      expect(await agent.run(request, { runId: "r1" })).toMatchObject({ error: { code: "invalid-request" } });
    }
  });

  it("runs the plan as it was when it was given", async () => {
    const { agent } = createCounted();
    const given = { steps: [{ id: "s1", tool: "A" as const, input: { n: 1 } }] };
    const { result } = agent.start(given, { runId: "r1" });
    for (const { input } of given.steps) input.n = 2;
    expect((await result).steps).toMatchObject([{ input: { n: 1 } }]);
  });

  describe("of a run that has begun elsewhere and not ended", () => {
    async function beginElsewhere() {
      const counted = createCounted();
      await counted.agent.execute(plan, { runId: "r1" });
      const [start] = await counted.store.read("r1");
      if (start !== undefined) await counted.store.append("r2", [{ ...start, runId: "r2" }], { sequence: 1 });
      return counted;
    }

    it("says so while that goes on with it", async () => {
      const { agent, store, tool } = await beginElsewhere();
      await store.claim("r2", { owner: "another", ttlMs: 1_000 });
      await expect(agent.execute(plan, { runId: "r2" })).rejects.toMatchObject({ code: "run-owned-elsewhere" });
      expect(await agent.getRun("r2")).toMatchObject({ status: "running", steps: [{ status: "pending" }] });
      expect(tool.calls).toHaveLength(1);
    });

    it("says so while that has claimed it, and recorded nothing", async () => {
      const { agent, store } = createCounted();
      await store.claim("r1", { owner: "another", ttlMs: 1_000 });
      await expect(agent.execute(plan, { runId: "r1" })).rejects.toMatchObject({ code: "run-owned-elsewhere" });
      expect(await store.read("r1")).toEqual([]);
    });

    it("goes on with it once nobody else does, for all who ask, and not with another plan", async () => {
      const { agent, tool } = await beginElsewhere();
      await expect(agent.execute(other, { runId: "r2" })).rejects.toMatchObject({ code: "run-conflict" });
      const handles = [agent.start(plan, { runId: "r2" }), agent.start(plan, { runId: "r2" })];
      for (const { result, events } of handles) {
        expect(await result).toMatchObject({ status: "completed", runId: "r2" });
        const types: string[] = [];
        for await (const { type } of events) types.push(type);
        expect(types).toEqual(["run-resume", "step-start", "step-end", "run-end"]);
      }
      expect(tool.calls).toHaveLength(2);
    });

    it("goes on with it after it was interrupted, as whoever asks wants the result", async () => {
      const { create, tool } = createCounted();
      const closed = create();
      const { result } = closed.start(plan, { runId: "r1" });
      await closed.close();
      expect((await result).status).toBe("interrupted");
      expect(await create().execute(plan, { runId: "r1", throwOnFailure: true })).toMatchObject({
        status: "completed",
      });
      expect(tool.calls).toHaveLength(1);
    });
  });

  it("must be a fit id", async () => {
    const { agent } = createCounted();
    for (const runId of ["", "a b", "x".repeat(129), "ü", 5 as never]) {
      await expect(agent.execute(plan, { runId })).rejects.toMatchObject({
        code: "invalid-options",
        details: { option: "runId" },
      });
    }
  });
});
