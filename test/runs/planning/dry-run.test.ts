import {
  type AgentOptions,
  type ApprovalQuestion,
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  hashPlan,
  type PlanInput,
  type Tool,
} from "planwright";
import { collectEvents, createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod/v4";
import type { DryRunOptions } from "../../../src/runs/run/run-options.ts";
import { planOf, step } from "../../scenario/plans.ts";

const execute = vi.fn(() => {
  throw new Error("A dry run has called a tool.");
});

const read = defineTool({
  name: "Read",
  description: "Reads a file",
  inputSchema: z.object({ path: z.string(), lines: z.number().default(10) }),
  effect: "pure",
  execute,
});

const write = defineTool({
  name: "Write",
  description: "Writes a file",
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  effect: ({ path }) => (path.startsWith("/tmp") ? "idempotent" : "once"),
  needsApproval: ({ path }) => !path.startsWith("/tmp"),
  execute,
  undo: execute,
});

const tools = [read, write];
const least = { description: "Does it", inputSchema: z.looseObject({}), effect: "idempotent", execute } as const;

async function look(plan: PlanInput, options: DryRunOptions = {}, agentOptions: Partial<AgentOptions> = {}) {
  const store = createMemoryRunStore();
  const agent = createAgent<readonly Tool[]>({ tools, store, clock: createManualClock(), ...agentOptions });
  const heard = collectEvents(agent);
  const seen = await agent.dryRun(plan, options);
  expect(heard.events).toEqual([]);
  expect((await agent.listRuns()).runs).toEqual([]);
  expect(execute).not.toHaveBeenCalled();
  return seen;
}

const writeTo = (path: string, rest = {}) => ({
  steps: [step("s1", "Write", { input: { path, text: "hello" }, ...rest })],
});

describe("a dry run of a plan", () => {
  it("reports what each step would do, and runs nothing", async () => {
    const plan = {
      steps: [
        step("get", "Read", { input: { path: "/etc/hosts" }, reasoning: "To know" }),
        step("put", "Write", { input: { path: "/tmp/copy", text: "It was: ${get.text}" }, dependsOn: [] }),
        step("end", "Read", { input: { path: "/tmp/copy", lines: 3 } }),
      ],
    };
    const seen = await look(plan);
    expect(seen.steps).toEqual([
      {
        stepId: "get",
        tool: "Read",
        // Before the schema's defaults, as it would be recorded.
        input: { path: "/etc/hosts" },
        defaults: { lines: 10 },
        open: [],
        dependsOn: [],
        effect: "pure",
        needsApproval: false,
        canUndo: false,
        reasoning: "To know",
      },
      {
        stepId: "put",
        tool: "Write",
        input: { path: "/tmp/copy", text: "It was: ${get.text}" },
        open: ["get.text"],
        dependsOn: ["get"],
        effect: "by-input",
        needsApproval: "by-input",
        canUndo: true,
      },
      {
        stepId: "end",
        tool: "Read",
        input: { path: "/tmp/copy", lines: 3 },
        open: [],
        dependsOn: ["put"],
        effect: "pure",
        needsApproval: false,
        canUndo: false,
      },
    ]);
    expect(seen.plan).toMatchObject({ version: 1, request: "", source: { planner: "given" }, steps: plan.steps });
    expect(seen.plan.createdAt).toBe("2026-01-01T00:00:00.000Z");
    expect(seen.planHash).toBe(await hashPlan(plan));
  });

  it.each([
    ["/tmp/a", "idempotent", false],
    ["/etc/passwd", "once", true],
  ])("reports the effect and the approval of a known input: %s", async (path, effect, needsApproval) => {
    expect((await look(writeTo(path))).steps).toMatchObject([{ effect, needsApproval, open: [] }]);
  });

  it("shows every open reference, and literals as the tool would receive them", async () => {
    const seen = await look({
      steps: [
        step("a", "Read", { input: { path: "x" } }),
        step("b", "Write", { input: { path: { $ref: "a.path" }, text: "${a.x} and ${a.y}" } }),
        step("c", "Write", { input: { path: "/tmp/c", text: "${$}{HOME}" } }),
      ],
    });
    expect(seen.steps.map(({ open }) => open)).toEqual([[], ["a.path", "a.x", "a.y"], []]);
    expect(seen.steps[2]?.input).toEqual({ path: "/tmp/c", text: "${HOME}" });
  });

  it("passes the input and the effect to the agent's policy", async () => {
    const needsApproval = vi.fn(() => true);
    const seen = await look({ steps: [step("s1", "Read", { input: { path: "x" } })] }, {}, { needsApproval });
    expect(seen.steps).toMatchObject([{ needsApproval: true }]);
    expect(needsApproval).toHaveBeenCalledWith(
      expect.objectContaining({
        kind: "step",
        stepId: "s1",
        tool: "Read",
        input: { path: "x", lines: 10 },
        effect: "pure",
      }),
    );
  });

  it("cannot know what a policy will return for an input that is open", async () => {
    const seen = await look(
      {
        steps: [
          step("a", "Read", { input: { path: "x" } }),
          step("b", "Read", { input: { path: { $ref: "a.next" } } }),
        ],
      },
      {},
      { needsApproval: async () => false },
    );
    expect(seen.steps.map(({ needsApproval }) => needsApproval)).toEqual([false, "by-input"]);
  });

  it.each([
    ["yes", true],
    [1, true],
    [undefined, false],
    ["", false],
  ])("treats an answer that is not a boolean as a run does: %s", async (answer, needsApproval) => {
    const seen = await look(writeTo("/tmp/a"), {}, { needsApproval: () => answer as never });
    expect(seen.steps).toMatchObject([{ needsApproval }]);
  });

  it.each(["throws", "rejects"])("treats a policy that %s as yes, for steps and for the plan", async (how) => {
    const down = new Error("down");
    const needsApproval = () => {
      if (how === "throws") throw down;
      return Promise.reject(down);
    };
    const seen = await look(writeTo("/tmp/a"), {}, { needsApproval });
    expect(seen).toMatchObject({ needsApproval: true, steps: [{ needsApproval: true, effect: "idempotent" }] });
  });

  it("treats a tool that throws as yes, without asking the policy", async () => {
    const needsApproval = vi.fn(({ kind }: ApprovalQuestion) => kind === "plan");
    const down = () => {
      throw new Error("down");
    };
    const seen = await look(writeTo("/tmp/a"), {}, { tools: [read, { ...write, needsApproval: down }], needsApproval });
    expect(seen.steps).toMatchObject([{ needsApproval: true, effect: "idempotent" }]);
    expect(needsApproval.mock.calls.map(([{ kind }]) => kind)).toEqual(["plan"]);
  });

  it.each(["before", "while the policy is asked"])("is cancelled by its signal, %s", async (when) => {
    const controller = new AbortController();
    const asked: ApprovalQuestion[] = [];
    const needsApproval = (question: ApprovalQuestion): Promise<never> => {
      asked.push(question);
      controller.abort("enough");
      return new Promise(() => {});
    };
    if (when === "before") controller.abort("enough");
    const plan = { steps: [step("a", "Read", { input: { path: "x" } }), step("b", "Read", { input: { path: "y" } })] };
    await expect(look(plan, { signal: controller.signal }, { needsApproval })).rejects.toMatchObject({
      code: "cancelled",
      message: expect.stringContaining("enough"),
    });
    expect(asked).toHaveLength(when === "before" ? 0 : 1);
  });

  it("omits the effect of a tool without one", async () => {
    const odd = { ...createFakeTool({ name: "Odd", effect: "idempotent" }), effect: () => "sometimes" as never };
    const seen = await look(planOf("Odd"), {}, { tools: [odd] });
    expect(seen.steps).toMatchObject([{ tool: "Odd", effect: "by-input" }]);
  });

  it("reports tools that always need approval, and only the declared effects if an effect throws", async () => {
    const always = defineTool({ ...least, name: "Always", needsApproval: true });
    const never = defineTool({ ...least, name: "Never", needsApproval: false });
    const broken = { ...always, effect: () => never.effect(JSON.parse("?")) };
    const open = { steps: [step("a", "Never"), step("b", "Always", { input: { x: { $ref: "a.x" } } })] };
    const seen = await look(open, {}, { tools: [always, never] });
    expect(seen.steps.map(({ needsApproval }) => needsApproval)).toEqual([false, true]);
    expect((await look(planOf("Always"), {}, { tools: [broken] })).steps).toMatchObject([{ needsApproval: true }]);
  });

  it("asks about a step as its tool would get it, without a run", async () => {
    const questions: ApprovalQuestion[] = [];
    const needsApproval = (question: ApprovalQuestion) => questions.push(question) > 9;
    await look({ steps: [step("s1", "Read", { input: { path: "x" }, reasoning: "why" })] }, {}, { needsApproval });
    expect(questions).toEqual([
      {
        kind: "step",
        stepId: "s1",
        tool: "Read",
        input: { path: "x", lines: 10 },
        given: { path: "x" },
        effect: "pure",
        reasoning: "why",
      },
      { kind: "plan", plan: expect.anything() },
    ]);
  });

  it("returns copies: changing them changes neither the plan nor another dry run", async () => {
    const plan = writeTo("/tmp/a");
    const seen = await look(plan);
    Object.assign(seen.steps[0]?.input ?? {}, { path: "/changed" });
    expect(plan.steps[0]?.input).toEqual({ path: "/tmp/a", text: "hello" });
    expect((await look(plan)).steps[0]?.input).toEqual({ path: "/tmp/a", text: "hello" });
  });

  it("is JSON", async () => {
    const seen = await look(writeTo("/tmp/a", { reasoning: "why" }));
    expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
  });
});

describe("a dry run rejects", () => {
  it.each<[string, PlanInput, DryRunOptions]>([
    ["an unknown tool", planOf("Nothing"), {}],
    ["an input that does not fit", { steps: [step("s1", "Read", { input: { path: 5 } })] }, {}],
    ["a tool that may not be used this time", writeTo("/tmp/a"), { tools: ["Read"] }],
    [
      "more steps than there may be",
      { steps: ["a", "b"].map((id) => step(id, "Read", { input: { path: id } })) },
      { maxSteps: 1 },
    ],
    ["a value that is not a plan", 5 as never, {}],
  ])("%s", async (_what, plan, options) => {
    const agent = createAgent<readonly Tool[]>({ tools });
    await expect(agent.dryRun(plan, options)).rejects.toMatchObject({ code: "invalid-plan" });
  });

  it("a plan other than the approved one, and accepts the approved one", async () => {
    const approvedHash = await hashPlan(writeTo("/tmp/a"));
    expect((await look(writeTo("/tmp/a"), { approvedHash })).planHash).toBe(approvedHash);
    await expect(look(writeTo("/tmp/b"), { approvedHash })).rejects.toMatchObject({
      code: "plan-not-approved",
      details: { approvedHash, planHash: await hashPlan(writeTo("/tmp/b")) },
    });
  });

  it.each([
    ["options.step", { step: 1 }],
    ["maxSteps", { maxSteps: 0 }],
    ["approvedHash", { approvedHash: 1 }],
    ["timeZone", { timeZone: "Mars/Base" }],
  ])("bad options: %s", async (option, options) => {
    await expect(look(writeTo("/tmp/a"), options as never)).rejects.toMatchObject({
      code: "invalid-options",
      details: { option },
    });
  });

  it.each(["runId", "concurrency", "resources", "maxReplans"])("an option of a run: %s", async (key) => {
    await expect(look(writeTo("/tmp/a"), { [key]: 1 } as never)).rejects.toMatchObject({
      code: "invalid-options",
      details: {
        option: `options.${key}`,
        expected: "one of context, tools, maxSteps, timeZone, budget, thread, signal, approvedHash",
      },
    });
  });
});

describe("a dry run of a request", () => {
  const create = (planner = createScriptedPlanner([writeTo("/tmp/a") as never])) =>
    createAgent({ tools, planner, store: createMemoryRunStore() });

  it("plans it, emits events about planning, and stores nothing", async () => {
    const agent = create();
    const heard = collectEvents(agent);
    const seen = await agent.dryRun("write hello");
    expect(seen.plan).toMatchObject({ request: "write hello", source: { planner: "scripted" } });
    expect(seen.steps).toMatchObject([{ tool: "Write", effect: "idempotent" }]);
    expect(heard.types()).toEqual(["plan-start", "plan-end"]);
    expect((await agent.listRuns()).runs).toEqual([]);
    expect(execute).not.toHaveBeenCalled();
  });

  it("returns a plan and a hash that a run accepts", async () => {
    const tool = createFakeTool({ name: "A", outcomes: [{ returns: 1 }] });
    const agent = createAgent({ tools: [tool], planner: createScriptedPlanner([planOf("A") as never]) });
    const { plan, planHash } = await agent.dryRun("do A");
    expect(tool.calls).toEqual([]);
    const result = await agent.execute(plan, { approvedHash: planHash });
    expect(result).toMatchObject({ status: "completed", plan: { id: plan.id } });
  });

  it("rejects as planning does", async () => {
    const failing = create(createScriptedPlanner([new Error("no idea"), planOf("Nothing") as never]));
    await expect(failing.dryRun("anything")).rejects.toMatchObject({ code: "planning-failed" });
    await expect(failing.dryRun("anything")).rejects.toMatchObject({ code: "invalid-plan" });
    await expect(create().dryRun("")).rejects.toMatchObject({ code: "invalid-request" });
    await expect(create().dryRun("anything", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect(create().dryRun("anything", { approvedHash: "0" })).rejects.toMatchObject({
      code: "plan-not-approved",
    });
  });
});

describe("a dry run of an orchestrator", () => {
  it("inspects plans", async () => {
    const orchestrator = createOrchestrator<readonly Tool[]>({ tools, store: createMemoryRunStore() });
    expect((await orchestrator.dryRun(writeTo("/tmp/a"))).steps).toMatchObject([{ stepId: "s1" }]);
    await expect(orchestrator.dryRun("write" as never)).rejects.toMatchObject({ code: "invalid-plan" });
  });
});
