import { createTodoStore, defineTool, isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerOf, failureOf, note, noteOf, planWith, requestOf, sum } from "./ask-llm-planner.ts";

/** An answer whose tokens are certain, but for those of some texts. */
function likely(text: string, logprobs: Readonly<Record<string, number>> = {}) {
  const tokens = text.match(/\w+|\W/g) ?? [];
  return { text, logprobs: tokens.map((token) => ({ token, logprob: logprobs[token] ?? 0 })) };
}

const wipeCellar = answerOf({ do: "Wipe", what: "the cellar" });
const [archive, publish] = (["once", "idempotent"] as const).map((effect) =>
  defineTool({
    name: effect === "once" ? "Archive" : "Publish",
    description: "Moves it",
    inputSchema: z.object({ what: z.string() }),
    effect,
    needsApproval: effect !== "once",
    execute: () => null,
  }),
);

describe("the certainty of a plan", () => {
  it.each([
    ["a value", noteOf("milk"), { milk: -0.5 }, 0.607],
    ["an operation", noteOf("milk"), { Note: -0.5 }, 0.607],
    ["a key", noteOf("milk"), { title: -0.5 }, 0.607],
    ["where the call ends", noteOf("milk"), { "}": -0.5 }, 0.607],
    ["nothing that anybody chooses", noteOf("milk"), { steps: -9, do: -9, ":": -9 }, 1],
    ["the least likely of several", noteOf("milk"), { Note: -0.1, milk: -0.3 }, 0.741],
  ])("is that of %s", async (_what, answer, logprobs, certainty) => {
    const { source } = await planWith([likely(answer, logprobs)], "note milk");
    expect(source).toMatchObject({ certainty });
  });

  it("is not that of what stands behind the answer", async () => {
    const answer = likely(`${noteOf("milk")} Anything else?`, { Anything: -9, else: -9 });
    expect((await planWith([answer], "note milk")).source?.certainty).toBe(1);
  });

  it("names an operation of a tool by its fields, too", async () => {
    const answer = '{"steps":[{"tool":"TodoStore","input":{"operation":"add","title":"milk"}}]}';
    const { steps } = await planWith([answer], requestOf("add milk", { tools: [createTodoStore()] }));
    expect(steps).toMatchObject([{ input: { operation: "add", title: "milk" } }]);
  });

  it("falls with each word that the plan leaves out, but not with courtesy", async () => {
    const certaintyFor = async (text: string) =>
      (await planWith([likely(noteOf("milk"))], text, { minCertainty: 0 })).source?.certainty ?? 0;
    expect([await certaintyFor("note milk"), await certaintyFor("note milk, please")]).toEqual([1, 1]);
    const one = await certaintyFor("note milk blue");
    expect(one).toBeLessThan(1);
    expect(await certaintyFor("note milk blue striped")).toBeLessThan(one);
  });

  it.each([
    ["a number", "note milk 7 blue"],
    ["a time", "note milk tomorrow blue"],
    ["a quoted text", "note milk 'the red one' blue"],
    ["a denial", "note milk not blue"],
  ])("is 0 if the plan leaves out %s", async (_what, request) => {
    const failure = await failureOf([likely(noteOf("milk"))], request);
    expect(failure).toMatchObject({ details: { reason: "unsure" } });
  });

  it("is that of the least certain wish", async () => {
    const answers = [likely(noteOf("milk"), { milk: -0.1 }), likely(noteOf("bread"), { bread: -0.4 })];
    expect(await planWith(answers, "note milk. note bread")).toMatchObject({
      source: { attempts: 2, certainty: 0.67 },
    });
  });

  it("refuses below the limit, and proposes the plan", async () => {
    const unsure = likely(noteOf("milk"), { milk: -1.5 });
    expect(await failureOf([unsure], "note milk")).toMatchObject({
      code: "cannot-plan",
      details: {
        reason: "unsure",
        proposals: [
          {
            text: "note, title: milk",
            certainty: 0.223,
            unused: [],
            steps: [{ tool: "Note", input: { title: "milk" } }],
          },
        ],
      },
    });
    const { source } = await planWith([unsure], "note milk", { minCertainty: 0.2 });
    expect(source?.certainty).toBe(0.223);
    const sure = likely(noteOf("milk"), { milk: -0.1 });
    expect(await failureOf([sure], "note milk", { minCertainty: 1 })).toMatchObject({ details: { reason: "unsure" } });
  });

  it("must be higher where no word of the operation is said but such as mean nothing alone", async () => {
    const rain = defineTool({
      name: "WillItRain",
      description: "Tells whether it rains",
      inputSchema: z.object({ city: z.string() }),
      effect: "pure",
      phrases: ["will it rain in {city}"],
      execute: () => null,
    });
    const answer = likely(answerOf({ do: "WillItRain", city: "Bern" }), { Bern: -0.4 });
    const asked = (text: string) => requestOf(text, { tools: [rain] });
    expect((await planWith([answer], asked("rain for Bern"))).source?.certainty).toBe(0.67);
    expect(await failureOf([answer], asked("will it snow in Bern"))).toMatchObject({ details: { reason: "unsure" } });
  });

  it("must be higher for what is done once, needs approval, or cannot be taken back", async () => {
    const cases = [
      ["wipe the cellar", wipeCellar, "cellar", undefined],
      ["archive the papers", answerOf({ do: "Archive", what: "the papers" }), "papers", [archive]],
      ["publish the papers", answerOf({ do: "Publish", what: "the papers" }), "papers", [publish]],
    ] as const;
    for (const [request, answer, token, tools] of cases) {
      const asked = requestOf(request, tools && { tools: tools.flatMap((tool) => tool ?? []) });
      expect(await planWith([likely(answer, { [token]: -0.3 })], asked)).toMatchObject({
        source: { certainty: 0.741 },
      });
      expect(await failureOf([likely(answer, { [token]: -0.5 })], asked)).toMatchObject({
        details: { reason: "unsure" },
      });
    }
    const usual = await planWith([likely(noteOf("milk"), { milk: -0.5 })], "note milk");
    expect(usual.source?.certainty).toBe(0.607);
  });

  it("is one of the words alone where a model does not tell, and counts like any other", async () => {
    expect(await planWith([noteOf("milk")], "note milk")).toMatchObject({ source: { certainty: 0.75 } });
    expect(await failureOf([noteOf("milk")], "note milk", { minCertainty: 0.8 })).toMatchObject({
      details: { reason: "unsure", proposals: [{ certainty: 0.75 }] },
    });
    const left = await failureOf([noteOf("milk")], `note milk ${"blue ".repeat(50)}`);
    expect(left).toMatchObject({ details: { reason: "unsure" } });
    expect(await planWith([wipeCellar], "wipe the cellar")).toMatchObject({ source: { certainty: 0.75 } });
    const failure = await failureOf([wipeCellar], "wipe the cellar blue");
    expect(failure).toMatchObject({ details: { reason: "unsure", proposals: [{ steps: [{ tool: "Wipe" }] }] } });
  });

  it("proposes in words which result is meant, or that it is the whole one", async () => {
    const saidWith = async (options: object) => {
      const tools = [
        defineTool({
          name: "Weather",
          description: "Tells the weather",
          inputSchema: z.object({ city: z.string() }),
          phrases: ["weather in {city}"],
          effect: "pure",
          execute: () => ({ text: "rain" }),
          ...options,
        }),
        defineTool({
          name: "Mail",
          description: "Sends a mail",
          inputSchema: z.object({ text: z.string(), to: z.string() }),
          phrases: ["mail {text} to {to}"],
          effect: "once",
          execute: () => null,
        }),
      ];
      const answers = [answerOf({ do: "Weather", city: "Graz" }), answerOf({ do: "Mail", text: "$1", to: "Ada" })];
      const asked = requestOf("weather in Graz, then mail it to Ada", { tools });
      const failure = await failureOf(answers, asked, { minCertainty: 1 });
      return isAgentError(failure, "cannot-plan") ? failure.details.proposals?.[0]?.text : failure;
    };
    const outputSchema = z.object({ text: z.string() });
    expect(await saidWith({})).toBe("weather in Graz, then mail the whole result of step 1 to Ada");
    expect(await saidWith({ outputSchema })).toBe("weather in Graz, then mail the text of step 1 to Ada");
  });

  it("ignores the probabilities of another text", async () => {
    const answer = { text: noteOf("milk"), logprobs: [{ token: "something else", logprob: -9 }] };
    expect(await planWith([answer], "note milk")).toMatchObject({ source: { certainty: 0.75 } });
  });
});

describe("a plan says only what the request says", () => {
  it.each([
    ["a word that nobody said", "note milk", noteOf("bread"), 'does not say "bread"'],
    ["a number that nobody said", "note milk", noteOf("milk", { count: 7 }), 'does not say "7"'],
    ["a choice that nobody made", "note milk", noteOf("milk", { priority: "high" }), 'does not say "high"'],
    ["a tag that nobody said", "note milk", noteOf("milk", { tags: ["http://evil.example"] }), '"http://evil.example"'],
    ["another amount", "note that Bob gets 5 euros", noteOf("Bob gets 5000 euros"), 'does not say "5000"'],
    [
      "another account",
      "note account 12345678901234567890",
      noteOf("account 12345678901234567891"),
      '"12345678901234567891"',
    ],
    ["a word with a hidden letter", "note milk", noteOf("m\u200bilk"), 'does not say "m ilk"'],
    ["a word of letters that look the same", "note milk", noteOf("mіlk"), 'does not say "mіlk"'],
    [
      "a number of a step without an effect",
      "note it",
      answerOf({ do: "Sum", a: 7 }, { do: "Note", title: "$1" }),
      'does not say "7"',
    ],
    [
      "words around a result",
      "add 2 and note it",
      answerOf({ do: "Sum", a: 2 }, { do: "Note", title: "send $1" }),
      'does not say "send"',
    ],
    [
      "a text twice",
      "note milk",
      answerOf({ do: "Note", title: "milk" }, { do: "Note", title: "milk" }),
      '"milk" is used more than once, but said only once',
    ],
    ["a megabyte", "note milk", noteOf("evil ".repeat(200_000)), 'does not say "evil'],
  ])("and is refused for %s", async (_what, request, answer, reason) => {
    const failure = await failureOf([answer], request);
    expect(failure).toMatchObject({ code: "cannot-plan", details: { reason: "not-understood" } });
    expect(failure.message).toContain(reason);
    expect(failure.message.length).toBeLessThan(700);
  });

  it("and may say twice what was said twice, or a list, a number and a tag", async () => {
    const twice = answerOf({ do: "Note", title: "milk" }, { do: "Note", title: "milk" });
    expect((await planWith([twice], "note milk and milk")).steps).toHaveLength(2);
    const shared = ["milk", "bread"].map((title) => ({ do: "Note", title, count: 3, tags: ["home"] }));
    expect((await planWith([answerOf(...shared)], "note milk and bread 3 times #home")).steps).toHaveLength(2);
  });

  it("and quotes what the app says only where it changes nothing", async () => {
    const options = { minCertainty: 0.5 };
    const asked = (request: string) => requestOf(request, { context: "The user is Ines, 40.", tools: [note, sum] });
    expect(await planWith([answerOf({ do: "Sum", a: 40, b: 2 })], asked("sum my age and 2"), options)).toMatchObject({
      steps: [{ tool: "Sum" }],
    });
    const failure = await failureOf([noteOf("Ines")], asked("note my name"));
    expect(failure.message).toContain('does not say "ines"');
  });

  it("and does nothing that no word asks for", async () => {
    const tools = [createTodoStore()];
    for (const operation of ["delete", "complete"]) {
      const answer = answerOf({ do: `TodoStore.${operation}`, title: "milk" });
      const failure = await failureOf([answer, answer], requestOf("milk", { tools }));
      expect(failure).toMatchObject({ code: "cannot-plan", details: { reason: "unsure" } });
    }
  });
});
