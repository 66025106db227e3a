import { createLlmPlanner, type LlmPlannerOptions, type PlanDraft, type PlanRequest } from "planwright";
import { createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { note, noteOf, nowMs, requestOf, sum, tools, unclear } from "./ask-llm-planner.ts";

const good = noteOf("milk");
const request = "note milk";

function plannerOf(answers: readonly ScriptedAnswer[], options: Partial<LlmPlannerOptions> = { cache: true }) {
  const model = createScriptedModel(answers);
  const { plan } = createLlmPlanner({ model, ...options });
  return { model, plan: async (asked: PlanRequest) => (await plan(asked)) as PlanDraft };
}

describe("the prompt and the schema", () => {
  it("are the same for the same tools, whatever the request and the minute", async () => {
    const { model, plan } = plannerOf([good, noteOf("bread"), good], {});
    await plan(requestOf(request));
    await plan(requestOf("note bread", { tools: [...tools], nowMs: nowMs + 86_400_000 }));
    await plan(requestOf(request, { tools: [note] }));
    const [first, second, third] = model.requests;
    expect(second?.messages.slice(0, -1)).toEqual(first?.messages.slice(0, -1));
    expect(second?.responseFormat).toEqual(first?.responseFormat);
    expect(third?.messages[0]?.content).not.toContain("Sum");
    expect(JSON.stringify(third?.responseFormat)).not.toContain("Sum");
  });
});

describe("cached plans", () => {
  it("are returned for the same request, and marked as cached", async () => {
    const { model, plan } = plannerOf([good]);
    const first = await plan(requestOf(request));
    const later = await plan(requestOf(request, { nowMs: nowMs + 3_600_000 }));
    expect(later.steps).toEqual(first.steps);
    expect(first.source).not.toHaveProperty("cached");
    expect(later.source).toEqual({ ...first.source, attempts: 0, cached: true });
    model.assertComplete();
  });

  it.each<[string, Partial<PlanRequest>]>([
    ["another request", { request: "note milk!" }],
    ["another context", { context: "" }],
    ["other tools", { tools: [note, sum] }],
    ["another limit", { maxSteps: 99 }],
    ["another schema", { tools: [note, { ...sum, inputSchema: z.object({ a: z.number() }) }] }],
    ["another description", { tools: [{ ...note, description: "Writes" }, ...tools.slice(1)] }],
    ["wishes that rules have planned", { wishes: [] }],
  ])("are not returned for %s", async (_what, other) => {
    const { model, plan } = plannerOf([good, good]);
    await plan(requestOf(request));
    expect((await plan(requestOf(request, other))).source?.attempts).toBe(1);
    model.assertComplete();
  });

  it("are those used most recently", async () => {
    const { plan } = plannerOf([good, good, good, good], { cache: { maxPlans: 2 } });
    const attempts = async (text: string) => (await plan(requestOf(text))).source?.attempts;
    const asked = ["milk", "the milk", "milk", "my milk", "milk", "the milk"];
    const made: unknown[] = [];
    for (const text of asked) made.push(await attempts(text));
    expect(made).toEqual([1, 1, 0, 1, 0, 1]);
  });

  it.each([
    ["without the option", request, { cache: false }],
    ["of a request that speaks of a time", "note milk tomorrow", { cache: true }],
  ])("are none %s", async (_what, text, options) => {
    const answer = noteOf(text.replace("note ", ""));
    const { model, plan } = plannerOf([answer, answer], options);
    for (const _time of [1, 2]) await plan(requestOf(text));
    model.assertComplete();
  });

  it("are never failures", async () => {
    const { plan } = plannerOf([unclear, good]);
    await expect(plan(requestOf(request))).rejects.toMatchObject({ code: "cannot-plan" });
    expect(await plan(requestOf(request))).toMatchObject({ source: { attempts: 1 } });
  });
});
