import { createAgent, type RunStore } from "planwright";
import { describe, expect, it } from "vitest";
import { answerLater } from "../../scenario/answer-later.ts";
import { createCounted, otherPlan as other, plan } from "../counted-tool.ts";

describe("a run id used twice", () => {
  it("with the same request returns the stored result; nothing runs again", async () => {
    const { agent, create, tool } = createCounted();
    const first = await agent.run("do it", { runId: "r1" });
    expect(await agent.run("do it", { runId: "r1" })).toEqual(first);
    expect(await create().run("do it", { runId: "r1" })).toEqual(first);
    expect(tool.calls).toHaveLength(1);
  });

  it("with a plan of the same hash returns the stored result and its events", async () => {
    const { agent, tool } = createCounted();
    const first = await agent.execute(plan, { runId: "r1" });
    const handle = agent.start({ ...plan, id: "another" }, { runId: "r1" });
    expect(await handle.result).toEqual(first);
    const types: string[] = [];
    for await (const event of handle.events) types.push(event.type);
    expect(types).toEqual(["run-start", "step-start", "step-end", "run-end"]);
    expect(tool.calls).toHaveLength(1);
  });

  it("joins the run while it is running", async () => {
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

  it("returns the stored result if another process was faster, from the beginning to the end", async () => {
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

  it("accepts the right plan, even if another caller passes a wrong one at the same time", async () => {
    const { tool, store } = createCounted();
    const first = await createAgent({ tools: [tool], store }).execute(plan, { runId: "r1" });
    const agent = createAgent({ tools: [tool], store: answerLater(store) });
    const [wrong, right] = [agent.start(other, { runId: "r1" }), agent.start(plan, { runId: "r1" })];
    await expect(wrong.result).rejects.toMatchObject({ code: "run-conflict" });
    expect(await right.result).toEqual(first);
  });

  it("shows the stored events to callers who join while the store is read", async () => {
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

  it("with another request shows nothing of the existing run", async () => {
    const { agent } = createCounted();
    await agent.execute(plan, { runId: "r1" });
    const { events, result } = agent.start("do it", { runId: "r1" });
    await expect(result).rejects.toMatchObject({ code: "run-conflict" });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "run-conflict" });
  });

  it("throws for each caller according to its own options", async () => {
    const { agent } = createCounted();
    const [first, second] = [false, true].map((throwOnFailure) => agent.start("", { runId: "r1", throwOnFailure }));
    expect(await first?.result).toMatchObject({ status: "failed" });
    await expect(second?.result).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("with the same request is the same run, even if the request is far too long", async () => {
    const { agent } = createCounted();
    const request = "x".repeat(300_000);
    for (let time = 0; time < 2; time++) {
      expect(await agent.run(request, { runId: "r1" })).toMatchObject({ error: { code: "invalid-request" } });
    }
  });

  it("runs the plan as it was when it was passed", async () => {
    const { agent } = createCounted();
    const given = { steps: [{ id: "s1", tool: "A" as const, input: { n: 1 } }] };
    const { result } = agent.start(given, { runId: "r1" });
    for (const { input } of given.steps) input.n = 2;
    expect((await result).steps).toMatchObject([{ input: { n: 1 } }]);
  });

  it("must be valid", async () => {
    const { agent } = createCounted();
    for (const runId of ["", "a b", "x".repeat(129), "ü", 5 as never]) {
      await expect(agent.execute(plan, { runId })).rejects.toMatchObject({
        code: "invalid-options",
        details: { option: "runId" },
      });
    }
  });
});
