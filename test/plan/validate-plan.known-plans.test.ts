import {
  createAgent,
  createFallbackPlanner,
  createLlmPlanner,
  createRoutingPlanner,
  defineTool,
  type LanguageModel,
  type PlanDraft,
  type Planner,
} from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { fails, plannerOf } from "../planners/fake-planners.ts";

const steps = [
  { id: "s1", tool: "Note", input: { text: "milk" }, dependsOn: [] },
  { id: "s2", tool: "Note", input: { text: "${s1.text} and eggs" }, dependsOn: ["s1"] },
];

const calls = [
  { do: "Note", text: "milk" },
  { do: "Note", text: "$1.text and eggs" },
];

/** Answers at once, without streaming: the steps of a stream are also checked one by one, as a preview. */
const model: LanguageModel = {
  provider: "test",
  modelId: "whole",
  generate: async () => ({ text: JSON.stringify({ steps: calls }), finishReason: "stop", usage: {} }),
};

/** An agent whose only tool counts how often an input is checked against its schema. */
function countedAgent(planner: Planner) {
  const checks = { count: 0 };
  const text = z.string().refine(() => {
    checks.count++;
    return true;
  });
  const inputSchema = z.object({ text });
  const note = defineTool({
    name: "Note",
    description: "Takes a note",
    inputSchema,
    effect: "idempotent",
    execute: (input) => input,
  });
  return { agent: createAgent({ tools: [note], planner }), checks };
}

const llm = (cache = false) => createLlmPlanner({ model, cache });
const custom = () => plannerOf("custom", (): PlanDraft => structuredClone({ steps }));

describe("a plan is checked once", () => {
  it.each<[string, Planner]>([
    ["a model", llm()],
    ["a model behind a fallback", createFallbackPlanner([fails("first"), llm()])],
    ["a model behind a routing planner", createRoutingPlanner({ simple: llm(), moderate: llm(), complex: llm() })],
    [
      "a model behind a routing planner and a fallback",
      createRoutingPlanner({ simple: createFallbackPlanner([llm(), custom()]), moderate: llm(), complex: llm() }),
    ],
    ["a custom planner", custom()],
    ["a custom planner behind two fallbacks", createFallbackPlanner([createFallbackPlanner([custom()])])],
  ])("of %s", async (_name, planner) => {
    const { agent, checks } = countedAgent(planner);
    const plan = await agent.plan("milk and eggs");
    expect(plan).toMatchObject({ version: 1, request: "milk and eggs", steps });
    expect(checks.count).toBe(steps.length);
    // Each step checks its input when its references have their values.
    await agent.execute(plan);
    expect(checks.count).toBe(2 * steps.length);
  });

  it("by runs that start together", async () => {
    const { agent, checks } = countedAgent(custom());
    await agent.run("milk and eggs");
    checks.count = 0;
    const plan = { steps };
    await Promise.all(Array.from({ length: 3 }, () => agent.execute(plan)));
    expect(checks.count).toBe((1 + 3) * steps.length);
  });

  it("though it is kept for many requests", async () => {
    const { agent, checks } = countedAgent(createFallbackPlanner([llm(true)]));
    const plans = [await agent.plan("milk and eggs"), await agent.plan("milk and eggs")];
    expect(plans[1]?.source.cached).toBe(true);
    expect(checks.count).toBe(steps.length);
  });
});

describe("a planner around another one", () => {
  const around = (change: (draft: PlanDraft) => unknown): Planner => {
    const inner = createFallbackPlanner([custom()]);
    return { name: "around", plan: async (request) => change(await inner.plan(request)) as PlanDraft };
  };

  it("cannot change the steps that were found valid", async () => {
    const { agent } = countedAgent(around((draft) => Object.assign(draft.steps[0]?.input ?? {}, { text: 7 })));
    await expect(agent.plan("milk")).rejects.toMatchObject({ code: "planning-failed", cause: expect.any(TypeError) });
    const push = countedAgent(around((draft) => (draft.steps as unknown[]).push({})));
    await expect(push.agent.plan("milk")).rejects.toMatchObject({ code: "planning-failed" });
  });

  it("has what it changed in a copy checked", async () => {
    const { agent } = countedAgent(
      around(({ steps }) => ({ steps: steps.map((step) => ({ ...step, input: { text: 7 } })) })),
    );
    await expect(agent.plan("milk")).rejects.toMatchObject({
      code: "invalid-plan",
      details: { issues: [{ code: "invalid-input" }, { code: "invalid-input" }] },
    });
  });

  it("has its source checked though the steps are known", async () => {
    const { agent } = countedAgent(around(({ steps }) => ({ steps, source: { planner: 5 } })));
    await expect(agent.plan("milk")).rejects.toMatchObject({
      code: "invalid-plan",
      details: { issues: [{ code: "invalid-shape", path: ["source", "planner"] }] },
    });
  });

  it("gets the steps checked with the agent's own tools, whatever it checked them with", async () => {
    const lax = defineTool({
      name: "Note",
      description: "Any",
      inputSchema: z.looseObject({}),
      effect: "idempotent",
      execute: () => null,
    });
    const inner = createFallbackPlanner([
      plannerOf("lax", () => ({ steps: [{ ...steps[0], input: { text: 7 } }] }) as never),
    ]);
    const planner: Planner = { name: "around", plan: (request) => inner.plan({ ...request, tools: [lax] }) };
    await expect(countedAgent(planner).agent.plan("milk")).rejects.toMatchObject({ code: "invalid-plan" });
  });
});
