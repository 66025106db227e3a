import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { refusalOf, stepsFor, toolWith, weather } from "./plan-for.ts";

const missing = (field: string) => ({
  reason: "missing",
  proposals: expect.arrayContaining([expect.objectContaining({ asks: expect.objectContaining({ field }) })]),
});

describe("createRulePlanner", () => {
  it("reports what was not understood, and sentences that somebody wrote", async () => {
    const refusal = await refusalOf("add milk to my list, then book a flight to Rome");
    expect(refusal.message).toBe('The request cannot be planned: no phrase of the tools fits "book a flight to Rome".');
    expect(refusal.reason).toBe("not-understood");
    expect(refusal.examples.length).toBeLessThanOrEqual(3);
    expect((await refusalOf("book a flight and then add milk to my list")).message).toContain('"book a flight"');
  });

  it.each([
    "what is the time",
    "7",
    "what is 7",
    "play some music",
    "book a table for two",
    "rent me a van from 4/28 - 5/1 in bergen",
    "what is the derivative of x^2",
    "add a meeting with Bob to my calendar",
    "add a song to the playlist",
    "set an alarm for 7 am",
    "transfer $50 to savings",
    "☕☕☕",
    "${s1.value}",
  ])("refuses %s", async (request) => {
    expect((await refusalOf(request)).reason).toBe("not-understood");
  });

  it.each([
    ["how many ounces in a gallon", "question"],
    ["don't add milk to my list", "denied"],
    ["what if I deleted milk", "supposed"],
    ["my brother deleted milk", "others"],
    ["add eggs to my list, actually no", "corrected"],
    ["remind me to take the bins out every monday", "repeated"],
    ["add milk to my list unless it rains", "condition"],
  ])("says why it refuses %s", async (request, reason) => {
    expect((await refusalOf(request)).reason).toBe(reason);
  });

  it.each([
    ["remind me to", "does not say the title", missing("title")],
    ["add item", "does not say the title", missing("title")],
    ["put on my list", "does not say the title", missing("title")],
    ["add something", "does not say the title", missing("title")],
    ["delete everything", "does not say the title", missing("title")],
    ["please add it to my list", '"it" refers to a result, but no earlier step has one', { reason: "unbound" }],
  ])("reports what is missing in %s", async (request, why, details) => {
    const refusal = await refusalOf(request);
    expect(refusal.message).toContain(why);
    expect(refusal).toMatchObject(details);
  });

  it("refuses a request that two tools match equally well, and names both", async () => {
    const north = toolWith({ name: "North", phrases: ["go {text}"] });
    const south = toolWith({ name: "South", phrases: ["go {text}"] });
    const refusal = await refusalOf("go home", { tools: [north, south] });
    expect(refusal.message).toContain('"go home" fits North ("go {text}") and South ("go {text}") equally well');
    const proposals = ["North", "South"].map((tool) => ({ steps: [{ tool }], text: "go home" }));
    expect(refusal).toMatchObject({ reason: "ambiguous", proposals });
    const exact = toolWith({ name: "South", phrases: ["go home"], inputSchema: z.object({}) });
    expect(await stepsFor("go home", { tools: [north, exact] })).toMatchObject([{ tool: "South" }]);
  });

  it("refuses a result that does not fit the input", async () => {
    const roll = toolWith({ name: "Roll", inputSchema: z.object({ n: z.number() }), phrases: ["roll {n} dice"] });
    const list = toolWith({
      name: "Listing",
      inputSchema: z.object({}),
      outputSchema: z.object({ all: z.array(z.string()) }),
      phrases: ["names"],
    });
    expect((await refusalOf("names and roll it dice", { tools: [roll, list] })).message).toContain("number is needed");
    const say = toolWith({ phrases: ["say {text}"] });
    expect((await refusalOf("names and say it", { tools: [say, list] })).message).toContain("is not a single value");
  });

  it("refuses too many steps, too many parts, and requests without words", async () => {
    const many = "weather in Rome; ".repeat(4);
    const reason = "too-long";
    expect(await refusalOf(many, { tools: [weather], maxSteps: 3 })).toMatchObject({
      reason,
      message: expect.stringContaining("more than 3 steps"),
    });
    expect(await refusalOf("tasks. ".repeat(1_001))).toMatchObject({
      reason,
      message: expect.stringContaining("more than 1000 parts"),
    });
    for (const request of [" ", "?!"]) {
      expect(await refusalOf(request)).toMatchObject({
        reason: "not-understood",
        message: expect.stringContaining("it has no words"),
      });
    }
  });

  it("has no examples if no tool has phrases", async () => {
    expect((await refusalOf("do it", { tools: [] })).examples).toEqual([]);
  });

  it("quotes long requests in part, and never half a character", async () => {
    const { message } = await refusalOf(`nonsense ${"😀 ".repeat(500)}`);
    expect(message.length).toBeLessThanOrEqual(200);
    expect(message).not.toMatch(/\p{Surrogate}/u);
  });

  it("does not read a question or a request as part of a text", async () => {
    const options = { tools: [weather] };
    expect((await refusalOf("weather in Rome and what is the time", options)).message).toContain('"what is the time"');
    expect((await refusalOf("weather in Rome and can you sing", options)).message).toContain('"can you sing"');
  });

  it("does not read a second request as part of a text whose slot has a schema", async () => {
    const city = z.string().refine((name) => !/\band\b/.test(name));
    const careful = toolWith({
      inputSchema: z.object({ city: z.string() }),
      phrases: [{ phrase: "weather in {city}", slots: { city } }],
    });
    expect((await refusalOf("weather in Rome and book a flight", { tools: [careful] })).message).toContain(
      '"book a flight"',
    );
  });

  it("refuses a very long request", async () => {
    const request = `${"weather in Rome; ".repeat(200)}nonsense`;
    expect((await refusalOf(request, { tools: [weather], maxSteps: 1_000 })).reason).not.toBe("");
  });
});
