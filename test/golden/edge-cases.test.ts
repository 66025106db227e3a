import { type AgentEvent, createAgent, createMemoryRunStore, defineTool, type Planner } from "planwright";
import { createFakeTool, createManualClock, createScriptedPlanner, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerLater } from "../scenario/answer-later.ts";
import { eventTexts, statuses } from "../scenario/ask-for-approval.ts";
import { planOf, step } from "../scenario/plans.ts";
import { record, resumeFrom, until } from "../scenario/resume-from.ts";
import { runScenario, type Scenario } from "../scenario/run-scenario.ts";
import { share } from "../scenario/two-processes.ts";

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

const lost: FakeOutcome = { throws: new Error("the answer was lost") };
const broken: FakeOutcome = { throws: { message: "broken", retryable: false } };
const pay = (outcome: FakeOutcome, timeoutMs?: number) =>
  createFakeTool({ name: "Pay", outcomes: [outcome], effect: "once", timeoutMs });

describe("a call in doubt", () => {
  it("is repeated by a replan only if somebody allows it", async () => {
    const planner: Planner = {
      name: "again",
      plan: () => Promise.reject(new Error("it only plans again")),
      replan: async () => ({ steps: [{ id: "again", tool: "Pay", input: {}, dependsOn: [] }] }),
    };
    let calls: readonly unknown[] = [];
    const { result } = await runScenario(() => {
      const tool = pay(lost);
      calls = tool.calls;
      const options = { maxReplans: 1, replanTools: ["Pay"] };
      return { tools: [tool], planner, plan: planOf("Pay"), options, isResumable: false };
    });
    expect(result).toMatchObject({
      status: "suspended",
      pending: [{ kind: "approval", stepId: "again", reasons: [{ code: "in-doubt", stepId: "s1" }] }],
    });
    expect(calls).toHaveLength(1);
  });

  it("is not in doubt once somebody has settled it as failed: it needs no undoing", async () => {
    const { result } = await runScenario(() => ({
      tools: [pay({ hangs: "until-aborted" }, 50), createFakeTool({ name: "A" })],
      plan: planOf("Pay", "A"),
      options: { undoOnFailure: true },
      isResumable: false,
      executions: [({ another, runId }) => another().settle(runId, "s1", { failed: "no such payment" })],
    }));
    expect(result).toMatchObject({ status: "failed", error: { message: "no such payment" } });
    expect(result).not.toHaveProperty("notUndone");
  });

  it("keeps its run waiting after a kill, even if a loop beside it has failed", async () => {
    const create = (): Scenario => ({
      tools: [pay({ hangs: "until-aborted" }, 50), createFakeTool({ name: "Bad", outcomes: [broken] })],
      plan: {
        steps: [step("u", "Pay", { dependsOn: [] }), step("b", "Bad", { dependsOn: [], forEach: "[1, 2, 3]" })],
      },
      options: { concurrency: 2 },
    });
    const { recorded, result } = await record(create);
    expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "u" }] });
    for (const last of ["step-end u", "step-skip b[2]"]) {
      const { result: resumed } = await resumeFrom(until(recorded, last), () => ({ tools: create().tools }));
      expect(resumed).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "u" }] });
      expect(statuses(resumed)).toEqual(statuses(result));
    }
  });
});

describe("a step that was cut off", () => {
  it("is compared with its tool as it is now, before it is called", async () => {
    const { recorded } = await record(() => ({ tools: [createFakeTool({ name: "A" })], plan: planOf("A") }));
    const cut = until(recorded, "step-start s1");
    const called = createFakeTool({ name: "A" });
    const strict = { ...called, inputSchema: z.object({ to: z.string() }) };
    const { process, store } = await share(() => [createFakeTool({ name: "A" })], { recorded: cut });
    const runId = cut[0]?.runId ?? "";
    const refused = process({ tools: [strict as never] }).resume(runId);
    await expect(refused).rejects.toMatchObject({ code: "resume-mismatch" });
    const ended = ["run-resume", "step-end s1", "run-suspend"];
    expect(eventTexts(await store.read(runId))).toEqual([...eventTexts(cut), ...ended]);
    expect(called.calls).toEqual([]);
    expect(await process().resume(runId)).toMatchObject({ status: "completed" });
  });
});

describe("an error with large details", () => {
  it("is recorded so that its run can be read and resumed", async () => {
    const rule = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, "v".repeat(20)]));
    const details = { rules: Array.from({ length: 10 }, () => rule) };
    const create = (): Scenario => ({
      tools: [
        { ...createFakeTool({ name: "U" }), undo: async () => {} },
        createFakeTool({ name: "A", outcomes: [{ throws: Object.assign(new Error("no"), { details }) }] }),
      ],
      plan: planOf("U", "A"),
      options: { undoOnFailure: true },
    });
    const { result, recorded } = await runScenario(create);
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed", details: { attempts: 3 } } });
    expect(statuses(result)).toEqual(["s1 undone", "s2 failed"]);
    expect(eventTexts(recorded).at(-1)).toBe("run-end");
  });

  it("keeps the step in doubt if not all of its attempts are kept: one of them may have been cut off", async () => {
    const details = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, "v".repeat(2_000)]));
    const large: FakeOutcome = { throws: Object.assign(new Error("no"), { details }) };
    const outcomes: FakeOutcome[] = [...new Array(22).fill(large), { hangs: "until-aborted" }, large];
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes, retry: { maxAttempts: 24 }, timeoutMs: 50, clock })],
      plan: planOf("A"),
      options: { undoOnFailure: true },
      isResumable: false,
    }));
    expect(result).toMatchObject({ status: "failed", error: { details: { attempts: 24 } } });
    expect(result.notUndone).toEqual([{ stepId: "s1", tool: "A", reason: "unknown" }]);
  });
});

describe("a run is never blocked", () => {
  it("by an async schema that hangs during an undo, which counts as a timeout", async () => {
    const { result, events } = await runScenario(() => {
      let hasRun = false;
      const tool = defineTool({
        name: "A",
        description: "Does something",
        inputSchema: z.looseObject({}).refine(() => (hasRun ? new Promise<boolean>(() => {}) : Promise.resolve(true))),
        effect: "idempotent",
        execute: () => {
          hasRun = true;
        },
        undo: () => undefined,
      });
      const failing = createFakeTool({
        name: "B",
        outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }],
      });
      return { tools: [tool, failing], plan: planOf("A", "B"), options: { undoOnFailure: true }, isResumable: false };
    });
    expect(result.notUndone).toEqual([{ stepId: "s1", tool: "A", reason: "failed" }]);
    expect(events.find(({ type }) => type === "undo-end")).toMatchObject({
      attempts: 0,
      outcome: { status: "failed", error: { code: "timeout" } },
    });
  });

  it("by a retry that would have to wait for its turn longer than maxTotalMs", async () => {
    const { result } = await runScenario(() => {
      const tool = createFakeTool({
        name: "A",
        outcomes: [{ throws: new Error("no") }],
        retry: { maxAttempts: 5, minDelayMs: 100, maxTotalMs: 2_000 },
      });
      return { tools: [{ ...tool, rateLimit: { limit: 1, intervalMs: 60_000 } }], plan: planOf("A") };
    });
    expect(result.steps).toMatchObject([{ status: "failed", attempts: 1, error: { code: "tool-failed" } }]);
  });

  it.each([
    ["throws", () => JSON.parse("no")],
    ["is not a number", () => Number.NaN],
  ])("by a random number that %s: the middle of the jitter is used", async (_what, random) => {
    const { result, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: new Error("no") }, { returns: 1 }] })],
      plan: planOf("A"),
      random,
    }));
    expect(result.status).toBe("completed");
    expect(events.find(({ type }) => type === "step-retry")).toMatchObject({ delayMs: 750 });
  });
});
