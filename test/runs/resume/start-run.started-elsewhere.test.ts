import { type ApprovalItem, createAgent, createMemoryRunStore, defineTool, type RunStore } from "planwright";
import { createFakeTool, createManualClock, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { AnyPlan } from "../../../src/core/plan.ts";
import { answerLater } from "../../scenario/answer-later.ts";
import { createCounted, otherPlan, plan } from "../counted-tool.ts";

describe("starting a run that has started elsewhere and not ended", () => {
  async function beginElsewhere() {
    const counted = createCounted();
    await counted.agent.execute(plan, { runId: "r1" });
    const [start] = await counted.store.read("r1");
    if (start !== undefined) await counted.store.append("r2", [{ ...start, runId: "r2" }], { sequence: 1 });
    return counted;
  }

  it("is refused while another process executes it", async () => {
    const { agent, store, tool } = await beginElsewhere();
    await store.claim("r2", { owner: "another", ttlMs: 1_000 });
    await expect(agent.execute(plan, { runId: "r2" })).rejects.toMatchObject({ code: "run-owned-elsewhere" });
    expect(await agent.getRun("r2")).toMatchObject({ status: "running", steps: [{ status: "pending" }] });
    expect(tool.calls).toHaveLength(1);
  });

  it("is refused while another process has claimed it and recorded nothing", async () => {
    const { agent, store } = createCounted();
    await store.claim("r1", { owner: "another", ttlMs: 1_000 });
    await expect(agent.execute(plan, { runId: "r1" })).rejects.toMatchObject({ code: "run-owned-elsewhere" });
    expect(await store.read("r1")).toEqual([]);
  });

  it("resumes it once nobody else executes it, for all callers, and not with another plan", async () => {
    const { agent, tool } = await beginElsewhere();
    await expect(agent.execute(otherPlan, { runId: "r2" })).rejects.toMatchObject({ code: "run-conflict" });
    const handles = [agent.start(plan, { runId: "r2" }), agent.start(plan, { runId: "r2" })];
    for (const { result, events } of handles) {
      expect(await result).toMatchObject({ status: "completed", runId: "r2" });
      const types: string[] = [];
      for await (const { type } of events) types.push(type);
      expect(types).toEqual(["run-resume", "step-start", "step-end", "run-end"]);
    }
    expect(tool.calls).toHaveLength(2);
  });

  /** Lets the run of another process end between two calls of the store. */
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
    return { calls, end, other, started: () => expect.poll(() => calls).toHaveLength(1) };
  }

  it("returns its result and its events if it ends meanwhile; failed steps do not run again", async () => {
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

  it("is a conflict if it has another plan, even if that was not yet recorded at the first lookup", async () => {
    const { tool, store, create } = createCounted();
    const slow = Object.assign(Object.create(store) as RunStore, {
      async claim(...args: Parameters<RunStore["claim"]>) {
        await store.claim("r1", { owner: "theirs", ttlMs: 1_000 });
        try {
          return await store.claim(...args);
        } finally {
          await store.release("r1", { owner: "theirs", fence: 1 });
          await create().execute(otherPlan, { runId: "r1" });
        }
      },
    });
    const agent = createAgent({ tools: [tool], store: slow });
    await expect(agent.execute(plan, { runId: "r1" })).rejects.toMatchObject({ code: "run-conflict" });
    expect(tool.calls).toHaveLength(1);
  });

  it("returns the stored result to a process that slept with its lease until another finished the run", async () => {
    const { tool, store, create } = createCounted();
    const slow = Object.assign(Object.create(store) as RunStore, {
      async claim(...args: Parameters<RunStore["claim"]>) {
        const claim = await store.claim(...args);
        // It ends, and another process gets the run.
        await store.release("r1", { owner: args[1].owner, fence: claim.fence });
        await create().execute(plan, { runId: "r1" });
        return claim;
      },
    });
    const result = await createAgent({ tools: [tool], store: slow }).execute(plan, { runId: "r1" });
    expect(result).toMatchObject({ status: "completed" });
    expect(tool.calls).toHaveLength(1);
  });

  it("reports to each caller why it cannot resume", async () => {
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

  it("has ended when its agent is closed, and nothing continues after that", async () => {
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

  it("resumes it after it was interrupted, as the caller wants the result", async () => {
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

  it("costs the same for each of many callers while another process owns it", async () => {
    const { store, tool } = await beginElsewhere();
    await store.claim("r2", { owner: "another", ttlMs: 1_000 });
    let reads = 0;
    const counted = Object.assign(Object.create(store) as RunStore, {
      read: (...args: Parameters<RunStore["read"]>) => {
        reads++;
        return store.read(...args);
      },
    });
    const agent = createAgent({ tools: [tool], store: answerLater(counted) });
    const ended = await Promise.allSettled(Array.from({ length: 100 }, () => agent.execute(plan, { runId: "r2" })));
    expect(ended.every((one) => one.status === "rejected" && one.reason.code === "run-owned-elsewhere")).toBe(true);
    expect(reads).toBeLessThan(10);
  });

  it("gives up the lease of one execution before the next one is claimed", async () => {
    const { store } = createCounted();
    const slow = Object.assign(Object.create(store) as RunStore, {
      release: async (...args: Parameters<RunStore["release"]>) => {
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        return store.release(...args);
      },
    });
    const asking = { ...createFakeTool({ name: "A" }), needsApproval: () => true };
    const agent = createAgent({ tools: [asking], store: slow });
    const { result, pending } = await new Promise<{ result: Promise<unknown>; pending: unknown }>((resolve) => {
      const handle = agent.start(plan, { runId: "r1" });
      agent.on("run-suspend", (event) => resolve({ result: handle.result, pending: event.pending[0] }));
    });
    const going = agent.approve("r1", pending as ApprovalItem);
    await going.result;
    await result;
    await expect((async () => store.claim("r1", { owner: "another", ttlMs: 1 }))()).resolves.toEqual({ fence: 3 });
  });

  it("reports a joining caller's own misuse, and not the first caller's", async () => {
    for (const isStored of [true, false]) {
      const { agent, create } = createCounted();
      if (isStored) await create().execute(plan, { runId: "r1" });
      const bad = agent.start(plan, { runId: "r1", approvedHash: "0".repeat(64) });
      const good = agent.start(plan, { runId: "r1" });
      await expect(bad.result).rejects.toMatchObject({ code: "plan-not-approved" });
      expect(await good.result).toMatchObject({ status: "completed" });
    }
  });

  it("does not let callers who may not join it cancel or see it", async () => {
    const agent = createAgent({ tools: [createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }] })] });
    const first = agent.start(plan, { runId: "r1" });
    await expect.poll(async () => (await agent.getRun("r1"))?.steps[0]?.status).toBe("running");
    const refused = agent.start(plan, { runId: "r1", approvedHash: "0".repeat(64) });
    await expect(refused.result).rejects.toMatchObject({ code: "plan-not-approved" });
    refused.cancel("by one who was refused");
    await expect(refused.events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "plan-not-approved" });
    first.cancel("by its owner");
    expect(await first.result).toMatchObject({ status: "cancelled", error: { details: { reason: "by its owner" } } });
  });

  it("runs the plan as it was when it was passed, though it has to wait", async () => {
    const { agent } = createCounted();
    const looking = agent.resume("r2").catch(() => {});
    const given = { steps: [{ id: "s1", tool: "A" as const, input: { n: 1 } }] };
    const { result } = agent.start(given, { runId: "r2" });
    for (const { input } of given.steps) input.n = 2;
    expect((await result).steps).toMatchObject([{ input: { n: 1 } }]);
    await looking;
  });

  it("ends completed if all was done when its agent was closed", async () => {
    const { store, tool } = createCounted();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = Object.assign(Object.create(store) as RunStore, {
      append: async (...args: Parameters<RunStore["append"]>) => {
        if (args[1].some(({ type }) => type === "step-end")) await gate;
        return store.append(...args);
      },
    });
    const clock = createManualClock();
    const agent = createAgent({ tools: [tool], store: slow, clock });
    const { result } = agent.start(plan, { runId: "r1" });
    await expect.poll(() => tool.calls).toHaveLength(1);
    const closed = agent.close({ timeoutMs: 100 });
    await clock.advance(99);
    open();
    await closed;
    expect(await result).toMatchObject({ status: "completed" });
  });

  it("does not prevent an agent from closing if a schema never answers", async () => {
    let isStuck = false;
    const schema = z.looseObject({}).refine(async () => {
      if (isStuck) await new Promise(() => {});
      return true;
    });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const tool = defineTool({
      name: "A",
      description: "A",
      inputSchema: schema,
      effect: "idempotent",
      execute: () => gate,
    });
    const clock = createManualClock();
    const agent = createAgent({ tools: [tool], abortGraceMs: 5, clock });
    const first = agent.start(plan, { runId: "r1" });
    await expect.poll(async () => (await agent.getRun("r1"))?.steps[0]?.status).toBe("running");
    isStuck = true;
    agent.start(plan, { runId: "r1" });
    open();
    await first.result;
    const closed = agent.close({ timeoutMs: 0 });
    await clock.advance(10);
    await closed;
  });
});
