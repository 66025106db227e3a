import {
  type AgentWarning,
  type ApprovalItem,
  createAgent,
  createMemoryRunStore,
  type JsonObject,
  type RunStore,
} from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import {
  createFakeTool,
  createFaultyRunStore,
  createManualClock,
  type FakeTool,
  type FaultyRunStore,
  type ManualClock,
} from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FakeToolOptions } from "../../../src/testing/fake-tool.ts";
import { answerLater } from "../../scenario/answer-later.ts";

const runId = "r";
const leaseMs = 900;

const stores = ["memory", "memory that answers later", "sqlite"] as const;

/** Tools by name. */
type Tools = Readonly<Record<string, Omit<FakeToolOptions, "name"> & { readonly needsApproval?: boolean }>>;

/** Processes that share a store and a clock. */
function setUp(kind: (typeof stores)[number]) {
  const clock = createManualClock();
  const now = () => clock.now();
  const sqlite = kind === "sqlite" ? createSqliteRunStore({ path: ":memory:", now }) : undefined;
  onTestFinished(() => sqlite?.close());
  const memory = sqlite ?? createMemoryRunStore({ now });
  const store = kind === "memory that answers later" ? answerLater(memory) : memory;
  const warnings: AgentWarning[] = [];
  const process = (tools: Tools, own: RunStore = store) =>
    createAgent({
      tools: Object.entries(tools).map(([name, options]) => createFakeTool({ ...options, name })),
      ...{ store: own, clock, leaseMs },
      onWarning: (warning) => warnings.push(warning),
    });
  const typesOf = async () => (await store.read(runId)).map(({ type }) => type);
  return { clock, store, process, warnings, typesOf, mortal: (): FaultyRunStore => createFaultyRunStore(store) };
}

const hanging: Tools = { Slow: { outcomes: [{ hangs: "until-aborted" }] }, Ask: { needsApproval: true } };
const both = {
  steps: [
    { id: "slow", tool: "Slow", input: {}, dependsOn: [] },
    { id: "ask", tool: "Ask", input: {}, dependsOn: [] },
  ],
};

/** The item that a run waits for in another process. */
async function questionIn(store: RunStore): Promise<ApprovalItem> {
  const request = (await store.read(runId)).find(({ type }) => type === "approval-request");
  return request as unknown as ApprovalItem;
}

/** A payment whose outcome is unknown, beside a step that lasts. */
const payAndWait = {
  steps: [
    { id: "pay", tool: "Pay", input: {}, dependsOn: [] },
    { id: "slow", tool: "Slow", input: {}, dependsOn: [] },
  ],
};

function payingTools(clock: ManualClock): Tools {
  return {
    Pay: { effect: "once", timeoutMs: 10, outcomes: [{ hangs: "until-aborted" }] },
    Slow: { outcomes: [{ afterMs: 2_000, returns: 1 }], clock },
  };
}

describe.each(stores)("a run that another process owns, with %s", (kind) => {
  it("is cancelled within a third of a lease, for the reason given", async () => {
    const { clock, process } = setUp(kind);
    const running = process(hanging).start({ steps: [{ id: "slow", tool: "Slow", input: {} }] }, { runId });
    await clock.advance(0);
    const cancelled = process({}).cancel(runId, "enough");
    await clock.advance(leaseMs / 3);
    expect(await running.result).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
    expect(await clock.runUntil(cancelled)).toMatchObject({
      status: "cancelled",
      error: { details: { reason: "enough" } },
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(["approve", "reject"] as const)(
    "takes a posted decision to %s a waiting step while its other steps run",
    async (verdict) => {
      const { clock, store, process, typesOf } = setUp(kind);
      const running = process(hanging).start(both, { runId, concurrency: 2 });
      await clock.advance(0);
      const item = await questionIn(store);
      const decided = process(hanging)[verdict](runId, item);
      await clock.advance(leaseMs / 3);
      expect((await typesOf()).filter((type) => type === "approval-end")).toEqual(["approval-end"]);
      running.cancel();
      const { status } = await clock.runUntil(running.result);
      expect((await clock.runUntil(decided.result)).status).toBe(status);
      const { posted = [] } = await store.claim(runId, { owner: "who looks", ttlMs: 1 });
      expect(posted).toEqual([]);
    },
  );

  it("resumes here with the posted message if the other process dies before it has recorded it", async () => {
    const { clock, store, process, mortal, typesOf } = setUp(kind);
    const first = mortal();
    process(hanging, first).start(both, { runId, concurrency: 2 });
    await clock.advance(0);
    const item = await questionIn(store);
    const approved = process({ Slow: {}, Ask: { needsApproval: true } }).approve(runId, item);
    await clock.advance(1);
    first.crash();
    expect(await clock.runUntil(approved.result)).toMatchObject({ status: "completed" });
    expect((await typesOf()).filter((type) => type === "approval-end")).toHaveLength(1);
  });

  it("is no longer waited for after a signal aborts, and still acts on what was posted", async () => {
    const { clock, store, process } = setUp(kind);
    const running = process(hanging).start(both, { runId, concurrency: 2 });
    await clock.advance(0);
    const waiting = new AbortController();
    const item = await questionIn(store);
    const decided = process(hanging).approve(runId, item, { signal: waiting.signal });
    await clock.advance(1);
    waiting.abort("gone home");
    await expect(clock.runUntil(decided.result)).rejects.toMatchObject({
      code: "cancelled",
      details: { reason: "gone home" },
    });
    await clock.advance(leaseMs / 3);
    expect((await store.read(runId)).map(({ type }) => type)).toContain("approval-end");
    running.cancel();
    await clock.runUntil(running.result);
  });

  it("is cancelled by the handle of a decision that was posted", async () => {
    const { clock, store, process } = setUp(kind);
    const running = process(hanging).start(both, { runId, concurrency: 2 });
    await clock.advance(0);
    const decided = process(hanging).approve(runId, await questionIn(store));
    await clock.advance(1);
    decided.cancel("changed my mind");
    const expected = { status: "cancelled", error: { details: { reason: "changed my mind" } } };
    expect(await clock.runUntil(running.result)).toMatchObject(expected);
    expect(await clock.runUntil(decided.result)).toMatchObject(expected);
  });

  it("is settled by its owner once the running steps have ended, whichever callers still wait", async () => {
    const { clock, process, typesOf } = setUp(kind);
    const tools = payingTools(clock);
    const running = process(tools).start(payAndWait, { runId, concurrency: 2 });
    await clock.advance(100);
    const other = process(tools);
    const settled = other.settle(runId, "pay", { output: "paid" });
    await clock.advance(1);
    await clock.runUntil(other.close());
    await expect(settled.result).rejects.toMatchObject({ code: "interrupted" });
    expect((await clock.runUntil(running.result)).status).toBe("suspended");
    await clock.advance(0);
    expect((await typesOf()).slice(-4)).toEqual(["run-suspend", "run-resume", "run-settle", "run-end"]);
    expect(await process(tools).getRun(runId)).toMatchObject({ status: "completed" });
  });

  it("takes a decision that was in time when it was posted", async () => {
    const { clock, store, process } = setUp(kind);
    const agent = (tools: Tools) =>
      createAgent({
        tools: Object.entries(tools).map(([name, options]) => createFakeTool({ ...options, name })),
        ...{ store, clock, leaseMs, approvalTtlMs: 100 },
      });
    const tools: Tools = { Slow: { outcomes: [{ afterMs: 2_000, returns: 1 }], clock }, Ask: { needsApproval: true } };
    const running = agent(tools).start(both, { runId, concurrency: 2 });
    await clock.advance(50);
    const approved = process(tools).approve(runId, await questionIn(store));
    expect((await clock.runUntil(running.result)).status).toBe("completed");
    expect((await clock.runUntil(approved.result)).status).toBe("completed");
  });

  it("reports the first of two conflicting decisions to whoever posted the second", async () => {
    const { clock, store, process, warnings } = setUp(kind);
    const tools: Tools = {
      Slow: { outcomes: [{ afterMs: 2_000, returns: 1 }], clock },
      Ask: { needsApproval: true },
    };
    const steps = [...both.steps, { id: "more", tool: "Ask", input: {}, dependsOn: [] }];
    const running = process(tools).start({ steps }, { runId, concurrency: 3 });
    await clock.advance(0);
    const item = await questionIn(store);
    const first = process(tools).approve(runId, item);
    await clock.advance(1);
    const second = process(tools).reject(runId, item);
    const refused = expect(clock.runUntil(second.result)).rejects.toMatchObject({ code: "run-conflict" });
    expect((await clock.runUntil(running.result)).status).toBe("suspended");
    expect((await clock.runUntil(first.result)).status).toBe("suspended");
    await refused;
    expect(warnings.map(({ code }) => code)).toEqual(["message-refused"]);
  });

  it("is settled once if two processes posted conflicting settlements", async () => {
    const { clock, process, warnings } = setUp(kind);
    const tools = payingTools(clock);
    const running = process(tools).start(payAndWait, { runId, concurrency: 2, onStepFailure: "continue" });
    await clock.advance(100);
    const first = process(tools).settle(runId, "pay", { output: "paid" });
    await clock.advance(1);
    const second = process(tools).settle(runId, "pay", { failed: "never paid" });
    const refused = expect(clock.runUntil(second.result)).rejects.toMatchObject({ code: "run-conflict" });
    await clock.runUntil(running.result);
    expect(await clock.runUntil(first.result)).toMatchObject({ status: "completed" });
    await refused;
    expect(warnings.map(({ code }) => code)).toEqual(["message-refused"]);
  });

  it("acts once on the same message posted twice", async () => {
    const { clock, store, process, typesOf, warnings } = setUp(kind);
    const running = process(hanging).start(both, { runId, concurrency: 2 });
    await clock.advance(0);
    const item = await questionIn(store);
    const handles = [process(hanging), process(hanging)].map((agent) => agent.approve(runId, item));
    await clock.advance(leaseMs / 3);
    running.cancel();
    await clock.runUntil(Promise.all(handles.map(({ result }) => result)));
    expect((await typesOf()).filter((type) => type === "approval-end")).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it("keeps no message that repeats a decision once it is suspended", async () => {
    const { clock, store, process, typesOf } = setUp(kind);
    const tools: Tools = {
      Slow: { outcomes: [{ returns: null, afterMs: 5_000 }], clock },
      Ask: { needsApproval: true },
    };
    const steps = [...both.steps, { id: "more", tool: "Ask", input: { more: true }, dependsOn: [] }];
    const running = process(tools).start({ steps }, { runId, concurrency: 3 });
    await clock.advance(0);
    const item = await questionIn(store);
    const handles = [process(tools), process(tools)].map((agent) => agent.approve(runId, item));
    expect((await clock.runUntil(running.result)).status).toBe("suspended");
    await clock.runUntil(Promise.all(handles.map(({ result }) => result)));
    expect((await store.list({ resumable: true })).runs).toEqual([]);
    expect((await typesOf()).filter((type) => type === "approval-end")).toHaveLength(1);
    expect(await typesOf()).not.toContain("run-resume");
  });

  it("resumes once in the process that posted twice, when the other one dies", async () => {
    const { clock, store, process, mortal, typesOf } = setUp(kind);
    const first = mortal();
    const slow = { outcomes: [{ returns: null, afterMs: 5_000 }], clock };
    const tools: Tools = { Slow: slow, Ask: { needsApproval: true } };
    const steps = [...both.steps, { id: "more", tool: "Ask", input: { more: true }, dependsOn: [] }];
    process(tools, first).start({ steps }, { runId, concurrency: 3 });
    await clock.advance(0);
    const items = (await store.read(runId)).filter(({ type }) => type === "approval-request");
    const other = process(tools);
    const decided = items.map((item) => other.approve(runId, item as unknown as ApprovalItem));
    await clock.advance(1);
    first.crash();
    for (const { result } of decided) expect(await clock.runUntil(result)).toMatchObject({ status: "completed" });
    expect(items).toHaveLength(2);
    expect(other.tools.map((tool) => (tool as FakeTool).calls.length)).toEqual([1, 2]);
    expect((await typesOf()).filter((type) => type === "run-resume")).toHaveLength(1);
  });

  it("does not keep a closed agent waiting", async () => {
    const { clock, store, process } = setUp(kind);
    const running = process(hanging).start(both, { runId, concurrency: 2 });
    await clock.advance(0);
    const other = process(hanging);
    const decided = other.approve(runId, await questionIn(store));
    await clock.advance(1);
    await clock.runUntil(other.close());
    await expect(decided.result).rejects.toMatchObject({ code: "interrupted" });
    running.cancel();
    await clock.runUntil(running.result);
  });

  it("refuses decisions that it does not wait for and invalid messages, with a warning", async () => {
    const { clock, store, process, warnings } = setUp(kind);
    const running = process(hanging).start(both, { runId, concurrency: 2 });
    await clock.advance(0);
    const junk: readonly JsonObject[] = [
      {},
      { type: "nope" },
      { type: "cancel", reason: 5 },
      { type: "decide", decision: null },
      { type: "decide", decision: { verdict: "maybe", hash: "", reason: "" } },
      { type: "decide", decision: { verdict: "approve", hash: 1, reason: "" } },
      { type: "decide", decision: { verdict: "approve", hash: "0", reason: "", place: { stepId: 1 } } },
      {
        type: "decide",
        decision: { verdict: "approve", hash: "0", reason: "", place: { stepId: "s", iteration: -1 } },
      },
      { type: "decide", decision: { verdict: "approve", hash: "0", reason: "", atMs: 0, place: { stepId: "ask" } } },
      { type: "decide", decision: { verdict: "approve", hash: "0", reason: "", place: { stepId: "ask" } } },
      { type: "settle", place: { stepId: "slow" }, outcome: { status: "odd" } },
      { type: "settle", place: { stepId: "slow" }, outcome: { status: "retry" } },
      { type: "settle", place: { stepId: "slow", iteration: 0 }, outcome: { status: "retry" } },
    ];
    for (const message of junk) await store.post(runId, message);
    await clock.advance(leaseMs);
    expect(warnings.map(({ code }) => code)).toEqual(junk.map(() => "message-refused"));
    expect((await store.read(runId)).map(({ type }) => type)).not.toContain("approval-end");
    running.cancel();
    await clock.runUntil(running.result);
  });
});

describe.each(stores)("a run that no process owns, with %s", (kind) => {
  it("is cancelled while it is suspended, even though its tools are gone", async () => {
    const { clock, process, typesOf } = setUp(kind);
    const first = await process(hanging).execute({ steps: [{ id: "ask", tool: "Ask", input: {} }] }, { runId });
    expect(first.status).toBe("suspended");
    const cancelled = await clock.runUntil(process({ Other: {} }).cancel(runId, "no longer needed"));
    expect(cancelled).toMatchObject({ status: "cancelled", error: { details: { reason: "no longer needed" } } });
    expect((await typesOf()).slice(-3)).toEqual(["run-resume", "step-skip", "run-end"]);
    const again = await process({ Other: {} }).cancel(runId, "twice");
    expect(again).toMatchObject({ status: "cancelled", error: { details: { reason: "no longer needed" } } });
  });

  it("is settled once with what was posted to a process that died", async () => {
    const { clock, store, process, mortal, typesOf } = setUp(kind);
    const once: Tools = { Pay: { effect: "once", outcomes: [{ hangs: "forever" }] } };
    const plan = { steps: [{ id: "pay", tool: "Pay", input: {} }] };
    const dead = mortal();
    process(once, dead).start(plan, { runId });
    await clock.advance(0);
    dead.crash();
    await clock.advance(leaseMs);
    const second = mortal();
    expect((await clock.runUntil(process(once, second).resume(runId))).status).toBe("suspended");
    await store.post(runId, { type: "settle", place: { stepId: "pay" }, outcome: { status: "retry" } });
    expect((await store.list({ resumable: true })).runs.map((run) => run.runId)).toEqual([runId]);
    const third = mortal();
    void process(once, third).resumeAll();
    await clock.advance(0);
    expect((await typesOf()).slice(-3)).toEqual(["run-resume", "run-settle", "step-start"]);
    third.crash();
    await clock.advance(leaseMs);
    const [resumed] = await clock.runUntil(process(once).resumeAll());
    expect(resumed?.result?.pending).toMatchObject([{ kind: "outcome", stepId: "pay" }]);
    expect((await typesOf()).filter((type) => type === "run-settle")).toHaveLength(1);
  });

  it("is not found if it does not exist", async () => {
    const { process } = setUp(kind);
    await expect(process({}).cancel("none")).rejects.toMatchObject({ code: "run-not-found" });
    await expect(process({}).cancel("")).rejects.toMatchObject({ code: "invalid-options" });
    await expect(process({}).cancel("r", 5 as never)).rejects.toMatchObject({ code: "invalid-options" });
  });
});

it("a run is not resumed if its store returns invalid messages", async () => {
  const { process, store, mortal, clock } = setUp("memory");
  const dead = mortal();
  process(hanging, dead).start(both, { runId });
  await clock.advance(0);
  dead.crash();
  for (const posted of [5, [null], [{ number: "1", message: {} }]] as never[]) {
    const odd = Object.assign(Object.create(store) as RunStore, { claim: () => ({ fence: 1, posted }) });
    const failed = { code: "store-failed", details: { operation: "claim" } };
    await expect(process(hanging, odd).resume(runId)).rejects.toMatchObject(failed);
  }
});

it("a message that cannot be posted is reported to its sender", async () => {
  const { process, store, clock } = setUp("memory");
  const running = process(hanging).start(both, { runId });
  await clock.advance(0);
  const post = () => {
    throw new Error("disk");
  };
  const broken = Object.assign(Object.create(store) as RunStore, { post });
  const failed = { code: "store-failed", details: { operation: "post", runId } };
  await expect(process(hanging, broken).cancel(runId)).rejects.toMatchObject(failed);
  const gone = () => store.post("none", {});
  const without = Object.assign(Object.create(store) as RunStore, { post: gone });
  await expect(process(hanging, without).cancel(runId)).rejects.toMatchObject({ code: "run-not-found" });
  running.cancel();
  await clock.runUntil(running.result);
});

it("a handle of a decision in the process that runs the run has its events, and cancels it", async () => {
  const { process, store, clock } = setUp("memory");
  const agent = process(hanging);
  const running = agent.start(both, { runId, concurrency: 2 });
  await clock.advance(0);
  const decided = agent.approve(runId, await questionIn(store));
  await clock.advance(0);
  decided.cancel("changed my mind");
  const { status } = await clock.runUntil(running.result);
  expect([status, (await decided.result).status]).toEqual(["cancelled", "cancelled"]);
  const types: string[] = [];
  for await (const { type } of decided.events) types.push(type);
  expect([types[0], types.includes("approval-end"), types.at(-1)]).toEqual(["run-start", true, "run-end"]);
});
