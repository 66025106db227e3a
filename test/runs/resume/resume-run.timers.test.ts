import {
  AgentError,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type PlanInput,
  type RunStore,
  type ToolContext,
} from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import type { StoreProblem } from "../../../src/core/errors.ts";
import { type WorkedAgent, workerKey } from "../../../src/runs/agent-interface.ts";
import type { FakeToolOptions } from "../../../src/testing/fake-tool.ts";
import { withMethods } from "../../scenario/two-processes.ts";

const waiting = (wait: object): PlanInput => ({ steps: [{ id: "w", wait }] }) as PlanInput;

/** An agent whose store has a clock of its own. */
function setUp({ aheadMs = 0 } = {}) {
  const clock = createManualClock();
  const memory = createMemoryRunStore({ now: () => clock.now() });
  const storeNow = () => clock.now() + state.aheadMs;
  const state = { aheadMs, problem: undefined as StoreProblem | undefined, answerMs: 0, reads: 0 };
  const store = withMethods(memory, {
    read: ((runId, options) => {
      const { problem } = state;
      state.reads++;
      const details = { runId, operation: "read", reason: "no", problem } as const;
      if (problem !== undefined) throw new AgentError("store-failed", "no", { details });
      return memory.read(runId, options);
    }) satisfies RunStore["read"],
    claim: async (runId, options) => {
      const claimed = { ...(await memory.claim(runId, options)), nowMs: storeNow() };
      if (state.answerMs > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, state.answerMs));
      return claimed;
    },
    renew: async (runId, options) => ({ ...(await memory.renew(runId, options)), nowMs: storeNow() }),
  });
  const slow = createFakeTool({ name: "Slow", outcomes: [{ afterMs: 60_000, returns: 1 }], clock });
  const create = () => createAgent({ tools: [slow], clock, store });
  const statusOf = async () => (await memory.list()).runs[0]?.status;
  return { agent: create(), create, clock, store, state, storeNow, statusOf };
}

it.each([-3_600_000, 0, 3_600_000])("waits by a store's clock that is %s ms ahead", async (aheadMs) => {
  const { agent, create, clock, storeNow, statusOf } = setUp({ aheadMs });
  const until = new Date(storeNow() + 5_000).toISOString();
  expect(await agent.execute(waiting({ forMs: 5_000 }), { runId: "r" })).toMatchObject({ pending: [{ until }] });
  await clock.advance(4_999);
  expect(await statusOf()).toBe("suspended");
  await clock.advance(1);
  await agent.close();
  expect(await statusOf()).toBe("completed");
  // Another process, which learns the time only when it claims the run.
  const [second, third] = [create(), create()];
  await second.execute(waiting({ until: new Date(storeNow() + 5_000).toISOString() }), { runId: "r2" });
  await second.close();
  await clock.advance(5_000);
  expect(await third.resume("r2")).toMatchObject({ status: "completed" });
});

it.each([-3_600_000, 3_600_000])("waits by it beside a step that runs, %s ms ahead", async (aheadMs) => {
  const { agent, clock } = setUp({ aheadMs });
  const steps = [
    { id: "slow", tool: "Slow", input: {}, dependsOn: [] },
    { id: "w", wait: { forMs: 5_000 }, dependsOn: [] },
  ];
  const { result, events } = agent.start({ steps }, { runId: "r", concurrency: 2 });
  const ended: string[] = [];
  const reading = (async () => {
    for await (const event of events) if (event.type === "step-end") ended.push(event.stepId);
  })();
  await clock.advance(5_000);
  expect(ended).toEqual(["w"]);
  await clock.runUntil(result);
  await reading;
  expect(ended).toEqual(["w", "slow"]);
});

it.each([-3_600_000, 3_600_000])("asks and is answered by it, %s ms ahead", async (aheadMs) => {
  const { clock, store } = setUp({ aheadMs });
  const ask = createFakeTool({ name: "Ask", needsApproval: true } as FakeToolOptions);
  const agent = createAgent({ tools: [ask], clock, store, approvalTtlMs: 600_000 });
  const steps = [{ id: "a", tool: "Ask", input: {} }];
  const [first, second] = [
    await agent.execute({ steps }, { runId: "r1" }),
    await agent.execute({ steps }, { runId: "r2" }),
  ];
  await clock.advance(599_000);
  const approve = async ({ runId, pending = [] }: typeof first) => agent.approve(runId, pending[0] as never).result;
  expect(await approve(first)).toMatchObject({ status: "completed" });
  await clock.advance(2_000);
  await expect(approve(second)).rejects.toMatchObject({ code: "approval-expired" });
});

it("waits no shorter because an answer of the store took long", async () => {
  const { agent, clock, state, storeNow } = setUp();
  state.answerMs = 3_000;
  const startMs = storeNow();
  const { pending } = await clock.runUntil(agent.execute(waiting({ forMs: 2_000 }), { runId: "r" }));
  const [item] = pending ?? [];
  const until = item?.kind === "wait" ? (item.until ?? "") : "";
  expect(Date.parse(until)).toBeGreaterThanOrEqual(startMs + 3_000 + 2_000);
  await agent.close();
});

it("resumes a run once the store answers again, if it fails when the time has come", async () => {
  const { agent, clock, state, statusOf } = setUp();
  await agent.execute(waiting({ forMs: 1_000 }), { runId: "r" });
  state.problem = "unreachable";
  await clock.advance(30_000);
  expect(await statusOf()).toBe("suspended");
  state.problem = undefined;
  await clock.advance(20_000);
  expect(await statusOf()).toBe("completed");
  await agent.close();
  expect(clock.pendingTimers).toBe(0);
});

it.each(["wrong-format", "corrupt"] as const)("gives up a run where the store reports %s", async (problem) => {
  const { agent, clock, state } = setUp();
  await agent.execute(waiting({ forMs: 1_000 }), { runId: "r" });
  state.problem = problem;
  await clock.advance(1_000);
  expect(clock.pendingTimers).toBe(0);
  await agent.close();
});

it("has no timer left for a run that was continued before its time", async () => {
  const { agent, clock, state } = setUp();
  await agent.execute(waiting({ event: "paid", timeoutMs: 5_000 }), { runId: "r" });
  expect(await agent.deliver("r", "paid", 1, { id: "e" }).result).toMatchObject({ status: "completed" });
  const { reads } = state;
  await clock.advance(60_000);
  expect(state.reads).toBe(reads);
});

it("keeps the timer of a run that is only looked up", async () => {
  const { agent, clock, statusOf } = setUp();
  const waits = waiting({ forMs: 5_000 });
  await agent.execute(waits, { runId: "r" });
  expect(await agent.execute(waits, { runId: "r" })).toMatchObject({ status: "suspended" });
  await clock.advance(5_000);
  await agent.close();
  expect(await statusOf()).toBe("completed");
});

it("keeps the resources of the execution that set the timer", async () => {
  const { clock, store, state } = setUp();
  const used: unknown[] = [];
  const use = defineTool({
    name: "Use",
    description: "Uses what there is",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: (_, { resources }: ToolContext<string>) => void used.push(resources),
  });
  const agent = createAgent({ tools: [use], clock, store });
  const steps: PlanInput["steps"] = [
    { id: "event", wait: { event: "go" }, dependsOn: [] },
    { id: "first", wait: { forMs: 5_000 }, dependsOn: [] },
    { id: "second", wait: { forMs: 5_000 }, dependsOn: ["event", "first"] },
    { id: "use", tool: "Use", input: {}, dependsOn: ["second"] },
  ];
  await agent.execute({ steps } as never, { runId: "r", resources: "old" });
  await clock.advance(4_990);
  // The timer runs out while the store takes its time for the one who delivers.
  state.answerMs = 20;
  const { result } = agent.deliver("r", "go", 1, { id: "e", resources: "new" });
  await clock.runUntil(result);
  expect(await result).toMatchObject({ status: "suspended" });
  await clock.advance(10_000);
  await agent.close();
  expect(used).toEqual(["new"]);
});

it("sets no timer where what waits is left to a worker", async () => {
  const { agent, clock } = setUp();
  (agent as unknown as WorkedAgent)[workerKey].stopTimers();
  expect(await agent.execute(waiting({ forMs: 1_000 }), { runId: "r" })).toMatchObject({ status: "suspended" });
  expect(clock.pendingTimers).toBe(0);
  await agent.close();
});

it("waits on where the store's clock turns out to be set back", async () => {
  const { agent, clock, state, statusOf } = setUp({ aheadMs: 3_600_000 });
  await agent.execute(waiting({ forMs: 5_000 }), { runId: "r" });
  state.aheadMs -= 10_000;
  await clock.advance(5_000);
  expect(await statusOf()).toBe("suspended");
  await clock.advance(10_000);
  expect(await statusOf()).toBe("completed");
  await agent.close();
});
