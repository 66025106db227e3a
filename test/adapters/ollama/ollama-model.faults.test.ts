import {
  createAgent,
  createFallbackPlanner,
  createLlmPlanner,
  createOllamaModel,
  createRulePlanner,
  createTodoStore,
} from "planwright";
import { describe, expect, it } from "vitest";
import { startFakeOllama } from "../../fake-ollama/fake-ollama.ts";
import { faults, goodPlan, planWith, request } from "./model-faults.ts";

/** How planning ends when a fault occurs once before a good answer, and when it always occurs. */
const endings: Readonly<Record<string, readonly [once: string, always: string]>> = {
  none: ["llm, tries: 1", "llm, tries: 1"],
  "one-byte chunks, split characters": ["llm, tries: 1", "llm, tries: 1"],
  "code fence": ["llm, tries: 1", "llm, tries: 1"],
  "prose around it": ["llm, tries: 2 (no-json)", "rules (no-json, no-json)"],
  "think tag": ["llm, tries: 1", "llm, tries: 1"],
  "thinking only": ["llm, tries: 1", "llm, tries: 1"],
  empty: ["llm, tries: 2 (no-json)", "rules (no-json, no-json)"],
  "done is false, or no done line": ["llm, tries: 1", "rules (model-failed)"],
  "one token again and again": ["llm, tries: 2 (no-json)", "rules (no-json, no-json)"],
  "cut by length": ["llm, tries: 2 (cut-off)", "rules (cut-off, cut-off)"],
  "white space to the limit": ["llm, tries: 2 (cut-off)", "rules (cut-off, cut-off)"],
  "two objects": ["llm, tries: 2 (no-json)", "rules (no-json, no-json)"],
  "refusal in prose": ["llm, tries: 2 (no-json)", "rules (no-json, no-json)"],
  "trailing comma, single quotes": ["llm, tries: 2 (no-json)", "rules (no-json, no-json)"],
  "unknown tool": ["llm, tries: 2 (invalid-plan)", "rules (invalid-plan, invalid-plan, cannot-plan)"],
  "unknown key": ["llm, tries: 1", "llm, tries: 1"],
  "wrong type": ["llm, tries: 2 (invalid-plan)", "rules (invalid-plan, invalid-plan, cannot-plan)"],
  "words nobody typed": ["rules (cannot-plan)", "rules (cannot-plan)"],
  "400 thinking": ["llm, tries: 1", "rules (model-failed)"],
  "404 model": ["rules (model-failed)", "rules (model-failed)"],
  "500 grammar": ["llm, tries: 2 (model-failed)", "rules (model-failed, model-failed, model-failed)"],
  "500 crash": ["llm, tries: 1", "rules (model-failed)"],
  "503 queue full": ["llm, tries: 1", "rules (model-failed)"],
  "401 cloud": ["rules (model-failed)", "rules (model-failed)"],
  "400 prompt too long": ["rules (model-failed)", "rules (model-failed)"],
  "error mid-stream": ["llm, tries: 1", "rules (model-failed)"],
  "connection cut mid-stream": ["llm, tries: 1", "rules (model-failed)"],
  "connection cut at once": ["llm, tries: 1", "rules (model-failed)"],
  "hang before headers": ["rules (timeout)", "rules (timeout)"],
  "hang after three chunks": ["rules (timeout)", "rules (timeout)"],
  "slow drip past the deadline": ["rules (timeout)", "rules (timeout)"],
  "HTML of a proxy (502)": ["llm, tries: 1", "rules (model-failed)"],
  "metrics missing": ["llm, tries: 1", "llm, tries: 1"],
  "unknown fields": ["llm, tries: 1", "llm, tries: 1"],
  "2 MB answer": ["rules (model-failed)", "rules (model-failed)"],
  "503, circuit breaker": ["rules (model-failed), calls: 1", "rules (model-failed), calls: 1"],
  "503, budget of a call": ["rules (limit-exceeded), calls: 1", "rules (limit-exceeded), calls: 1"],
};

describe("a faulty server leads to a plan of some planner in time, and leaves nothing open", () => {
  it.each(faults.map((fault) => [fault.name, fault] as const))("%s", async (name, fault) => {
    expect([await planWith(fault, "once"), await planWith(fault, "always")]).toEqual(endings[name]);
  });

  it("is tested with every known fault", () => {
    expect(faults.map(({ name }) => name)).toEqual(Object.keys(endings));
  });
});

describe("planning by a model, from a server", () => {
  const agentOf = (host: string, { withRules = false } = {}) => {
    const llm = createLlmPlanner({ model: createOllamaModel({ model: "small", host }) });
    const planner = createFallbackPlanner(withRules ? [llm, createRulePlanner()] : [llm]);
    return createAgent({ tools: [createTodoStore()], planner });
  };

  it("falls back to the rules if no server listens, and states what to type", async () => {
    const ollama = await startFakeOllama();
    await ollama.close();
    const plan = await agentOf(ollama.host, { withRules: true }).plan(request);
    expect(plan.source).toMatchObject({ planner: "rules", failures: [{ planner: "llm", code: "model-failed" }] });
    expect(plan.source.failures?.[0]?.message).toMatch(/No Ollama server can be reached at .* Type: ollama serve/);
    await expect(agentOf(ollama.host).plan(request)).rejects.toMatchObject({
      code: "planning-failed",
      message: expect.stringContaining("ollama serve"),
    });
  });

  it("can be cancelled before it starts", async () => {
    const ollama = await startFakeOllama({ otherwise: { text: goodPlan } });
    const planning = agentOf(ollama.host).plan(request, { signal: AbortSignal.abort("never mind") });
    await expect(planning).rejects.toMatchObject({ code: "cancelled" });
    expect(ollama.requests).toEqual([]);
    await ollama.close();
  });

  it.each(["hang", "hang-mid-stream"] as const)("can be cancelled while its server is in a %s", async (fault) => {
    const ollama = await startFakeOllama({ otherwise: { fault, text: goodPlan } });
    const controller = new AbortController();
    const planning = agentOf(ollama.host).plan(request, { signal: controller.signal });
    await ollama.waitForRequest();
    controller.abort("never mind");
    await expect(planning).rejects.toMatchObject({ code: "cancelled", details: { reason: "never mind" } });
    await ollama.waitForDisconnect();
    await ollama.waitForIdle();
    await ollama.close();
  });

  it("is not changed by a later cancellation", async () => {
    const ollama = await startFakeOllama({ otherwise: { text: goodPlan } });
    const controller = new AbortController();
    const plan = await agentOf(ollama.host).plan(request, { signal: controller.signal });
    controller.abort("too late");
    expect(plan.steps).toMatchObject([{ input: { title: "café crème" } }]);
    await ollama.waitForIdle();
    await ollama.close();
  });
});
