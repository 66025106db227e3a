import { type AgentEvent, createAgent, createMemoryRunStore, type RunStore, type Tool } from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { answerLater } from "../../scenario/answer-later.ts";
import { planOf } from "../../scenario/plans.ts";

/** A store whose append fails from the first event of a type on. */
function failFrom(type: AgentEvent["type"], thrown: unknown = new Error("disk full")): RunStore {
  const memory = createMemoryRunStore();
  let isBroken = false;
  return Object.assign(Object.create(memory) as RunStore, {
    append: (...[runId, events, options]: Parameters<RunStore["append"]>) => {
      isBroken ||= events.some((event) => event.type === type);
      if (isBroken) throw thrown;
      return memory.append(runId, events, options);
    },
  });
}

async function playWith(store: RunStore, tools: readonly Tool[]) {
  const clock = createManualClock();
  const agent = createAgent({ tools, store, clock });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const { result, runId } = agent.start(planOf("A", "A"));
  const [outcome] = await Promise.allSettled([clock.runUntil(result)]);
  return { outcome, events, recorded: await store.read(runId), clock };
}

const stores: [string, (store: RunStore) => RunStore][] = [
  ["at once", (store) => store],
  ["later", answerLater],
];

describe.each(stores)("a store that fails, answering %s", (_when, wrap) => {
  it.each([
    ["run-start", [], 0],
    ["step-start", ["run-start"], 0],
    ["step-end", ["run-start", "step-start"], 1],
    ["run-end", ["run-start", "step-start", "step-end", "step-start", "step-end"], 2],
  ] as const)("at %s ends the run as failed, and no later step starts", async (type, kept, calls) => {
    const tool = createFakeTool({ name: "A" });
    const { outcome, events, recorded, clock } = await playWith(wrap(failFrom(type)), [tool]);
    expect(outcome).toMatchObject({
      status: "fulfilled",
      value: {
        status: "failed",
        error: { code: "store-failed", details: { operation: "append", reason: "disk full" } },
      },
    });
    expect(recorded.map((event) => event.type)).toEqual(kept);
    expect(tool.calls).toHaveLength(calls);
    const end = { type: "run-end", outcome: { status: "failed" }, sequence: recorded.length, recorded: false };
    const announced = events.filter((event) => event.recorded !== false);
    expect(announced).toEqual(recorded.length === 0 ? [] : recorded);
    if (recorded.length === 0) expect(events).toEqual([]);
    else expect(events.at(-1)).toMatchObject(end);
    expect(clock.pendingTimers).toBe(0);
  });

  it("while a step runs leaves it interrupted, as its result is not recorded", async () => {
    const { outcome, events } = await playWith(wrap(failFrom("step-end")), [
      createFakeTool({ name: "A", outcomes: [{ returns: 1 }] }),
    ]);
    expect(outcome).toMatchObject({
      value: { steps: [{ status: "interrupted", error: { code: "store-failed" } }, { status: "skipped" }] },
    });
    const ends = events.filter((event) => event.type === "step-end");
    expect(ends).toMatchObject([{ outcome: { status: "interrupted" } }]);
  });

  it('while a step with effect "once" runs leaves it unknown', async () => {
    const { outcome } = await playWith(wrap(failFrom("step-end")), [createFakeTool({ name: "A", effect: "once" })]);
    expect(outcome).toMatchObject({
      value: { status: "failed", steps: [{ status: "unknown", error: { code: "outcome-unknown" } }, {}] },
    });
  });

  it("aborts the steps that run side by side", async () => {
    const clock = createManualClock();
    const slow = createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] });
    const agent = createAgent({
      tools: [slow, createFakeTool({ name: "A" })],
      store: wrap(failFrom("step-end")),
      clock,
    });
    const steps = [
      { id: "s1", tool: "Slow", input: {}, dependsOn: [] },
      { id: "s2", tool: "A", input: {}, dependsOn: [] },
    ] as const;
    const result = await clock.runUntil(agent.execute({ steps }, { concurrency: 2 }));
    expect(slow.calls[0]?.context.signal.aborted).toBe(true);
    expect(result.steps.map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
  });

  it("with run-conflict at the first event rejects: another process owns the run", async () => {
    const memory = wrap(createMemoryRunStore());
    const agent = createAgent({
      tools: [createFakeTool({ name: "A" })],
      store: Object.assign(Object.create(memory) as RunStore, { read: () => [] }),
    });
    await agent.execute(planOf("A") as never, { runId: "r" });
    await expect(agent.execute(planOf("A", "A") as never, { runId: "r" })).rejects.toMatchObject({
      code: "run-conflict",
    });
  });

  it("by throwing something unreadable still ends the run", async () => {
    const { outcome } = await playWith(wrap(failFrom("step-end", Object.create(null))), [
      createFakeTool({ name: "A" }),
    ]);
    expect(outcome).toMatchObject({ value: { status: "failed", error: { code: "store-failed" } } });
  });

  it("on reading is store-failed", async () => {
    const broken = Object.assign(Object.create(createMemoryRunStore()) as RunStore, {
      read: () => {
        throw new Error("gone");
      },
      list: () => {
        throw "gone";
      },
    });
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], store: wrap(broken) });
    await expect(agent.getRun("r")).rejects.toMatchObject({
      code: "store-failed",
      details: { operation: "read", reason: "gone" },
    });
    await expect(agent.listRuns()).rejects.toMatchObject({ code: "store-failed", details: { operation: "list" } });
    await expect(agent.execute(planOf("A") as never, { runId: "r" })).rejects.toMatchObject({ code: "store-failed" });
  });
});
