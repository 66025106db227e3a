import { describe, expect, it, vi } from "vitest";
import { z } from "zod/v4";
import { createAgent } from "../../src/agent.ts";
import type { AnyPlan } from "../../src/core/plan.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import { defineTool } from "../../src/core/tool.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createFakeTool, type FakeOutcome } from "../../src/testing/fake-tool.ts";
import { answerLater } from "../scenarios/run-scenario.ts";
import { createCounted, otherPlan as other, plan } from "./counted-agent.ts";

describe("starting a run that has begun elsewhere and not ended", () => {
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

  /** As the run of another process goes on to its end between two questions to the store. */
  function endsMeanwhile(method: "read" | "claim", nth: number, end: () => Promise<unknown>) {
    return (store: RunStore) => {
      let asked = 0;
      const slow = async (...args: never[]) => {
        if (++asked === nth) await end();
        return (store[method] as (...all: never[]) => unknown).apply(store, args);
      };
      return Object.assign(Object.create(store) as RunStore, { [method]: slow });
    };
  }

  function setUpRace(outcome: FakeOutcome, theirs: AnyPlan, runId = "r1") {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const calls: string[] = [];
    const tool = defineTool({
      name: "A",
      description: "Waits, then does as the test says",
      inputSchema: z.looseObject({}),
      effect: "once",
      async execute(_input, { idempotencyKey }) {
        calls.push(idempotencyKey);
        await gate;
        if ("throws" in outcome) throw outcome.throws;
        return "theirs";
      },
    });
    const store = createMemoryRunStore();
    const first = createAgent({ tools: [tool], store });
    const handle = first.start(theirs, { runId });
    const end = async () => {
      open();
      await handle.result;
    };
    const other = (reach: (store: RunStore) => RunStore) => createAgent({ tools: [tool], store: reach(store) });
    return { calls, end, other, started: () => vi.waitFor(() => expect(calls).toHaveLength(1)) };
  }

  it("gives its result, and its events, if it ends meanwhile; what has failed does not run again", async () => {
    const declined = Object.assign(new Error("declined"), { retryable: false });
    for (const outcome of [{ returns: "theirs" }, { throws: declined }]) {
      for (const [method, nth] of [
        ["read", 2],
        ["claim", 1],
      ] as const) {
        const { calls, end, other: process, started } = setUpRace(outcome, plan);
        await started();
        const handle = process(endsMeanwhile(method, nth, end)).start(plan, { runId: "r1" });
        const { status } = await handle.result;
        expect(status).toBe("throws" in outcome ? "failed" : "completed");
        const types: string[] = [];
        for await (const { type } of handle.events) types.push(type);
        expect(types).toEqual(["run-start", "step-start", "step-end", "run-end"]);
        expect(calls).toEqual(["r1/s1"]);
      }
    }
  });

  it("is a conflict if that is of another plan, though it was not recorded yet when it was looked for", async () => {
    const { tool, store, create } = createCounted();
    const slow = Object.assign(Object.create(store) as RunStore, {
      async claim(...args: Parameters<RunStore["claim"]>) {
        await store.claim("r1", { owner: "theirs", ttlMs: 1_000 });
        try {
          return await store.claim(...args);
        } finally {
          await store.release("r1", { owner: "theirs", fence: 1 });
          await create().execute(other, { runId: "r1" });
        }
      },
    });
    const agent = createAgent({ tools: [tool], store: slow });
    await expect(agent.execute(plan, { runId: "r1" })).rejects.toMatchObject({ code: "run-conflict" });
    expect(tool.calls).toHaveLength(1);
  });

  it("gives the stored result to one that slept with its claim until another had done it all", async () => {
    const { tool, store, create } = createCounted();
    const slow = Object.assign(Object.create(store) as RunStore, {
      async claim(...args: Parameters<RunStore["claim"]>) {
        const claim = await store.claim(...args);
        // It ends, and another one gets the run.
        await store.release("r1", { owner: args[1].owner, fence: claim.fence });
        await create().execute(plan, { runId: "r1" });
        return claim;
      },
    });
    const result = await createAgent({ tools: [tool], store: slow }).execute(plan, { runId: "r1" });
    expect(result).toMatchObject({ status: "completed" });
    expect(tool.calls).toHaveLength(1);
  });

  it("tells each who asks why it can not go on", async () => {
    const { store } = await beginElsewhere();
    const once = createFakeTool({ name: "A", effect: "once" });
    for (const reach of [(one: RunStore) => one, answerLater]) {
      const agent = createAgent({ tools: [once], store: reach(store) });
      const results = [1, 2, 3].map(() => agent.execute(plan, { runId: "r2" }));
      for (const { status, ...rest } of await Promise.allSettled(results)) {
        expect(status).toBe("rejected");
        expect(rest).toMatchObject({ reason: { code: "resume-mismatch" } });
      }
    }
  });

  it("has ended when its agent is closed, and nothing of it goes on behind that", async () => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const { store, tool } = await beginElsewhere();
      let isClosed = false;
      const asked: string[] = [];
      const watched = Object.assign(Object.create(store) as RunStore, {
        claim: (...args: Parameters<RunStore["claim"]>) => {
          if (isClosed) asked.push("claim");
          return store.claim(...args);
        },
        append: (...args: Parameters<RunStore["append"]>) => {
          if (isClosed) asked.push("append");
          return store.append(...args);
        },
      });
      const agent = createAgent({ tools: [tool], store: answerLater(watched) });
      const starts = [1, 2].map(() => agent.execute(plan, { runId: "r2" }));
      const ended = Promise.allSettled(starts);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      await agent.close({ timeoutMs: 0 });
      isClosed = true;
      await ended;
      expect([ticks, asked]).toEqual([ticks, []]);
    }
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
