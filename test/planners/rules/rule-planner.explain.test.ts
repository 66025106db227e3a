import { defineTool, explainRequest } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { requestOf, stepsFor, weather } from "./plan-for.ts";

describe("explainRequest", () => {
  it("lists the words that each phrase matched", async () => {
    const { steps, parts } = await explainRequest(
      requestOf("Please tell me the weather in New York, thanks", { tools: [weather] }),
    );
    expect(steps).toMatchObject([{ id: "s1", tool: "Weather", reasoning: "Weather in New York" }]);
    expect(parts).toEqual([
      {
        text: "Please tell me the weather in New York",
        tool: "Weather",
        phrase: "weather in {city}",
        words: [
          { text: "Please tell me the", by: "courtesy" },
          { text: "weather in", by: "phrase" },
          { text: "New York", by: "slot", slot: "city" },
        ],
        stepIds: ["s1"],
        summary: 'rule "weather in {city}" of Weather; city: "New York"',
      },
    ]);
  });

  it("lists the steps of each part", async () => {
    const { parts } = await explainRequest(requestOf("add milk and eggs to my list and show my tasks for me"));
    expect(parts.map(({ stepIds }) => stepIds)).toEqual([["s1"], ["s2"], ["s3"]]);
    expect(parts.at(-1)?.words.at(-1)).toEqual({ text: "for me", by: "courtesy" });
  });

  it("needs a request and tools alone", async () => {
    const inputSchema = z.object({ order: z.number() });
    const execute = () => null;
    const cancel = defineTool({ name: "Cancel", description: "Cancels", inputSchema, execute, effect: "once" });
    const tools = [{ ...cancel, phrases: ["cancel order {order}"] }];
    const { steps, refusal } = await explainRequest({ request: "cancel order 12", tools });
    expect(steps).toMatchObject([{ tool: "Cancel", input: { order: 12 } }]);
    expect(refusal).toBeUndefined();
    const { parts } = await explainRequest({ request: "cancel order 12 and cancel order 13", tools, maxSteps: 1 });
    expect(parts).toEqual([]);
  });

  it.each([
    undefined,
    { request: "a" },
    { tools: [] },
    { request: 5, tools: [] },
    { request: "a", tools: [], timezone: "UTC" },
    { request: "a", tools: [], timeZone: "Mars" },
    { request: "a", tools: [], nowMs: Number.NaN },
    { request: "a", tools: [], maxSteps: 0 },
    { request: "a", tools: [], signal: 5 },
  ])("refuses %j as options", async (options) => {
    await expect(explainRequest(options as never)).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("says why there is no plan", async () => {
    const explained = await explainRequest(requestOf("remind me to"));
    expect(explained).toMatchObject({ steps: [], parts: [], refusal: { reason: "missing" } });
    expect(explained.refusal?.message).toContain("does not say the title");
  });
});

describe("the explain option", () => {
  it("adds the rule to the reasoning", async () => {
    const [step] = await stepsFor("is it cold in Oslo", { tools: [weather], explain: true });
    expect(step?.reasoning).toBe('Is it cold in Oslo (rule "is it warm in {city}" of Weather; city: "Oslo")');
  });

  it("shortens a long reasoning", async () => {
    const [step] = await stepsFor(`weather in "${"x".repeat(1_000)}"`, { tools: [weather] });
    expect(step?.reasoning).toHaveLength(300);
  });
});
