import {
  type Agent,
  type AgentEventOf,
  type AgentOptions,
  createFallbackPlanner,
  createRulePlanner,
  defineTool,
  type LanguageModel,
  type RunBudget,
  type RunOptions,
} from "planwright";
import { createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { foldEvents } from "../../../src/core/run-state.ts";
import { approvalOf, askingTool } from "../../scenario/ask-for-approval.ts";
import { type AsksModelOptions, asksModel, used } from "../../scenario/planner-with-model.ts";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { added, failing, revisions, steps, works } from "../../scenario/scripted-replanner.ts";

const price = { inputPerMillion: 1_000, outputPerMillion: 10_000 };

interface Setup extends AsksModelOptions {
  answers?: readonly ScriptedAnswer[];
  options?: RunOptions;
  price?: LanguageModel["price"];
  agent?: Partial<AgentOptions>;
}

/** Plays a run whose plan a model creates; `agent` is one that has its store. */
async function play({ answers = [used(10, 5)], options, price, agent: agentOptions, ...asks }: Setup = {}) {
  let agent: Agent | undefined;
  const played = await runScenario(() => ({
    tools: [works(), failing(), askingTool("B")],
    planner: asksModel(createScriptedModel(answers, { price }), asks),
    request: "Do it",
    ...(options && { options }),
    ...agentOptions,
    act: (around) => {
      agent = around.agent;
    },
  }));
  const planEnd = played.events.find((event): event is AgentEventOf<"plan-end"> => event.type === "plan-end");
  return { ...played, planEnd, agent: agent as Agent };
}

describe("the usage of models", () => {
  it("appears in the plan, its event, the result and the stored run", async () => {
    const { result, planEnd, recorded, agent } = await play({ answers: [used(10, 5), used(20, 1)], calls: 2, price });
    const usage = { modelCalls: 2, inputTokens: 30, outputTokens: 6, cost: expect.closeTo(0.09, 9) };
    const calls = [
      { model: "scripted/script", inputTokens: 10, outputTokens: 5, cost: expect.closeTo(0.06, 9) },
      { model: "scripted/script", inputTokens: 20, outputTokens: 1, cost: expect.closeTo(0.03, 9) },
    ];
    expect(result).toMatchObject({ status: "completed", plan: { source: { planner: "model", usage, calls } } });
    expect(result.usage).toEqual(usage);
    expect(planEnd?.usage).toEqual(usage);
    expect(foldEvents(result.runId, recorded).usage).toEqual(usage);
    expect((await agent.getRun(result.runId))?.usage).toEqual(usage);
  });

  it("appears nowhere if no model was called", async () => {
    const { result, events, recorded, agent } = await play({ calls: 0, options: { budget: { tokens: 5 } } });
    expect(result.status).toBe("completed");
    expect(result).not.toHaveProperty("usage");
    expect(result.plan?.source).toEqual({ planner: "model" });
    expect(JSON.stringify(events)).not.toMatch(/"usage"|"calls"/);
    expect(foldEvents(result.runId, recorded)).not.toHaveProperty("usage");
    expect(await agent.getRun(result.runId)).not.toHaveProperty("usage");
  });

  it.each<[string, Setup, string]>([
    ["makes an invalid plan", { plan: planOf("Nothing") }, "invalid-plan"],
    ["answers with no plan", { plan: null }, "planning-failed"],
    ["fails", { answers: [used(10, 5), new Error("no")], calls: 2 }, "planning-failed"],
  ])("is reported, too, when the planner %s", async (_what, setup, code) => {
    const { result, planEnd } = await play(setup);
    expect(result).toMatchObject({ status: "failed", error: { code } });
    const failed = setup.calls === 2 ? { modelCalls: 2, inputTokens: 25, isEstimated: true } : { inputTokens: 10 };
    expect(result.usage).toMatchObject({ outputTokens: 5, ...failed });
    expect(planEnd?.usage).toEqual(result.usage);
  });

  it("is estimated for a call that was cancelled part-way", async () => {
    const { result } = await runScenario(() => ({
      tools: [works()],
      planner: asksModel(createScriptedModel([used(10, 5), { hangs: "until-aborted" }]), {
        calls: 2,
        maxOutputTokens: 999,
      }),
      request: "Do it",
      act: async ({ handle, clock }) => {
        await clock.advance(1);
        handle.cancel("enough");
      },
    }));
    expect(result).toMatchObject({
      status: "cancelled",
      usage: { modelCalls: 2, inputTokens: 25, outputTokens: 5, isEstimated: true },
    });
  });

  it("survives the store whatever usage a model reports", async () => {
    const strange = { text: "abc", usage: { inputTokens: Number.NaN, outputTokens: Number.POSITIVE_INFINITY } };
    const { result } = await play({ answers: [strange], price: { inputPerMillion: Number.NaN, outputPerMillion: 1 } });
    expect(result.usage).toEqual({ modelCalls: 1, inputTokens: 15, outputTokens: 1, isEstimated: true });
  });

  it("is the sum of all replans, while each event has its own", async () => {
    const { result, events, planEnd } = await play({
      answers: [used(10, 5), used(20, 6), used(40, 7)],
      plan: planOf("A", "F"),
      replan: steps(added("again", "F")),
      options: { maxReplans: 2 },
    });
    expect(planEnd?.usage).toEqual({ modelCalls: 1, inputTokens: 10, outputTokens: 5 });
    expect(revisions(events).map(({ usage, outcome }) => [outcome.status, usage?.inputTokens])).toEqual([
      ["completed", 20],
      // The id has been used.
      ["failed", 40],
    ]);
    expect(result.usage).toEqual({ modelCalls: 3, inputTokens: 70, outputTokens: 18 });
    expect(result.plan?.source).toMatchObject({ usage: { inputTokens: 20 }, calls: [{ inputTokens: 20 }] });
  });
});

describe("a budget of a run", () => {
  it.each<[RunBudget, LanguageModel["price"], object]>([
    [{ modelCalls: 1 }, undefined, { limit: "modelCalls", max: 1, used: 2 }],
    [{ tokens: 45 }, undefined, { limit: "tokens", max: 45, used: 46 }],
    [{ cost: 0.234 }, price, { limit: "cost", max: 0.234, used: expect.closeTo(0.235, 9) }],
  ])("%j ends it when a call would go over it", async (budget, price, details) => {
    const { result, planEnd, warnings } = await play({ calls: 2, price, options: { budget } });
    expect(result).toMatchObject({ status: "failed", error: { code: "limit-exceeded", retryable: false, details } });
    expect(result.plan).toBeUndefined();
    expect(result.usage).toMatchObject({ modelCalls: 1, inputTokens: 10, outputTokens: 5 });
    expect(planEnd).toMatchObject({ usage: result.usage, outcome: { status: "failed", error: { details } } });
    expect(warnings).toEqual([]);
  });

  it("is sufficient if it is just met", async () => {
    const budget = { modelCalls: 2, tokens: 46, cost: 0.235 };
    const { result } = await play({ answers: [used(10, 5), used(10, 5)], calls: 2, price, options: { budget } });
    expect(result).toMatchObject({ status: "completed", usage: { modelCalls: 2 } });
  });

  it("of cost does not call a model whose price is unknown", async () => {
    const { result } = await play({ options: { budget: { cost: 5 } } });
    expect(result).toMatchObject({
      error: { code: "planning-failed", cause: { code: "invalid-options", details: { option: "budget.cost" } } },
    });
    expect(result).not.toHaveProperty("usage");
  });

  it("that refuses the model lets the rules plan", async () => {
    const weather = defineTool({
      name: "Weather",
      description: "Weather in a city",
      inputSchema: z.object({ city: z.string() }),
      effect: "pure",
      phrases: ["weather in {city}"],
      execute: ({ city }) => `fine in ${city}`,
    });
    const { result, events } = await runScenario(() => ({
      tools: [weather],
      planner: createFallbackPlanner([asksModel(createScriptedModel([])), createRulePlanner()]),
      request: "weather in Berlin",
      options: { budget: { modelCalls: 0 } },
    }));
    expect(result).toMatchObject({ status: "completed", output: "fine in Berlin" });
    expect(result.plan?.source).toMatchObject({
      planner: "rules",
      failures: [{ planner: "model", code: "limit-exceeded" }],
    });
    expect(result).not.toHaveProperty("usage");
    expect(events.map(({ type }) => type).slice(0, 4)).toEqual([
      "run-start",
      "plan-start",
      "plan-fallback",
      "plan-end",
    ]);
  });

  it("counts the usage of planners that returned no plan", async () => {
    const { result } = await runScenario(() => ({
      tools: [works()],
      planner: createFallbackPlanner([
        asksModel(createScriptedModel([used(30, 5)], { modelId: "a" }), { plan: {} }),
        asksModel(createScriptedModel([used(10, 5)], { modelId: "b" })),
      ]),
      request: "Do it",
      // Enough for a run that is cut off after each of its events: what was used before counts.
      options: { budget: { tokens: 1_000 } },
    }));
    expect(result.usage).toEqual({ modelCalls: 2, inputTokens: 40, outputTokens: 10 });
    expect(result.plan?.source.calls?.map(({ model }) => model)).toEqual(["scripted/a", "scripted/b"]);
  });

  it("is shared by all replans", async () => {
    const { result, events } = await play({
      answers: [used(10, 5), used(10, 5)],
      plan: planOf("A", "F"),
      replan: steps(added("again", "F")),
      options: { maxReplans: 5, budget: { modelCalls: 1 } },
    });
    const outcome = { status: "failed", error: { code: "limit-exceeded", details: { limit: "modelCalls", used: 2 } } };
    expect(revisions(events)).toMatchObject([{ outcome }]);
    expect(revisions(events)[0]).not.toHaveProperty("usage");
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" }, usage: { modelCalls: 1 } });
  });

  it("is shared by all executions, whichever agent resumes the run", async () => {
    const answers = [used(10, 5), used(20, 6)];
    const play = (budget: RunBudget) =>
      runScenario(() => {
        const model = createScriptedModel(answers);
        const asks = { plan: planOf("B", "F"), replan: steps(added("again")) };
        const agent = () => ({ planner: asksModel(model, asks), tools: [works(), failing(), askingTool("B")] });
        return {
          ...agent(),
          request: "Do it",
          options: { maxReplans: 1, replanTools: ["A"], budget },
          executions: [({ another, runId, result }) => another(agent()).approve(runId, approvalOf(result, "s1"))],
          // A run that is cut off while it plans has used more of its budget.
          isResumable: false,
        };
      });
    const enough = await play({ modelCalls: 4 });
    expect(enough.result.status).toBe("completed");
    expect(enough.result.usage).toEqual({ modelCalls: 2, inputTokens: 30, outputTokens: 11 });
    const short = await play({ tokens: 45 });
    expect(revisions(short.events)).toMatchObject([
      { outcome: { error: { code: "limit-exceeded", details: { limit: "tokens", max: 45, used: 46 } } } },
    ]);
    expect(short.result).toMatchObject({ status: "failed", usage: { modelCalls: 1, inputTokens: 10 } });
  });
});

describe("a budget that was exceeded", () => {
  const overrun = { answers: [used(500, 5)], options: { budget: { tokens: 100 } } };

  it("is reported once, with its run", async () => {
    const { result, warnings } = await play(overrun);
    expect(result.status).toBe("completed");
    expect(warnings).toEqual([
      {
        code: "budget-overrun",
        runId: result.runId,
        message:
          "505 tokens were used, but the budget is 100: a prompt was longer than estimated, or an answer was longer than allowed.",
      },
    ]);
  });

  it("is not reported again by replans that called no model", async () => {
    const { warnings, events } = await play({
      ...overrun,
      plan: planOf("F"),
      replan: steps(added("again")),
      options: { ...overrun.options, maxReplans: 1 },
    });
    expect(revisions(events)).toMatchObject([{ outcome: { error: { code: "limit-exceeded" } } }]);
    expect(warnings).toHaveLength(1);
  });

  it.each<[string, () => void]>([
    [
      "throws",
      () => {
        throw new Error("warned");
      },
    ],
    ["rejects", () => Promise.reject(new Error("warned")) as unknown as undefined],
  ])("changes nothing if onWarning %s", async (_how, onWarning) => {
    const { result, planEnd } = await play({ ...overrun, agent: { onWarning } });
    expect(result).toMatchObject({ status: "completed", usage: { inputTokens: 500 } });
    expect(planEnd?.outcome.status).toBe("completed");
  });
});
