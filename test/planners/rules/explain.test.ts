import { describe, expect, it } from "vitest";
import { explainRequest } from "../../../src/planners/rules/rule-planner.ts";
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
