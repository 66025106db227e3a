import { describe, expect, it } from "vitest";
import { type Agent, type AgentOptions, createAgent } from "../../src/agent.ts";
import type { AgentEvent } from "../../src/core/events.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import type { Tool } from "../../src/core/tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createFakeTool, type FakeOutcome } from "../../src/testing/fake-tool.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";
import { createScriptedPlanner } from "../../src/testing/scripted-planner.ts";
import { approvalOf, askingTool, statuses, told } from "../scenarios/asking.ts";
import { planOf, step } from "../scenarios/plans.ts";
import { answerLater, checkInvariants } from "../scenarios/run-scenario.ts";

interface Setup extends Partial<Omit<AgentOptions, "tools">> {
  tools: (clock: ManualClock) => readonly Tool[];
}

/** An agent that is to be closed, and others of the same store that go on. */
async function setUp({ tools, store = createMemoryRunStore(), ...options }: Setup) {
  const clock = createManualClock();
  await Promise.all(tools(clock).map(toolFingerprint));
  const events: AgentEvent[] = [];
  let ids = 0;
  const open = (others: Partial<AgentOptions> = {}): Agent => {
    const base = { tools: tools(clock), store, clock, random: () => 1, createId: () => `${++ids}` };
    const agent = createAgent({ ...base, ...options, ...others });
    agent.subscribe((event) => events.push(event));
    return agent;
  };
  const check = async (runId: string) => {
    const recorded = await store.read(runId);
    const snapshot = await open().getRun(runId);
    const {
      request: _,
      metadata: _metadata,
      createdAt: _createdAt,
      updatedAt: _updatedAt,
      ...result
    } = snapshot as never as Record<string, unknown>;
    checkInvariants({ events, recorded, result: result as never });
    expect(clock.pendingTimers).toBe(0);
  };
  return { agent: open(), open, clock, events, check, store };
}

const tool =
  (name: string, outcome: FakeOutcome, effect: "idempotent" | "once" = "idempotent") =>
  (clock: ManualClock) =>
    createFakeTool({ name, outcomes: [outcome], effect, clock });
const both = (outcome: FakeOutcome) => (clock: ManualClock) => [
  tool("A", outcome)(clock),
  createFakeTool({ name: "B" }),
];
const plan = planOf("A", "B") as never;
const interrupted = expect.objectContaining({ code: "interrupted" });

describe.each([
  ["at once", (store: RunStore) => store],
  ["later", answerLater],
])("closing an agent whose store answers %s", (_when, wrap) => {
  const store = () => wrap(createMemoryRunStore());

  it("lets a step end in time, starts no other, and leaves the rest for later", async () => {
    const { agent, open, clock, check } = await setUp({ store: store(), tools: both({ returns: 1, afterMs: 50 }) });
    const { result, runId } = agent.start(plan);
    await clock.advance(10);
    const closed = agent.close({ timeoutMs: 100 });
    await clock.runUntil(closed);
    expect(clock.now() - createManualClock().now()).toBe(50);
    expect(await result).toMatchObject({ status: "interrupted", error: { code: "interrupted" } });
    expect(statuses(await result)).toEqual(["s1 completed", "s2 pending"]);
    expect(await clock.runUntil(open().resume(runId))).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("aborts a step that does not end in time, which is not undone and runs again", async () => {
    const { agent, open, clock, check, events } = await setUp({
      store: store(),
      tools: (clock) => [
        { ...createFakeTool({ name: "U" }), undo: async () => {} },
        ...both({ hangs: "until-aborted" })(clock),
      ],
    });
    const { result, runId } = agent.start(planOf("U", "A", "B") as never, { undoOnFailure: true });
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 100 }));
    expect(clock.now() - createManualClock().now()).toBe(110);
    expect(statuses(await result)).toEqual(["s1 completed", "s2 interrupted", "s3 pending"]);
    expect(told(events).slice(-2)).toEqual(["step-end s2", "run-end"]);
    const tools = both({ returns: 1 })(clock);
    const again = open({ tools: [{ ...createFakeTool({ name: "U" }), undo: async () => {} }, ...tools] });
    expect(await clock.runUntil(again.resume(runId))).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("leaves a step in doubt that must run only once and does not end in time", async () => {
    const { agent, open, clock, check } = await setUp({
      store: store(),
      tools: (clock) => [tool("A", { hangs: "until-aborted" }, "once")(clock), createFakeTool({ name: "B" })],
    });
    const { result, runId } = agent.start(plan);
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 0 }));
    expect(await result).toMatchObject({
      status: "interrupted",
      steps: [{ status: "unknown" }, { status: "pending" }],
    });
    const other = open();
    expect(await other.resume(runId)).toMatchObject({
      status: "suspended",
      pending: [{ kind: "outcome", stepId: "s1" }],
    });
    expect(await other.settle(runId, "s1", { output: 1 }).result).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("counts a run that has nothing left as completed", async () => {
    const { agent, clock, check } = await setUp({ store: store(), tools: both({ returns: 1, afterMs: 50 }) });
    const { result, runId } = agent.start(planOf("A") as never);
    await clock.advance(10);
    await clock.runUntil(agent.close());
    expect((await result).status).toBe("completed");
    await check(runId);
  });

  it("keeps a failure for later, with what is to be undone then", async () => {
    const failing: FakeOutcome = { throws: { retryable: false }, afterMs: 50 };
    const tools = (clock: ManualClock) => [
      { ...createFakeTool({ name: "U" }), undo: async () => {} },
      tool("A", failing)(clock),
    ];
    const { agent, open, clock, check } = await setUp({ store: store(), tools });
    const { result, runId } = agent.start(planOf("U", "A", "A") as never, { undoOnFailure: true });
    await clock.advance(10);
    await clock.runUntil(agent.close());
    expect(await result).toMatchObject({ status: "interrupted" });
    const end = await clock.runUntil(open().resume(runId));
    expect(end).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(statuses(end)).toEqual(["s1 undone", "s2 failed", "s3 skipped"]);
    await check(runId);
  });

  it("cuts off planning that does not end in time, and plans again", async () => {
    const planner = createScriptedPlanner([{ hangs: true } as never]);
    const hanging = { ...planner, plan: () => new Promise<never>(() => {}) };
    const { agent, open, clock, check } = await setUp({
      store: store(),
      tools: both({ returns: 1 }),
      planner: hanging,
    });
    const { result, runId } = agent.start("Do it");
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 100 }));
    expect(await result).toMatchObject({ status: "interrupted" });
    expect(await result).not.toHaveProperty("plan");
    const other = open({ planner: createScriptedPlanner([plan]) });
    expect(await clock.runUntil(other.resume(runId))).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("keeps a plan that is made in time", async () => {
    const slow = (clock: ManualClock) => ({
      ...createScriptedPlanner([plan]),
      plan: async () => {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 50));
        return { steps: planOf("A", "B").steps } as never;
      },
    });
    const { open, clock, check } = await setUp({ store: store(), tools: both({ returns: 1 }) });
    const agent = open({ planner: slow(clock), needsApproval: ({ kind }) => kind === "plan" });
    const { result, runId } = agent.start("Do it");
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 100 }));
    expect(statuses(await result)).toEqual(["s1 pending", "s2 pending"]);
    expect(await clock.runUntil(open().resume(runId))).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("lets a step that waits to be tried again do so in time", async () => {
    const outcomes: FakeOutcome[] = [{ throws: new Error("busy") }, { returns: 1 }];
    const tools = () => [createFakeTool({ name: "A", outcomes }), createFakeTool({ name: "B" })];
    for (const [timeoutMs, status] of [
      [2_000, "s1 completed"],
      [500, "s1 interrupted"],
    ] as const) {
      const { agent, open, clock, check } = await setUp({ store: store(), tools });
      const { result, runId } = agent.start(plan);
      await clock.advance(10);
      await clock.runUntil(agent.close({ timeoutMs }));
      expect(statuses(await result)).toEqual([status, "s2 pending"]);
      expect(await clock.runUntil(open().resume(runId))).toMatchObject({ status: "completed" });
      await check(runId);
    }
  });

  it("gives up waiting for somebody who is asked, whose decision then waits", async () => {
    const { agent, open, clock, check } = await setUp({
      store: store(),
      tools: () => [askingTool("A"), createFakeTool({ name: "B" })],
      approve: () => new Promise(() => {}),
    });
    const { result, runId } = agent.start(plan);
    await clock.advance(10);
    await clock.runUntil(agent.close());
    expect(clock.now() - createManualClock().now()).toBe(10);
    const waiting = await result;
    expect(waiting).toMatchObject({ status: "suspended", pending: [{ kind: "approval", stepId: "s1" }] });
    const approved = open().approve(runId, "s1", approvalOf(waiting, "s1"));
    expect(await clock.runUntil(approved.result)).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("gives up waiting for approval of a plan", async () => {
    const { agent, open, clock, check } = await setUp({
      store: store(),
      tools: both({ returns: 1 }),
      needsApproval: ({ kind }) => kind === "plan",
      approve: () => new Promise(() => {}),
    });
    const { result, runId } = agent.start(plan);
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 100 }));
    expect((await result).steps.map(({ status }) => status)).toEqual(["pending", "pending"]);
    const other = open();
    const { pending } = await other.resume(runId);
    expect(pending).toMatchObject([{ kind: "plan-approval" }]);
    await check(runId);
  });

  it("while a run is brought back ends it as soon as it has begun, or before", async () => {
    const shared = store();
    const { agent, open, clock, check, events } = await setUp({
      store: shared,
      tools: both({ hangs: "until-aborted" }),
    });
    const { runId, result } = agent.start(plan);
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 0 }));
    await result;
    const other = open();
    // Loads what conducts runs.
    await other.getRun(runId);
    const calls = events.filter(({ type }) => type === "step-start").length;
    const resumed = other.resume(runId);
    await clock.runUntil(other.close());
    expect(await resumed).toMatchObject({ status: "interrupted" });
    expect(events.filter(({ type }) => type === "step-start")).toHaveLength(calls);
    await check(runId);
  });

  it("stops loops between their iterations", async () => {
    const { agent, open, clock, check } = await setUp({ store: store(), tools: both({ returns: 1, afterMs: 50 }) });
    const looped = { steps: [step("s1", "A", { forEach: "[1, 2, 3]" })] } as never;
    const { result, runId } = agent.start(looped);
    await clock.advance(60);
    await clock.runUntil(agent.close());
    expect(statuses(await result)).toEqual(["s1 completed", "s1 completed", "s1 pending"]);
    expect(await clock.runUntil(open().resume(runId))).toMatchObject({ status: "completed", output: [1, 1, 1] });
    await check(runId);
  });
});

describe("an agent that was closed", () => {
  it("takes no more runs", async () => {
    const { agent, clock, store } = await setUp({
      tools: both({ returns: 1 }),
      planner: createScriptedPlanner([plan]),
    });
    const { runId } = await clock.runUntil(agent.execute(plan));
    await agent.close();
    await agent.close({ timeoutMs: 5 });
    const calls: readonly (() => Promise<unknown>)[] = [
      () => agent.execute(plan),
      () => agent.run("Do it"),
      () => agent.plan("Do it"),
      () => agent.start(plan).result,
      () => agent.resume(runId),
      () => agent.resumeAll(),
      () => agent.settle(runId, "s1", { retry: true }).result,
      () => agent.approve(runId, "s1", { inputHash: "0".repeat(64) }).result,
      () => agent.rejectPlan(runId, { planHash: "0".repeat(64) }).result,
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(interrupted);
    expect((await store.list()).runs).toHaveLength(1);
    // Looking is allowed.
    expect(await agent.getRun(runId)).toMatchObject({ status: "completed" });
    expect((await agent.listRuns()).runs).toHaveLength(1);
  });

  it("is closed for everybody at the same time", async () => {
    const { agent, clock } = await setUp({ tools: both({ hangs: "until-aborted" }) });
    const { result } = agent.start(plan);
    await clock.advance(10);
    const closing = Promise.all([agent.close({ timeoutMs: 100 }), agent.close({ timeoutMs: 5 })]);
    await clock.advance(99);
    await clock.runUntil(closing);
    expect(clock.now() - createManualClock().now()).toBe(110);
    expect((await result).status).toBe("interrupted");
  });

  it("and never had a run is closed at once", async () => {
    const { agent } = await setUp({ tools: both({ returns: 1 }) });
    await agent.close();
    await expect(agent.execute(plan)).rejects.toEqual(interrupted);
  });

  it("does not throw for runs that were interrupted, even if failures do", async () => {
    const { agent, clock } = await setUp({ tools: both({ hangs: "until-aborted" }) });
    const { result } = agent.start(plan, { throwOnFailure: true });
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 1 }));
    expect((await result).status).toBe("interrupted");
  });

  it("cancels nothing that is cancelled before it has to", async () => {
    const { agent, clock } = await setUp({ tools: both({ hangs: "until-aborted" }) });
    const { result, cancel } = agent.start(plan);
    await clock.advance(10);
    const closing = agent.close({ timeoutMs: 100 });
    cancel("enough");
    await clock.runUntil(closing);
    expect(await result).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
  });

  it.each([[{ timeoutMs: -1 }], [{ timeoutMs: "1" }], [{ timeout: 1 }]])("refuses %j", async (options) => {
    const { agent } = await setUp({ tools: both({ returns: 1 }) });
    await expect(agent.close(options as never)).rejects.toMatchObject({ code: "invalid-options" });
    // It was not closed by that.
    expect(await agent.execute(planOf("B") as never)).toMatchObject({ status: "completed" });
  });
});
