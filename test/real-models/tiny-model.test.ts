import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AgentEvent,
  createAgent,
  createFallbackPlanner,
  createLlmPlanner,
  createOllamaModel,
  createRulePlanner,
  isAgentError,
} from "../../src/index.ts";
import { otherWordings, trainedWordings } from "./engine-requests.ts";
import { engineTools, planWithModel } from "./plan-with-model.ts";
import { type Engine, missingEnginePackages, startEngine } from "./start-engine.ts";

const missing = missingEnginePackages();
if (missing.length > 0) {
  console.info(
    `Skipped: the real engine (${missing.join(", ")} not installed; run node test/real-models/install.mjs).`,
  );
}

describe.skipIf(missing.length > 0)("a real engine with a tiny model", () => {
  let engine: Engine;
  const modelOf = () => createOllamaModel({ model: engine.model, host: engine.host });
  const agentOf = (options: Partial<Parameters<typeof createLlmPlanner>[0]> = {}) =>
    createAgent({
      tools: engineTools,
      planner: createFallbackPlanner([createLlmPlanner({ model: modelOf(), ...options }), createRulePlanner()]),
    });

  beforeAll(async () => {
    engine = (await startEngine()) as Engine;
  });
  afterAll(() => engine?.close());

  it("plans the requests it was trained for, with the schema of the tools", async () => {
    const outcomes = [];
    for (const request of trainedWordings) {
      outcomes.push(await planWithModel(modelOf(), request, { temperature: 0, grounding: "refuse", withRules: false }));
    }
    // All were right where it was trained; other processors may round otherwise.
    expect(outcomes.filter(({ isRight }) => isRight).length).toBeGreaterThanOrEqual(12);
  });

  it("answers every request, at any temperature, with a valid plan or a typed error", async () => {
    for (const request of [...trainedWordings, ...otherWordings]) {
      const { kind, failures } = await planWithModel(modelOf(), request, { temperature: 1.8, grounding: "refuse" });
      expect(["plan", "wrong", "refusal", "fallback", "failed"]).toContain(kind);
      const known = ["cut-off", "no-json", "invalid-plan", "ungrounded", "cannot-plan"];
      for (const code of failures) expect(known).toContain(code);
    }
  });

  it("emits steps while they are written, runs them, and counts tokens", async () => {
    const agent = agentOf();
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const { status, plan, usage } = await agent.run("add a todo to buy milk, then show me all my tasks");
    expect(status).toBe("completed");
    expect(plan?.source).toMatchObject({ planner: "llm", model: `ollama/${engine.model}` });
    const emitted = events.flatMap((event) => (event.type === "plan-delta" ? [event.step] : []));
    expect(emitted).toEqual(plan?.steps);
    expect(usage).toMatchObject({ modelCalls: 1, cost: 0 });
    expect(usage?.isEstimated).toBeUndefined();
    expect(usage?.outputTokens).toBeGreaterThan(10);
  });

  it("is followed by the rules if its answer was cut", async () => {
    const fallbacks: AgentEvent[] = [];
    const agent = agentOf({ maxOutputTokens: 4 });
    agent.on("plan-fallback", (event) => fallbacks.push(event));
    const plan = await agent.plan("add a todo to buy milk");
    expect(plan.source.planner).toBe("rules");
    expect(plan.source.failures?.map(({ code }) => code)).toEqual(["cut-off", "cut-off"]);
    expect(fallbacks).toHaveLength(1);
  });

  it("stops when it is cancelled, and answers the next request", async () => {
    const agent = agentOf();
    const controller = new AbortController();
    agent.on("plan-delta", () => controller.abort("enough"));
    const planning = agent.plan("add a todo to buy milk, then show me all my tasks", { signal: controller.signal });
    await expect(planning).rejects.toSatisfy((error) => isAgentError(error, "cancelled"));
    expect((await agentOf().plan("list my todos")).steps).toMatchObject([{ input: { operation: "list" } }]);
  });

  it("reports the command to install a missing model", async () => {
    const planner = createLlmPlanner({ model: createOllamaModel({ model: "qwen3", host: engine.host }) });
    const planning = createAgent({ tools: engineTools, planner }).plan("list my todos");
    await expect(planning).rejects.toThrow(/ollama pull qwen3/);
  });
});
