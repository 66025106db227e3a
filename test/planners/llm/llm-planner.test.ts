import { describe, expect, it } from "vitest";
import { createAgent } from "../../../src/agent.ts";
import type { LlmPlannerOptions } from "../../../src/planners/llm/llm-planner.ts";
import { createLlmPlanner } from "../../../src/planners/llm/llm-planner.ts";
import { collectEvents } from "../../../src/testing/collect-events.ts";
import { createFakeTool } from "../../../src/testing/fake-tool.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/testing/scripted-model.ts";
import { createCalculator } from "../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../src/tools/todo-store/todo-store.ts";
import { answerOf, note, sum, wipe } from "./ask-llm-planner.ts";

const milk = { tool: "Note", input: { title: "milk" } };

function agentOf(answers: readonly ScriptedAnswer[], options: Partial<LlmPlannerOptions> = {}) {
  const price = { inputPerMillion: 1_000_000, outputPerMillion: 1_000_000 };
  const model = createScriptedModel(answers, { price });
  const planner = createLlmPlanner({ model, ...options });
  const agent = createAgent({ tools: [note, sum, wipe], planner });
  return { agent, model, collected: collectEvents(agent) };
}

describe("options", () => {
  const model = createScriptedModel([]);

  it.each([
    [undefined, "llmPlanner"],
    [null, "llmPlanner"],
    [{}, "llmPlanner.model"],
    [{ model: "qwen3" }, "llmPlanner.model"],
    [{ model: { generate: () => null } }, "llmPlanner.model"],
    [{ model: null }, "llmPlanner.model"],
    [{ model, name: "" }, "llmPlanner.name"],
    [{ model, name: 5 }, "llmPlanner.name"],
    [{ model, instructions: 5 }, "llmPlanner.instructions"],
    [{ model, examples: "one" }, "llmPlanner.examples"],
    [{ model, examples: [null] }, "llmPlanner.examples[0]"],
    [{ model, examples: [{ request: "x", steps: [] }, { request: "x" }] }, "llmPlanner.examples[1]"],
    [{ model, temperature: -1 }, "llmPlanner.temperature"],
    [{ model, temperature: 3 }, "llmPlanner.temperature"],
    [{ model, maxOutputTokens: 0 }, "llmPlanner.maxOutputTokens"],
    [{ model, maxOutputTokens: 1.5 }, "llmPlanner.maxOutputTokens"],
    [{ model, grounding: "strict" }, "llmPlanner.grounding"],
    [{ model, expressions: "yes" }, "llmPlanner.expressions"],
    [{ model, cache: "yes" }, "llmPlanner.cache"],
    [{ model, cache: null }, "llmPlanner.cache"],
    [{ model, cache: {} }, "llmPlanner.cache.maxPlans"],
    [{ model, cache: { maxPlans: 0 } }, "llmPlanner.cache.maxPlans"],
    [{ model, cache: { max: 1 } }, "llmPlanner.cache.max"],
    [{ model, needsApproval: false }, "llmPlanner.needsApproval"],
  ])("are checked immediately: %#", (options, option) => {
    let thrown: unknown;
    try {
      createLlmPlanner(options as unknown as LlmPlannerOptions);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "invalid-options", details: { option } });
  });

  it("name createAiSdkModel if they contain a model of the AI SDK", () => {
    const model = { specificationVersion: "v2", provider: "openai", modelId: "gpt", doGenerate: () => null };
    expect(() => createLlmPlanner({ model: model as never })).toThrow(
      'must be createAiSdkModel(model), from "planwright/ai-sdk", for a model of the AI SDK',
    );
  });

  it("are optional except for the model, and may be undefined", () => {
    expect(createLlmPlanner({ model }).name).toBe("llm");
    const nothing = { instructions: undefined, examples: undefined, cache: undefined, maxOutputTokens: undefined };
    expect(
      createLlmPlanner({ model, name: undefined, temperature: undefined, grounding: undefined, ...nothing }),
    ).toBeDefined();
  });

  it("are passed to the model", async () => {
    const { agent, model } = agentOf([answerOf(milk)], {
      name: "mine",
      instructions: "Be brief.",
      examples: [{ request: "tea", steps: [{ tool: "Note", input: { title: "tea" } }] }],
      temperature: 0.5,
      maxOutputTokens: 300,
      expressions: true,
      grounding: "off",
    });
    const plan = await agent.plan("note it");
    expect(plan.source).toMatchObject({ planner: "mine", attempts: 1 });
    expect(plan.source).not.toHaveProperty("warnings");
    expect(model.requests).toMatchObject([{ temperature: 0.5, maxOutputTokens: 300 }]);
    const system = model.requests[0]?.messages[0]?.content;
    for (const part of ["Be brief.", "Example:\ntea", "forEach"]) expect(system).toContain(part);
  });
});

describe("an agent with a model", () => {
  it("plans and runs, and emits steps as they arrive", async () => {
    const text = answerOf(
      { tool: "Sum", input: { a: 2, b: 3 } },
      { tool: "Note", input: { title: "milk ${s1.value}" } },
    );
    const usage = { inputTokens: 100, outputTokens: 20 };
    const { agent, collected } = agentOf([{ text, deltas: [...text], usage }]);
    const result = await agent.run("add 2 and 3 and note milk");
    expect(result).toMatchObject({
      status: "completed",
      output: { title: "milk 5" },
      usage: { modelCalls: 1, ...usage },
    });
    expect(collected.types().slice(0, 8)).toEqual([
      "run-start",
      "plan-start",
      "model-start",
      "plan-delta",
      "plan-delta",
      "model-end",
      "plan-end",
      "step-start",
    ]);
    expect(collected.events.filter(({ type }) => type === "plan-delta")).toMatchObject([
      { planner: "llm", attempt: 1, index: 0, step: result.plan?.steps[0] },
      { planner: "llm", attempt: 1, index: 1, step: result.plan?.steps[1] },
    ]);
    expect(result.plan?.source).toMatchObject({
      planner: "llm",
      model: "scripted/script",
      attempts: 1,
      repaired: [],
      usage: { modelCalls: 1, cost: 120 },
      calls: [{ model: "scripted/script", ...usage, cost: 120 }],
    });
  });

  it("plans with the built-in tools", async () => {
    const text = answerOf(
      { tool: "Calculator", input: { expression: "12 * x", variables: { x: 4 } } },
      { tool: "TodoStore", input: { operation: "add", title: "Pay ${s1.value} euros", priority: null } },
    );
    const planner = createLlmPlanner({ model: createScriptedModel([text]) });
    const agent = createAgent({ tools: [createCalculator(), createTodoStore()], planner });
    const { status, plan, output } = await agent.run("add a todo to pay 12 times 4 euros");
    expect({ status, output }).toMatchObject({ status: "completed", output: { title: "Pay 48 euros" } });
    expect(plan?.source).toMatchObject({ repaired: ["shape"] });
  });

  it("fails with the error of planning, and reports its usage", async () => {
    const usage = { inputTokens: 10, outputTokens: 5 };
    const { agent, collected } = agentOf([
      { text: "no", usage },
      { text: "no", usage },
    ]);
    const result = await agent.run("note milk");
    expect(result).toMatchObject({
      status: "failed",
      error: {
        code: "planning-failed",
        details: { planner: "llm", failures: [{ code: "no-json" }, { code: "no-json" }] },
      },
      usage: { modelCalls: 2, inputTokens: 20, outputTokens: 10 },
    });
    const call = ["model-start", "model-end"] as const;
    expect(collected.types()).toEqual(["run-start", "plan-start", ...call, ...call, "plan-end", "run-end"]);
    expect(collected.events.filter(({ type }) => type === "model-end")).toMatchObject([
      { model: "scripted/script", attempt: 1, usage: { modelCalls: 1, ...usage }, outcome: { status: "completed" } },
      { attempt: 1 },
    ]);
  });

  it("reports cannot-plan if the model refuses", async () => {
    const { agent } = agentOf(['{"steps": [], "reason": "no flights"}']);
    await expect(agent.plan("book a flight")).rejects.toMatchObject({
      code: "cannot-plan",
      message: expect.stringContaining("no flights"),
      details: { reason: "not-understood" },
    });
  });

  it("replans when a step has failed", async () => {
    const broken = createFakeTool({
      name: "Broken",
      outcomes: [{ throws: Object.assign(new Error("No milk."), { retryable: false }) }],
    });
    const model = createScriptedModel([
      answerOf({ tool: "Sum", input: { a: 2 } }, { tool: "Broken", input: {} }),
      answerOf({ tool: "Note", input: { title: "milk ${s1.value}" } }),
    ]);
    const agent = createAgent({ tools: [broken, note, sum], planner: createLlmPlanner({ model }) });
    const result = await agent.run("add 2, then get milk from the broken fridge", {
      maxReplans: 1,
      replanTools: ["Note"],
    });
    expect(result).toMatchObject({ status: "completed", output: { title: "milk 2" }, usage: { modelCalls: 2 } });
    expect(result.steps.map(({ stepId }) => stepId)).toEqual(["s1", "s2", "r1_1"]);
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("No milk.");
  });
});

describe("a budget", () => {
  it("prevents the call of the model if it is used up", async () => {
    const { agent, model } = agentOf([]);
    expect(await agent.run("note milk", { budget: { tokens: 10 } })).toMatchObject({
      status: "failed",
      error: { code: "limit-exceeded", details: { limit: "tokens", max: 10 } },
    });
    expect(model.requests).toEqual([]);
  });

  it("of model calls prevents a second attempt", async () => {
    const { agent, model } = agentOf(["no"]);
    expect(await agent.run("note milk", { budget: { modelCalls: 1 } })).toMatchObject({
      error: { code: "limit-exceeded", details: { limit: "modelCalls", max: 1, used: 2 } },
    });
    model.assertComplete();
  });

  it("lowers the token limit of an answer", async () => {
    const { agent, model } = agentOf([answerOf(milk)]);
    expect(await agent.run("note milk", { budget: { tokens: 1_500 } })).toMatchObject({ status: "completed" });
    expect(model.requests[0]?.maxOutputTokens).toBeLessThan(1_500);
  });
});

describe("the planner timeout and a cancellation", () => {
  it("end planning", async () => {
    const clock = createManualClock();
    const model = createScriptedModel([{ hangs: "until-aborted" }, { hangs: "until-aborted" }]);
    const agent = createAgent({ tools: [note], planner: createLlmPlanner({ model }), clock, plannerTimeoutMs: 1_000 });
    const late = agent.run("note milk");
    await clock.advance(1_000);
    expect(await late).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "planner" } } });
    const controller = new AbortController();
    const cancelled = agent.run("note milk", { signal: controller.signal });
    controller.abort();
    expect(await cancelled).toMatchObject({ status: "cancelled" });
    expect(clock.pendingTimers).toBe(0);
  });
});
