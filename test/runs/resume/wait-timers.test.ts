import { expect, it } from "vitest";
import { createAgent } from "../../../src/agent.ts";
import type { PlanInput } from "../../../src/core/plan.ts";
import type { RunStore } from "../../../src/core/run-store.ts";
import { createMemoryRunStore } from "../../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../../src/testing/fake-tool.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { withMethods } from "../../scenario/two-processes.ts";

const waiting = (wait: object): PlanInput => ({ steps: [{ id: "w", wait }] }) as PlanInput;

/** An agent whose store has a clock of its own. */
function setUp({ aheadMs = 0 } = {}) {
  const clock = createManualClock();
  const memory = createMemoryRunStore({ now: () => clock.now() });
  const storeNow = () => clock.now() + state.aheadMs;
  const state = { aheadMs, isFailing: false };
  const store = withMethods(memory, {
    read: ((runId, options) => {
      if (state.isFailing) throw new Error("no connection");
      return memory.read(runId, options);
    }) satisfies RunStore["read"],
    claim: async (runId, options) => ({ ...(await memory.claim(runId, options)), nowMs: storeNow() }),
    renew: async (runId, options) => ({ ...(await memory.renew(runId, options)), nowMs: storeNow() }),
  });
  const slow = createFakeTool({ name: "Slow", outcomes: [{ afterMs: 60_000, returns: 1 }], clock });
  const create = () => createAgent({ tools: [slow], clock, store });
  const statusOf = async () => (await memory.list()).runs[0]?.status;
  return { agent: create(), create, clock, state, storeNow, statusOf };
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

it("resumes a run once the store answers again, if it fails when the time has come", async () => {
  const { agent, clock, state, statusOf } = setUp();
  await agent.execute(waiting({ forMs: 1_000 }), { runId: "r" });
  state.isFailing = true;
  await clock.advance(20_000);
  expect(await statusOf()).toBe("suspended");
  state.isFailing = false;
  await clock.advance(5_000);
  expect(await statusOf()).toBe("completed");
  await agent.close();
  expect(clock.pendingTimers).toBe(0);
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
