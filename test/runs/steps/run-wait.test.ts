import { expect, it } from "vitest";
import { z } from "zod/v4";
import { createAgent } from "../../../src/agent.ts";
import type { PlanInput } from "../../../src/core/plan.ts";
import { createMemoryRunStore } from "../../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../../src/testing/fake-tool.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const works = () => createFakeTool({ name: "A", outcomes: [{ returns: { value: 7 } }] });
const thenA = { id: "a", tool: "A", input: {}, dependsOn: ["w"] };
const planOf = (wait: object): PlanInput => ({ steps: [{ id: "w", wait }, thenA] }) as PlanInput;

function setUp(options: object = {}) {
  const clock = createManualClock();
  const store = createMemoryRunStore({ now: () => clock.now() });
  const tool = works();
  const create = () => createAgent({ tools: [tool], clock, store, ...options });
  return { clock, store, tool, create, agent: create() };
}

it("a wait that is over at once does not suspend", async () => {
  for (const wait of [{ forMs: 0 }, { until: "2001-01-01T00:00:00Z" }]) {
    const { result, recorded } = await runScenario(() => ({ tools: [works()], plan: planOf(wait) }));
    expect(result.status).toBe("completed");
    expect(recorded.map(({ type }) => type)).toEqual([
      ...["run-start", "wait-start", "step-start", "step-end", "step-start", "step-end", "run-end"],
    ]);
    expect(result.plan?.version).toBe(2);
  }
});

it("suspends, and resumes in this process when the time has come, also beyond the longest timer", async () => {
  const { agent, clock, tool } = setUp();
  const forMs = 3_000_000_000;
  const dueMs = clock.now() + forMs;
  const until = new Date(dueMs).toISOString();
  const result = await agent.execute(planOf({ forMs }), { runId: "r" });
  expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "wait", stepId: "w", until }] });
  expect((await agent.listRuns()).runs[0]?.pending?.items).toEqual([{ kind: "wait", stepId: "w", until }]);
  await clock.advance(forMs - 1);
  expect(tool.calls).toHaveLength(0);
  await clock.advance(1);
  expect(await agent.resume("r")).toMatchObject({
    status: "completed",
    steps: [{ stepId: "w", tool: "wait", status: "completed", output: until, attempts: 0 }, { status: "completed" }],
  });
  expect(clock.pendingTimers).toBe(0);
});

it("closing stops the timer, and resumeAll resumes what is due", async () => {
  const { agent, create, clock, tool } = setUp();
  await agent.execute(planOf({ forMs: 1_000 }), { runId: "r" });
  await agent.close();
  expect(clock.pendingTimers).toBe(0);
  const other = create();
  expect(await other.resumeAll()).toEqual([]);
  await clock.advance(1_000);
  expect(tool.calls).toHaveLength(0);
  expect(await other.resumeAll()).toMatchObject([{ runId: "r", result: { status: "completed" } }]);
});

it("an event that comes early is kept, one that comes later resumes the run, and one id counts once", async () => {
  const { agent } = setUp();
  const steps = ["w", "x"].map((id) => ({ id, wait: { event: "paid" } }));
  await agent.execute({ steps }, { runId: "r" });
  const first = await agent.deliver("r", "paid", { amount: 1 }, { id: "1" }).result;
  expect(first).toMatchObject({ status: "suspended", pending: [{ kind: "wait", stepId: "x", event: "paid" }] });
  await agent.deliver("r", "paid", { amount: 9 }, { id: "1" }).result;
  await agent.deliver("r", "other", null, { id: "2" }).result;
  const second = await agent.deliver("r", "paid", { amount: 2 }, { id: "3" }).result;
  expect(second).toMatchObject({ status: "completed", output: { amount: 2 } });
  await expect(agent.deliver("r", "paid", 3, { id: "4" }).result).rejects.toMatchObject({ code: "run-conflict" });
  await expect(agent.deliver("none", "paid", 3, { id: "4" }).result).rejects.toMatchObject({ code: "run-not-found" });
});

it("an event that nobody delivers in time fails the step", async () => {
  const { agent, clock } = setUp();
  await agent.execute(planOf({ event: "paid", timeoutMs: 500 }), { runId: "r" });
  await clock.advance(500);
  expect(await agent.resumeAll()).toEqual([]);
  expect(await agent.getRun("r")).toMatchObject({ status: "failed", error: { code: "timeout" } });
});

it("keeps at most 100 events", async () => {
  const { agent } = setUp();
  await agent.execute(planOf({ event: "paid" }), { runId: "r" });
  for (let id = 0; id < 100; id++) await agent.deliver("r", "other", id, { id: `${id}` }).result;
  const refused = agent.deliver("r", "other", 0, { id: "more" }).result;
  await expect(refused).rejects.toMatchObject({ code: "limit-exceeded", details: { limit: "deliveries", max: 100 } });
  expect(await agent.deliver("r", "paid", 0, { id: "paid" }).result).toMatchObject({ status: "completed" });
});

it("checks names and values by the agent's events", async () => {
  const { agent } = setUp({ events: { paid: z.object({ amount: z.number() }) } });
  await agent.execute(planOf({ event: "paid" }), { runId: "r" });
  const refused = (name: string, value: unknown) =>
    expect(agent.deliver("r", name, value, { id: "1" }).result).rejects.toThrowErrorMatchingSnapshot();
  await refused("piad", {});
  await refused("paid", { amount: "1" });
  await refused("paid", { amount: 1n });
  await expect(agent.execute(planOf({ event: "sent" }))).rejects.toThrowErrorMatchingSnapshot();
});
