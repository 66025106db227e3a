import { createLlmPlanner, type DefinedTool, defineTool, type LlmPlannerOptions } from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerOf, requestOf, unclear } from "./ask-llm-planner.ts";

const tool = (name: string, description: string, more: object = {}): DefinedTool =>
  defineTool({
    name,
    description,
    inputSchema: z.object({ value: z.string() }),
    effect: "idempotent",
    execute: () => null,
    ...more,
  });

const long = "It does what its name says, for whoever wants that to be done, as often as they want it. ".repeat(2);
const others = Array.from({ length: 60 }, (_, index) => tool(`other_${index}`, long));
const weather = tool("getForecast", "How warm it will be");
const mail = tool("send_mail", `Sends a message. ${long}`);
const convert = tool("Convert", `Changes money of one country into that of another. ${long}`, {
  inputSchema: z.object({ currency: z.enum(["dollars", "yen"]) }),
});
const lamp = tool("Lamp", long, { phrases: [{ phrase: "make it bright", input: { value: "on" } }] });
const late = tool("Late", long, { phrases: async () => ["make it dark in {value}"] });
const tools = [...others.slice(0, 30), weather, mail, lamp, late, ...others.slice(30), convert];

const warm = answerOf({ do: "getForecast", value: "warm" });

async function ask(
  text: string,
  answers: readonly string[],
  { given = tools, ...options }: { given?: readonly DefinedTool[] } & Partial<LlmPlannerOptions> = {},
) {
  const model = createScriptedModel(answers);
  const planner = createLlmPlanner({ model, tools: "nearest", ...options });
  const planned = await Promise.resolve(planner.plan(requestOf(text, { tools: given }))).catch(
    (error: unknown) => error,
  );
  const shown = model.requests.map(({ messages }) =>
    given.flatMap(({ name }) => (messages[0]?.content.includes(`\n${name} {`) ? [name] : [])),
  );
  return { planned, shown, systems: model.requests.map(({ messages }) => messages[0]?.content) };
}

describe("the nearest tools", () => {
  it.each([
    ["a word of the description", "warm in Oslo", "getForecast"],
    ["a word of the name, in another form", "forecasts for Oslo", "getForecast"],
    ["a word of a name with underscores", "mails to Ada", "send_mail"],
    ["a constant of a field", "100 yen", "Convert"],
    ["an example", "bright in the hall", "Lamp"],
    ["a phrase", "dark in the hall", "Late"],
  ])("are found by %s", async (_name, text, name) => {
    const { shown } = await ask(text, [unclear, unclear]);
    expect(shown[0]).toContain(name);
  });

  it("are named, stand in the order of the list, and are the same prompt for the same tools", async () => {
    const first = await ask("forecast warm", [warm]);
    const second = await ask("warm forecast", [warm]);
    expect(first.planned).toMatchObject({ source: { tools: first.shown[0] } });
    expect(first.shown[0]?.length).toBeGreaterThan(10);
    expect(first.shown[0]?.length).toBeLessThan(40);
    expect(second.systems).toEqual(first.systems);
  });

  it.each(["plain", "strict", "grammar"] as const)(
    "leave room for the schema of the answer, where it is read (%s)",
    async (schemas) => {
      const model = { ...createScriptedModel([warm]), schemas };
      const inputSchema = z.object({
        value: z.string(),
        ...Object.fromEntries([1, 2, 3, 4].map((at) => [`field${at}`, z.number()])),
      });
      const given = others.map(({ name }) => tool(name, "Does it", { inputSchema }));
      let sizes: readonly number[] = [];
      const generate: typeof model.generate = (request) => {
        const { responseFormat } = request;
        const schema = responseFormat?.type === "json" ? responseFormat.schema : undefined;
        sizes = [request.messages[0]?.content ?? "", JSON.stringify(schema)].map((text) => text.length / 3);
        return model.generate(request);
      };
      const planner = createLlmPlanner({ model: { ...model, generate }, tools: "nearest" });
      const named = [weather, ...given];
      await planner.plan(requestOf("forecast warm", { tools: named }));
      const [lines = 0, schema = 0] = sizes;
      if (schemas === "grammar") expect(schema).toBeGreaterThan(2_500);
      else expect(lines + schema).toBeLessThan(3_700);
    },
  );

  it("are five at least, however long they are", async () => {
    const value = z.object(
      Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`${"x".repeat(900)}${index}`, z.string()])),
    );
    const huge = Array.from({ length: 8 }, (_, index) => tool(`huge_${index}`, "", { inputSchema: value }));
    expect((await ask("huge 7", [unclear, unclear], { given: huge })).shown[0]).toHaveLength(5);
  });

  it("are others when something is missing, with the likeliest of the first", async () => {
    const { planned, shown } = await ask("forecast warm", [unclear, warm]);
    expect(shown[1]).toContain("getForecast");
    expect(shown[1]?.filter((name) => !shown[0]?.includes(name)).length).toBeGreaterThan(5);
    expect(planned).toMatchObject({ source: { attempts: 2, failures: [{ code: "cannot-plan" }], tools: shown[1] } });
  });

  it("are asked about once more at most", async () => {
    const { planned, shown } = await ask("forecast warm", [unclear, unclear]);
    expect(planned).toMatchObject({ code: "cannot-plan", details: { failures: [{ code: "cannot-plan" }] } });
    expect(shown).toHaveLength(2);
  });

  it("are all tools where these are few", async () => {
    for (const options of [{ given: [weather, mail] }, { given: [weather, mail], tools: "all" as const }]) {
      const { planned, shown } = await ask("forecast warm", [warm], options);
      expect(shown).toEqual([["getForecast", "send_mail"]]);
      expect(planned).not.toHaveProperty("source.tools");
    }
  });

  it("are used unasked where all tools are too many to read", async () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      tool(`Tool${index}`, `Does the thing number ${index}. ${long}`),
    );
    const answer = answerOf({ do: "Tool211", value: "milk" });
    const { planned, shown } = await ask("the thing number 211 for milk", [answer], { given: many, tools: "all" });
    expect(shown[0]).toContain("Tool211");
    expect(shown[0]?.length).toBeLessThan(100);
    expect(planned).toMatchObject({
      steps: [{ tool: "Tool211", input: { value: "milk" } }],
      source: { tools: shown[0] },
    });
  });
});
