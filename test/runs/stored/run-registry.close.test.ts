import {
  type AgentEvent,
  type AgentWarning,
  createMemoryRunStore,
  type RunStore,
  type Tool,
  type ToolContext,
} from "planwright";
import {
  createFakeTool,
  createManualClock,
  createScriptedPlanner,
  type FakeOutcome,
  type ManualClock,
} from "planwright/testing";
import { describe, expect, it } from "vitest";
import { sleep } from "../../../src/async/clock.ts";
import { answerLater } from "../../scenario/answer-later.ts";
import { approvalOf, askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";
import { both, plan, setUp, tool } from "../closable-agent.ts";

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
    expect(clock.now() - createManualClock().now()).toBe(60);
    expect(statuses(await result)).toEqual(["s1 completed", "s2 interrupted", "s3 pending"]);
    expect(eventTexts(events).slice(-2)).toEqual(["step-end s2", "run-end"]);
    const tools = both({ returns: 1 })(clock);
    const again = open({ tools: [{ ...createFakeTool({ name: "U" }), undo: async () => {} }, ...tools] });
    expect(await clock.runUntil(again.resume(runId))).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("leaves a once step that does not end in time in doubt", async () => {
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

  it.each([1, 2, 4])("leaves the rest of a loop for later, %i iterations at a time", async (concurrency) => {
    const sent: number[] = [];
    const mail = (clock: ManualClock) => ({
      ...createFakeTool({ name: "Mail" }),
      execute: async (_input: unknown, { iteration, signal }: ToolContext) => {
        await sleep(15, { clock, signal: signal as never });
        signal.throwIfAborted();
        sent.push(iteration ?? -1);
        return iteration ?? null;
      },
    });
    const list = createFakeTool({ name: "List", outcomes: [{ returns: [0, 1, 2, 3] }] });
    const { agent, open, clock, check } = await setUp({
      store: store(),
      tools: (clock) => [list, mail(clock), createFakeTool({ name: "Z" })],
    });
    const steps = [step("l", "List"), step("e", "Mail", { forEach: "l", concurrency }), step("z", "Z")];
    const { result, runId } = agent.start({ steps } as never);
    await clock.advance(concurrency === 1 ? 40 : 10);
    await clock.runUntil(agent.close({ timeoutMs: 1 }));
    expect((await result).status).toBe("interrupted");
    expect(statuses(await result)).not.toContain("e skipped");
    const end = await clock.runUntil(open().resume(runId));
    expect(end.status).toBe("completed");
    expect(statuses(end)).toEqual(["l completed", ...Array(4).fill("e completed"), "z completed"]);
    expect([...sent].sort()).toEqual([0, 1, 2, 3]);
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

  it("keeps a failure for later, and undoes the steps then", async () => {
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

  it("cuts off planning that does not end in time, and plans again later", async () => {
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

  it("lets a step that waits for a retry run in time", async () => {
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

  it("stops waiting for an approver, whose decision then waits", async () => {
    const { agent, open, clock, check } = await setUp({
      store: store(),
      tools: () => [askingTool("A"), createFakeTool({ name: "B" })],
      requestApproval: () => new Promise(() => {}),
    });
    const { result, runId } = agent.start(plan);
    await clock.advance(10);
    await clock.runUntil(agent.close());
    expect(clock.now() - createManualClock().now()).toBe(10);
    const waiting = await result;
    expect(waiting).toMatchObject({ status: "suspended", pending: [{ kind: "approval", stepId: "s1" }] });
    const approved = open().approve(runId, approvalOf(waiting, "s1"));
    expect(await clock.runUntil(approved.result)).toMatchObject({ status: "completed" });
    await check(runId);
  });

  it("gives up waiting for approval of a plan", async () => {
    const { agent, open, clock, check } = await setUp({
      store: store(),
      tools: both({ returns: 1 }),
      needsApproval: ({ kind }) => kind === "plan",
      requestApproval: () => new Promise(() => {}),
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

  it("ends a run that is being resumed as soon as it has started, or before", async () => {
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
    // Loads the runtime.
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

const never = () => new Promise<never>(() => {});
const broken: FakeOutcome = { throws: { retryable: false } };
const works = (name: string) => createFakeTool({ name });
const hanging = (name: string, rest: Partial<Tool> = {}) =>
  ({ ...createFakeTool({ name, outcomes: [{ hangs: "forever" }] }), ...rest }) as Tool;
const undoable = (undo: () => Promise<void>) => ({ ...works("U"), undo, timeoutMs: 30_000 }) as unknown as Tool;

interface Case {
  readonly tools: readonly Tool[];
  readonly plan: unknown;
  readonly options?: object;
  readonly reach?: (store: RunStore) => RunStore;
  /** In the process that resumes the run. */
  readonly next: readonly Tool[];
  readonly warns: readonly string[];
  readonly end: readonly string[];
}

/** What hangs while an agent is closed. */
const cases: Record<string, Case> = {
  "a tool that ignores its signal": {
    tools: [hanging("A")],
    plan: planOf("A"),
    next: [works("A")],
    warns: ["overlapping-call"],
    end: ["s1 completed"],
  },
  "the undo of a step": {
    tools: [undoable(never), createFakeTool({ name: "B", outcomes: [broken] })],
    plan: planOf("U", "B"),
    options: { undoOnFailure: true },
    next: [undoable(async () => {}), works("B")],
    warns: ["overlapping-call"],
    end: ["s1 undone", "s2 failed"],
  },
  "a store that does not answer to an append": {
    tools: [works("A")],
    plan: planOf("A"),
    reach: (store) =>
      withMethods(store, {
        append: (...args) => (args[1].some(({ type }) => type === "step-end") ? never() : store.append(...args)),
      }),
    next: [works("A")],
    warns: ["overlapping-call"],
    end: ["s1 completed"],
  },
  "a store that does not give a claim back": {
    tools: [hanging("A")],
    plan: planOf("A"),
    reach: (store) => withMethods(store, { release: never }),
    next: [works("A")],
    warns: ["overlapping-call"],
    end: ["s1 completed"],
  },
};

describe.each(Object.keys(cases))("an agent that is closed while %s hangs", (name) => {
  it.each([0, 1, 100, 10_000])("closes within its timeoutMs of %i, and leaves the run to others", async (timeoutMs) => {
    const { tools, plan, options, reach, next, warns, end } = cases[name] as Case;
    const { clock, process, store } = await share(() => tools);
    const warnings: AgentWarning[] = [];
    const events: AgentEvent[] = [];
    const agent = process({ onWarning: (warning) => warnings.push(warning) }, reach);
    agent.subscribe((event) => events.push(event));
    const { runId, result } = agent.start(plan as never, options);
    await clock.advance(10);
    const before = clock.monotonic();
    await clock.runUntil(agent.close({ timeoutMs }));
    expect(clock.monotonic() - before).toBeLessThanOrEqual(timeoutMs);
    expect(await result).toMatchObject({ status: "interrupted", error: { code: "interrupted" } });
    expect(warnings.map(({ code }) => code)).toEqual(warns);
    // Every start has an end for listeners; events that are not in the store are marked as such.
    expect(eventTexts(events).at(-1)).toBe("run-end");
    const recorded = await store.read(runId);
    expect(events.filter((event) => event.recorded !== false).map(({ sequence }) => sequence)).toEqual(
      recorded.map(({ sequence }) => sequence),
    );
    for (const event of events) if (event.recorded === false) expect(event.sequence).toBe(recorded.length);
    if (name === "a store that does not give a claim back") await clock.advance(1_000);
    const resumed = await clock.runUntil(process({ tools: next as never }).resume(runId));
    expect(statuses(resumed)).toEqual(end);
    expect(await store.read(runId)).not.toHaveLength(recorded.length);
  });
});

describe("an agent that is closed", () => {
  it("emits nothing about a run it has left behind, whatever happens to it later", async () => {
    let answer = (): void => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { clock, process, store } = await share(() => [works("A"), works("B")]);
    const events: AgentEvent[] = [];
    const agent = process({}, (reached) =>
      withMethods(reached, {
        append: async (...args) => {
          if (args[1].some(({ type }) => type === "step-end")) await slow;
          return reached.append(...args);
        },
      }),
    );
    agent.subscribe((event) => events.push(event));
    const { runId, result } = agent.start(planOf("A", "B") as never);
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 20 }));
    const closed = eventTexts(events);
    expect(statuses(await result)).toEqual(["s1 interrupted", "s2 pending"]);
    answer();
    await clock.advance(1_000);
    expect(eventTexts(events)).toEqual(closed);
    // It was recorded after all, so nobody does it again.
    expect(eventTexts(await store.read(runId))).toEqual(["run-start", "step-start s1", "step-end s1", "step-start s2"]);
    expect(statuses(await clock.runUntil(process().resume(runId)))).toEqual(["s1 completed", "s2 completed"]);
  });
});

const interrupted = expect.objectContaining({ code: "interrupted" });

describe("an agent that was closed", () => {
  it("accepts no more runs", async () => {
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
      () => agent.approve(runId, { kind: "step", stepId: "s1", hash: "0".repeat(64) }).result,
      () => agent.reject(runId, { kind: "plan", hash: "0".repeat(64) }).result,
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(interrupted);
    expect((await store.list()).runs).toHaveLength(1);
    // Reading is allowed.
    expect(await agent.getRun(runId)).toMatchObject({ status: "completed" });
    expect((await agent.listRuns()).runs).toHaveLength(1);
  });

  it("closes for all callers at the same time", async () => {
    const { agent, clock } = await setUp({ tools: both({ hangs: "until-aborted" }) });
    const { result } = agent.start(plan);
    await clock.advance(10);
    const closing = Promise.all([agent.close({ timeoutMs: 100 }), agent.close({ timeoutMs: 5 })]);
    await clock.runUntil(closing);
    // Half of the time is for its grace and the store.
    expect(clock.now() - createManualClock().now()).toBe(60);
    expect((await result).status).toBe("interrupted");
  });

  it("closes at once if it never had a run", async () => {
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

  it("leaves a run cancelled that is cancelled while it closes", async () => {
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
    // That did not close it.
    expect(await agent.execute(planOf("B") as never)).toMatchObject({ status: "completed" });
  });
});
