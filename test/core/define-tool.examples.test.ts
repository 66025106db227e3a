import { defineTool } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { indexTools } from "../../src/core/define-tool.ts";
import type { PhraseList } from "../../src/core/tool.ts";

const define = (name: string, phrases: PhraseList<{ city?: string | undefined }>) =>
  defineTool({
    name,
    description: "Tells the weather.",
    inputSchema: z.object({ city: z.string().optional() }),
    effect: "idempotent",
    phrases,
    execute: () => 1,
  });

describe("examples", () => {
  it("must fit the input", () => {
    const wrong = { phrase: "is it raining in Paris", input: { city: 75 as never } };
    expect(() => define("Weather", ["weather", wrong])).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        message: expect.stringMatching(/"Weather\.phrases\[1\]\.input".*"is it raining in Paris".*city: /),
      }),
    );
  });

  it("mean one thing", () => {
    const phrases = [
      { phrase: "is it raining in Paris", input: { city: "Paris" } },
      { phrase: "Is it  raining in paris", input: { city: "Rome" } },
    ];
    expect(() => define("Weather", phrases)).toThrow(/an earlier phrase gives it the input \{"city":"Paris"\}/);
    expect(() => define("Weather", ["weather", "Weather"])).not.toThrow();
  });

  it("belong to one tool", () => {
    const tools = [define("Weather", ["is it raining"]), define("Rain", ["will it rain", "Is it raining"])];
    expect(() => indexTools(tools)).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        message: expect.stringMatching(/"Rain\.phrases\[1\]".*Weather has it, too/),
      }),
    );
  });

  it("are not templates, nor what a function makes of a sentence", () => {
    const template = { phrase: "weather (in|for) {city}", input: {} };
    const made = { phrase: "weather", toInput: () => ({ city: "here" }) };
    expect(() => indexTools([define("A", [template, made]), define("B", [template, "forecast"])])).not.toThrow();
  });

  it("are checked when they are loaded, too", async () => {
    const tool = defineTool({
      name: "Late",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      effect: "idempotent",
      phrases: async () => ["nothing to see"],
      execute: () => 1,
    });
    const load = tool.phrases as () => Promise<unknown>;
    await expect(load()).rejects.toMatchObject({ code: "invalid-options" });
  });
});
