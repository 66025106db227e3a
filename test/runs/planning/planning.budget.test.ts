import { createAgent, type LanguageModel } from "planwright";
import { collectEvents, createFakeTool, createScriptedModel, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { asksModel, used } from "../../scenario/planner-with-model.ts";

describe("plan() with a budget", () => {
  const agentOf = (model: LanguageModel) =>
    createAgent({ tools: [createFakeTool({ name: "A" })], planner: asksModel(model) });

  it("stays within it, and counts usage", async () => {
    const agent = agentOf(createScriptedModel([used(10, 5)]));
    const collected = collectEvents(agent);
    const plan = await agent.plan("Do it", { budget: { tokens: 31 } });
    expect(plan.source).toMatchObject({ usage: { modelCalls: 1, inputTokens: 10 }, calls: [{ inputTokens: 10 }] });
    expect(collected.events.at(-1)).toMatchObject({ type: "plan-end", usage: { modelCalls: 1 } });
  });

  it("throws if it does not allow a call; each plan has its own", async () => {
    const model = createScriptedModel([used(10, 5), used(10, 5)]);
    const agent = agentOf(model);
    await expect(agent.plan("Do it", { budget: { modelCalls: 0 } })).rejects.toMatchObject({ code: "limit-exceeded" });
    await agent.plan("Do it", { budget: { modelCalls: 1 } });
    await agent.plan("Do it", { budget: { modelCalls: 1 } });
    model.assertComplete();
  });

  it("does not count towards the budget of the run that follows", async () => {
    const agent = agentOf(createScriptedModel([used(10, 5)]));
    const plan = await agent.plan("Do it");
    const result = await agent.execute(plan, { budget: { modelCalls: 0 } });
    expect(result.status).toBe("completed");
    expect(result).not.toHaveProperty("usage");
    expect(result.plan?.source.usage?.modelCalls).toBe(1);
  });

  it.each([
    { modelCalls: -1 },
    { modelCalls: 0.5 },
    { tokens: Number.NaN },
    { cost: -0.1 },
    { cost: "5" },
    { price: 1 },
    5,
  ])("refuses the budget %j", async (budget) => {
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], planner: createScriptedPlanner([]) });
    await expect(agent.plan("Do it", { budget: budget as never })).rejects.toMatchObject({ code: "invalid-options" });
  });
});
