import * as main from "planwright";
import {
  createAgent,
  createExpressions,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
} from "planwright/engine";
import { createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import * as z from "zod/v4";

const add = defineTool({
  name: "Add",
  description: "Adds two numbers",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  effect: "pure",
  execute: ({ a, b }) => ({ sum: a + b }),
});
const pay = defineTool({
  name: "PayBill",
  description: "Pays",
  inputSchema: z.object({ to: z.string(), pin: main.sensitive(z.string()) }),
  needsApproval: true,
  phrases: ["pay {to} with {pin}"],
  execute: () => "paid",
});
const steps = [
  { id: "s1", tool: "Add", input: { a: 1, b: 2 } },
  { id: "s2", tool: "Add", input: { a: { $ref: "s1.sum" }, b: 1 } },
];
const conditional = [steps[0], { ...steps[1], when: "s1.sum > 5" }] as typeof steps;
const looped = [{ id: "s1", tool: "Add", input: { a: { $ref: "item" }, b: 1 }, forEach: "[1, 2]" }];
const planOf = (some: typeof steps) => createScriptedPlanner([{ steps: some }]);
const unreadable = (path: readonly (string | number)[]) => ({
  code: "invalid-expression",
  path,
  message: "This agent cannot evaluate expressions. Give it `expressions: createExpressions()` from planwright/engine.",
});

describe("createAgent of planwright/engine", () => {
  it("runs what its planner plans", async () => {
    const agent = createAgent({ tools: [add], planner: planOf(steps) });
    expect(await agent.run("add")).toMatchObject({ status: "completed", output: { sum: 4 } });
  });

  it("has to be given a planner, tools and known options", () => {
    const create = createAgent as (options?: unknown) => unknown;
    expect(() => create()).toThrow("createAgent({ tools: [ … ], planner: … })");
    expect(() => create({ tools: [add] })).toThrow(/"planner" must be a planner/);
    expect(() => create({ planner: planOf(steps) })).toThrow(/"tools"/);
    expect(() => create({ tools: [], planner: planOf(steps), plannr: 1 })).toThrow('Unknown option "plannr"');
    const expressions = true;
    expect(() => create({ tools: [], planner: planOf(steps), expressions })).toThrow(/"expressions" must be/);
  });

  it("refuses a plan with an expression, and names the option", async () => {
    const agent = createAgent({ tools: [add], planner: planOf(conditional) });
    await expect(agent.plan("add")).rejects.toMatchObject({
      code: "invalid-plan",
      details: { issues: [unreadable(["steps", 1, "when"])] },
    });
    await expect(agent.execute({ steps: looped })).rejects.toMatchObject({
      details: { issues: [unreadable(["steps", 0, "forEach"])] },
    });
    // The same tools and the same list of steps, which another agent has found valid.
    const other = createAgent({ tools: [add], planner: planOf(steps), expressions: createExpressions() });
    expect(await other.execute({ steps: looped })).toMatchObject({ status: "completed" });
    await expect(agent.execute({ steps: looped })).rejects.toMatchObject({ code: "invalid-plan" });
    await expect(agent.dryRun({ steps: looped })).rejects.toMatchObject({ code: "invalid-plan" });
  });

  it("evaluates expressions that it is given the language of", async () => {
    const agent = createAgent({ tools: [add], planner: planOf(conditional), expressions: createExpressions() });
    const { steps: records } = await agent.run("add");
    expect(records.map(({ status }) => status)).toEqual(["completed", "skipped"]);
    expect(await agent.execute({ steps: looped })).toMatchObject({ output: [{ sum: 2 }, { sum: 3 }] });
    expect(await agent.dryRun({ steps: looped })).toMatchObject({ steps: [{ forEach: "[1, 2]" }] });
  });

  it("does not resume or fork a run with expressions without their language", async () => {
    const store = createMemoryRunStore();
    const steps = [{ id: "s1", tool: "PayBill", input: { to: "Ada", pin: "1234" }, when: "1 < 2" }];
    const options = { tools: [pay], planner: planOf([]), store };
    const able = createAgent({ ...options, expressions: createExpressions() });
    const { runId, pending = [] } = await able.execute({ steps });
    const [item] = pending.filter(({ kind }) => kind === "approval");
    await able.close();
    const agent = createAgent(options);
    const reason = /its plan has expressions, and this agent was created without `expressions`/;
    const approving = agent.approve(runId, item as Parameters<typeof agent.approve>[1]);
    await expect(approving.result).rejects.toThrow(reason);
    await expect(agent.fork(runId).result).rejects.toMatchObject({ code: "resume-mismatch" });
    expect(await agent.cancel(runId)).toMatchObject({ status: "cancelled" });
  });

  it("says what waits by the names of tools and inputs, without secrets and phrases", async () => {
    const agent = createAgent({ tools: [pay], planner: planOf([]) });
    await agent.execute({ steps: [{ id: "s1", tool: "PayBill", input: { to: "Ada", pin: "1234" } }] });
    const { items } = await agent.listPending();
    expect(items.map(({ text }) => text)).toEqual(["pay bill, to: Ada, pin: [sensitive]"]);
  });

  it("refuses schemas of zod 3, which the main entry reads", async () => {
    const named = { name: "Old", description: "Is old", execute: () => ({}) };
    const planner = planOf(steps);
    const old = z3.object({ a: z3.string() });
    const message = (option: string) =>
      `Option "${option}" must be a schema of zod 4 or another library: only "planwright" reads zod 3; received "a schema of zod 3".`;
    for (const tool of [{ ...named, inputSchema: old }, defineTool({ ...named, inputSchema: old })])
      expect(() => createAgent({ tools: [tool], planner })).toThrow(message("Old.inputSchema"));
    const answers = { ...named, inputSchema: z.object({}), outputSchema: old };
    expect(() => createOrchestrator({ tools: [answers], store: createMemoryRunStore() })).toThrow(
      message("Old.outputSchema"),
    );
    expect(() => createAgent({ tools: [], planner, events: { paid: old } })).toThrow(message("events.paid"));
    const agent = main.createAgent({ tools: [{ ...named, inputSchema: old }], planner, events: { paid: old } });
    const plan = { steps: [{ id: "s1", tool: "Old", input: { a: "x" } }] };
    expect(await agent.execute(plan)).toMatchObject({ status: "completed" });
  });
});

describe("createOrchestrator of planwright/engine", () => {
  it("runs plans, those with expressions only with their language", async () => {
    const store = createMemoryRunStore();
    const plain = createOrchestrator({ tools: [add], store });
    expect(await plain.execute({ steps })).toMatchObject({ output: { sum: 4 } });
    await expect(plain.execute({ steps: conditional })).rejects.toMatchObject({ code: "invalid-plan" });
    expect("plan" in plain).toBe(false);
    const able = createOrchestrator({ tools: [add], store, expressions: createExpressions() });
    expect(await able.execute({ steps: conditional })).toMatchObject({ status: "completed" });
  });
});
