import { type AgentEvent, createAgent, createMemoryRunStore, defineTool } from "planwright";
import { createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerLater } from "../scenario/answer-later.ts";
import { eventTexts } from "../scenario/ask-for-approval.ts";
import { planOf, step } from "../scenario/plans.ts";
import { runScenario } from "../scenario/run-scenario.ts";

const final = Object.assign(new Error("no"), { retryable: false });
const never = () => new Promise<never>(() => {});

describe("an unanswered question does not block a run that fails meanwhile:", () => {
  const steps = [step("f", "Fails", { dependsOn: [] }), step("a", "Asks", { dependsOn: [] })];
  const looped = [steps[0], step("a", "Asks", { dependsOn: [], forEach: "[1, 2]" })];
  const tools = (clock: ReturnType<typeof createManualClock>) => [
    createFakeTool({ name: "Fails", outcomes: [{ afterMs: 10, throws: final }], clock }),
    createFakeTool({ name: "Asks" }),
  ];

  it.each([
    [
      "requestApproval, for a step",
      steps,
      { needsApproval: ({ kind }: { kind: string }) => kind === "step", requestApproval: never },
    ],
    [
      "requestApproval, for an iteration",
      looped,
      { needsApproval: ({ kind }: { kind: string }) => kind === "step", requestApproval: never },
    ],
  ])("%s", async (_what, plan, agent) => {
    const { result } = await runScenario((clock) => ({
      tools: tools(clock),
      plan: { steps: plan } as never,
      options: { concurrency: 2 },
      ...agent,
      needsApproval: (question) => question.kind === "step" && question.tool === "Asks",
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
  });

  it("needsApproval", async () => {
    const { result } = await runScenario((clock) => ({
      tools: tools(clock),
      plan: { steps },
      options: { concurrency: 2 },
      needsApproval: (question) => (question.kind === "step" && question.tool === "Asks" ? never() : false),
    }));
    expect(result.status).toBe("failed");
    expect(result.steps[1]).toMatchObject({ stepId: "a", status: "skipped" });
  });
});

describe("a limit", () => {
  it("of steps is not used up by a loop that it has refused", async () => {
    const many = JSON.stringify(Array.from({ length: 50 }, (_item, index) => index));
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      plan: {
        steps: [
          step("big", "A", { dependsOn: [], forEach: many }),
          step("small", "A", { dependsOn: [], forEach: "[1, 2]" }),
        ],
      },
      options: { maxSteps: 10, onStepFailure: "continue" },
    }));
    expect(result.error).toMatchObject({ code: "limit-exceeded", details: { limit: "steps", max: 10, used: 52 } });
    expect(result.steps.filter(({ stepId }) => stepId === "small").map(({ status }) => status)).toEqual([
      "completed",
      "completed",
    ]);
  });

  it("of calls is not used up by calls that only wait for their turn", async () => {
    const { result } = await runScenario((clock) => {
      const slow = createFakeTool({ name: "Slow", outcomes: [{ afterMs: 100, throws: final }], clock });
      return {
        isResumable: false,
        tools: [{ ...slow, concurrency: 1 }, createFakeTool({ name: "Other" })],
        plan: {
          steps: ["a", "b", "c"]
            .map((id) => step(id, "Slow", { dependsOn: [] }))
            .concat(step("d", "Other", { dependsOn: [] })),
        },
        options: { concurrency: 4, budget: { toolCalls: 3 } },
      };
    });
    expect(result.steps.find(({ stepId }) => stepId === "d")).toMatchObject({ status: "completed" });
  });
});

describe("the events at the end of a run", () => {
  it("report a step cut off while its schema was checked as cancelled, like the run", async () => {
    let hasStarted = false;
    const tool = defineTool({
      name: "A",
      description: "Has a slow schema",
      inputSchema: z.looseObject({}).refine(() => (hasStarted ? never() : Promise.resolve(true))),
      effect: "idempotent",
      execute: () => 1,
    });
    const { result } = await runScenario(() => {
      hasStarted = false;
      return {
        tools: [tool],
        plan: planOf("A"),
        act: async ({ handle, agent, clock }) => {
          agent.once("run-start", () => {
            hasStarted = true;
          });
          await handle.recorded;
          await clock.advance(1);
          handle.cancel();
        },
      };
    });
    expect(result.status).toBe("cancelled");
    expect(result.steps.map(({ status }) => status)).not.toContain("failed");
  });

  it("report no late step while a slow store records the end", async () => {
    const clock = createManualClock();
    const events: AgentEvent[] = [];
    const tool = createFakeTool({
      name: "A",
      outcomes: [{ afterMs: 100, returns: 1 }],
      timeoutMs: 10,
      retry: { maxAttempts: 1 },
      clock,
    });
    const agent = createAgent({
      tools: [tool],
      clock,
      abortGraceMs: 90,
      store: answerLater(createMemoryRunStore()),
      onWarning: () => {},
    });
    agent.subscribe((event) => events.push(event));
    await clock.runUntil(agent.execute(planOf("A") as never));
    await clock.advance(1_000);
    expect(eventTexts(events).at(-1)).toBe("run-end");
  });

  it("include the end of planning when the store has failed meanwhile", async () => {
    const store = createMemoryRunStore();
    let appends = 0;
    const events: AgentEvent[] = [];
    const { append } = store;
    store.append = (...args) => {
      if (++appends > 2) throw new Error("full");
      return append.apply(store, args);
    };
    const planner = createScriptedPlanner([planOf("A") as never]);
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], planner, store });
    agent.subscribe((event) => events.push(event));
    expect(await agent.run("do it")).toMatchObject({ status: "failed", error: { code: "store-failed" } });
    expect(eventTexts(events)).toEqual(["run-start", "plan-start", "plan-end", "run-end"]);
  });

  it("report that a step with an invalid output is not undone", async () => {
    const odd = defineTool({
      name: "Odd",
      description: "Does its work and answers wrongly",
      inputSchema: z.looseObject({}),
      effect: "idempotent",
      outputSchema: z.string(),
      execute: () => 1 as never,
      undo: () => undefined,
    });
    const { result } = await runScenario(() => ({
      tools: [odd],
      plan: planOf("Odd"),
      options: { undoOnFailure: true },
    }));
    expect(result.notUndone).toEqual([{ stepId: "s1", tool: "Odd", reason: "unknown" }]);
  });
});
