import { createAgent, createMemoryRunStore, defineTool, type PlanInput, type ToolContext } from "planwright";
import { createFakeTool, createManualClock, forEachKillPoint, type MortalProcess } from "planwright/testing";
import { toHtml, toMermaid } from "planwright/view";
import { expect, it } from "vitest";
import { z } from "zod/v4";
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

it("an event that nobody delivers in time fails the step", async () => {
  const { agent, clock } = setUp();
  await agent.execute(planOf({ event: "paid", timeoutMs: 500 }), { runId: "r" });
  await clock.advance(500);
  expect(await agent.resumeAll()).toEqual([]);
  expect(await agent.getRun("r")).toMatchObject({ status: "failed", error: { code: "timeout" } });
});

it("ends the same, killed at any point, if whoever delivers does so again", async () => {
  const steps: PlanInput["steps"] = [
    { id: "e", wait: { event: "paid" }, dependsOn: [], reasoning: "to be paid" },
    { id: "r", wait: { event: "rested" }, dependsOn: [] },
    { id: "n", wait: { event: "never" }, dependsOn: [], when: "1 > 2" },
    { id: "a", tool: "A", input: { of: { $ref: "e.amount" } }, dependsOn: ["r"] },
  ];
  const drive = async ({ store }: MortalProcess) => {
    const agent = createAgent({ tools: [works()], store });
    await agent.execute({ steps }, { runId: "r" });
    await agent.deliver("r", "paid", { amount: 3 }, { id: "1" }).result;
    const { status, steps: records } = await agent.deliver("r", "rested", null, { id: "2" }).result;
    return { status, steps: records.map(({ stepId, status: end, input }) => ({ stepId, end, input })) };
  };
  const points = await forEachKillPoint({
    run: drive,
    resume: drive,
    check: ({ result, expected }) => expect(result).toEqual(expected),
  });
  expect(points.length).toBeGreaterThan(10);
});

it("waits while other steps run, without being suspended", async () => {
  const slow = createFakeTool({ name: "S", outcomes: [{ afterMs: 1_000, returns: 1 }] });
  const clock = createManualClock();
  const agent = createAgent({ tools: [slow, works()], clock });
  const steps: PlanInput["steps"] = [
    { id: "s", tool: "S", input: {}, dependsOn: [] },
    { id: "w", wait: { forMs: 200 }, dependsOn: [] },
    { id: "a", tool: "A", input: {}, dependsOn: ["w"] },
  ];
  const handle = agent.start({ steps }, { concurrency: 2 });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of handle.events)
      seen.push("stepId" in event ? `${event.type} ${event.stepId}` : event.type);
  })();
  await clock.advance(1_000);
  expect((await handle.result).status).toBe("completed");
  await reading;
  expect(seen).not.toContain("run-suspend");
  expect(seen.indexOf("step-end a")).toBeLessThan(seen.indexOf("step-end s"));
});

it("reads an instant from an earlier step, and refuses one without a zone", async () => {
  for (const [until, status] of [
    ["2001-01-01T00:00:00+02:00", "completed"],
    ["2001-01-01T00:00:00", "failed"],
    [7, "failed"],
  ] as const) {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: { until } }] })],
      plan: {
        steps: [
          { id: "a", tool: "A", input: {} },
          { id: "w", wait: { until: { $ref: "a.until" } } },
        ],
      },
    }));
    expect(result.status).toBe(status);
    if (status === "failed") expect(result.error?.code).toBe("invalid-tool-input");
    else expect(result.output).toBe("2000-12-31T22:00:00.000Z");
  }
});

it("a failed step ends the run though another one waits", async () => {
  const { result } = await runScenario(() => ({
    tools: [createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] })],
    plan: {
      steps: [
        { id: "w", wait: { event: "paid" }, dependsOn: [] },
        { id: "f", tool: "F", input: {}, dependsOn: [] },
      ],
    },
  }));
  expect(result.status).toBe("failed");
  expect(result.steps.map(({ status }) => status)).toEqual(["skipped", "failed"]);
});

it("a run that waits can be cancelled", async () => {
  const { agent, clock } = setUp();
  await agent.execute(planOf({ forMs: 1_000 }), { runId: "r" });
  expect(await agent.cancel("r", "enough")).toMatchObject({ status: "cancelled" });
  await clock.advance(1_000);
  expect(await agent.getRun("r")).toMatchObject({ status: "cancelled" });
  expect(clock.pendingTimers).toBe(0);
});

it("the timer resumes with the resources that the run had", async () => {
  const clock = createManualClock();
  const seen: unknown[] = [];
  const tool = defineTool({
    name: "A",
    description: "Says its resources",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: (_input, { resources }: ToolContext<{ db: string }>) => void seen.push(resources),
  });
  const agent = createAgent({ tools: [tool], clock });
  await agent.execute(planOf({ forMs: 100 }) as never, { runId: "r", resources: { db: "own" } });
  await clock.advance(100);
  await agent.close();
  expect(seen).toEqual([{ db: "own" }]);
});

it("is not undone, and keeps its place in what is undone around it", async () => {
  const undone: string[] = [];
  const undo = () => void undone.push("a");
  const kept = defineTool({
    name: "A",
    description: "Acts",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: () => 1,
    undo,
  });
  const { result } = await runScenario(() => ({
    tools: [kept, createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] })],
    plan: {
      steps: [
        { id: "a", tool: "A", input: {} },
        { id: "w", wait: { forMs: 0 } },
        { id: "f", tool: "F", input: {} },
      ],
    },
    options: { undoOnFailure: true },
    isResumable: false,
  }));
  expect(result.steps.map(({ status }) => status)).toEqual(["undone", "completed", "failed"]);
  expect(result.notUndone ?? []).toEqual([]);
  expect(undone.length).toBeGreaterThan(0);
});

it("is shown by a dry run, in pictures, and for a tool of the same name", async () => {
  const waits = createFakeTool({ name: "wait" });
  const agent = createAgent({ tools: [waits, works()] });
  const plan = planOf({ event: "paid", timeoutMs: 7 });
  const { steps } = await agent.dryRun(plan);
  expect(steps).toMatchObject([
    { stepId: "w", tool: "wait", input: { event: "paid", timeoutMs: 7 }, effect: "pure", needsApproval: false },
    { stepId: "a", tool: "A", dependsOn: ["w"] },
  ]);
  const run = await agent.execute(plan);
  expect(toMermaid(run)).toContain("wait");
  expect(toHtml(run)).toContain("waiting");
  expect(waits.calls).toEqual([]);
});
