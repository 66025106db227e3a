import { type AgentEvent, createAgent, type LanguageModel, modelFailure, type Planner } from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { ModelCalls } from "../../../src/core/model-calls.ts";
import { foldEvents } from "../../../src/core/run-state.ts";

const retry = {
  maxAttempts: 3,
  minDelayMs: 1_000,
  maxDelayMs: 30_000,
  factor: 2,
  maxTotalMs: Number.POSITIVE_INFINITY,
};

/** A model that is busy so many times, and then answers. */
function busyModel(clock: ReturnType<typeof createManualClock>, times: number): LanguageModel {
  const about = { provider: "test", modelId: "m" };
  const calls = new ModelCalls(about, { retry, clock, random: () => 1 });
  let left = times;
  return {
    ...about,
    retry,
    price: { inputPerMillion: 1, outputPerMillion: 1 },
    generate: (request) =>
      calls.run(request, async () => {
        if (left-- > 0) throw modelFailure(about, "busy", { message: "busy" });
        return { text: "ok", finishReason: "stop", usage: { inputTokens: 10, outputTokens: 5 } };
      }),
  };
}

/** Plans one step of the tool A, after asking its model once. */
function asking(model: LanguageModel): Planner {
  return {
    name: "asks",
    async plan({ generate, signal }) {
      await generate?.(model, { messages: [{ role: "user", content: "x" }], signal });
      return { steps: [{ id: "s1", tool: "A", input: {}, dependsOn: [] }] };
    },
  };
}

const eventTypes = ["model-start", "model-retry", "model-end"] as const;

async function run(times: number, budget = {}) {
  const clock = createManualClock();
  const agent = createAgent({
    tools: [createFakeTool({ name: "A" })],
    planner: asking(busyModel(clock, times)),
    clock,
  });
  const events: AgentEvent[] = [];
  for (const type of eventTypes) agent.on(type, (event) => void events.push(event));
  const result = await clock.runUntil(agent.run("Do it", { budget }));
  const recorded: AgentEvent[] = [];
  for await (const event of agent.events(result.runId)) recorded.push(event);
  return { result, events, recorded };
}

const usage = { modelCalls: 1, inputTokens: 0, outputTokens: 0, cost: 0 };

describe("each attempt to call a model", () => {
  it("is told as it starts, ends, and is repeated, and only its end is recorded", async () => {
    const { events, recorded, result } = await run(1);
    const ofModel = (list: readonly AgentEvent[]) => list.filter(({ type }) => type.startsWith("model-"));
    expect(ofModel(events)).toMatchObject([
      { type: "model-start", model: "test/m", attempt: 1 },
      { type: "model-end", attempt: 1, usage, outcome: { status: "failed", error: { code: "model-failed" } } },
      { type: "model-retry", attempt: 1, delayMs: 1_000, error: { message: "busy" } },
      { type: "model-start", attempt: 2 },
      { type: "model-end", attempt: 2, usage: { modelCalls: 1, inputTokens: 10, outputTokens: 5 } },
    ]);
    expect(ofModel(recorded).map(({ type }) => type)).toEqual(["model-end", "model-end"]);
    expect(result.usage).toMatchObject({ modelCalls: 2, inputTokens: 10, outputTokens: 5 });
  });

  it("ends with the planning that has not waited for it", async () => {
    const clock = createManualClock();
    let answer = () => {};
    const slow: LanguageModel = {
      provider: "test",
      modelId: "slow",
      generate: () =>
        new Promise((resolve) => {
          answer = () => resolve({ text: "late", finishReason: "stop", usage: {} });
        }),
    };
    const planner: Planner = {
      name: "impatient",
      async plan({ generate, signal }) {
        void generate?.(slow, { messages: [{ role: "user", content: "x" }], signal })?.catch(() => {});
        return { steps: [{ id: "s1", tool: "A", input: {}, dependsOn: [] }] };
      },
    };
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], planner, clock });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => void events.push(event));
    const { usage, status } = await clock.runUntil(agent.run("Do it"));
    answer();
    await clock.runUntil(Promise.resolve());
    const order = events.map(({ type }) => type).filter((type) => /^(?:model-end|plan-end|run-end)$/.test(type));
    expect(order).toEqual(["model-end", "plan-end", "run-end"]);
    expect(events.find(({ type }) => type === "model-end")).toMatchObject({ outcome: { status: "cancelled" } });
    expect([status, usage?.modelCalls]).toEqual(["completed", 1]);
  });

  it("counts in the budget of a run", async () => {
    const { result } = await run(2, { modelCalls: 2 });
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "limit-exceeded", details: { limit: "modelCalls", used: 3 } },
      usage: { modelCalls: 2 },
    });
  });

  it("counts once, whether planning ends or its process dies before", async () => {
    const { recorded, result } = await run(1);
    const isEnd = ({ type }: AgentEvent) => type === "plan-end";
    const killed = recorded.slice(0, recorded.findIndex(isEnd));
    expect(foldEvents(result.runId, killed).usage).toEqual(result.usage);
    expect(foldEvents(result.runId, recorded).usage).toEqual(result.usage);
    const unmetered = recorded.filter(({ type }) => type !== "model-end");
    expect(foldEvents(result.runId, unmetered).usage).toEqual(result.usage);
  });
});
