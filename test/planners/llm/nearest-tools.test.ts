import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { define } from "../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../src/core/tool.ts";
import { createLlmPlanner } from "../../../src/planners/llm/llm-planner.ts";
import { maxToolTokens, NearestTools } from "../../../src/planners/llm/nearest-tools.ts";
import { createScriptedModel } from "../../../src/testing/scripted-model.ts";

const tool = (name: string, description: string, more: object = {}): DefinedTool =>
  define({ name, description, inputSchema: z.object({ value: z.string() }), execute: () => null, ...more });

const long = "It does what its name says, for whoever wants that to be done, as often as they want it. ".repeat(4);
const others = Array.from({ length: 60 }, (_, index) => tool(`other_${index}`, long));
const weather = tool("getForecast", "How warm it will be");
const mail = tool("send_mail", `Sends a message. ${long}`);
const convert = tool("Convert", `Changes money of one country into that of another. ${long}`, {
  inputSchema: z.object({ currency: z.enum(["dollars", "yen"]) }),
});
const tools = [...others.slice(0, 30), weather, mail, ...others.slice(30), convert];
const none = new Set<string>();

const request = (text: string, given = tools) => ({
  request: text,
  tools: given,
  maxSteps: 9,
  nowMs: 0,
  timeZone: "UTC",
  signal: new AbortController().signal,
});
const namesOf = (chosen: readonly DefinedTool[] = []) => chosen.map(({ name }) => name);
const answer = (name: string, value: string) => JSON.stringify({ steps: [{ tool: name, input: { value } }] });

describe("the nearest tools", () => {
  it.each([
    ["a word of the description", "will it be warm", "getForecast"],
    ["a word of the name, in another form", "forecasts for Oslo", "getForecast"],
    ["a word of a name with underscores", "mails to Ada", "send_mail"],
    ["a constant of a field", "100 yen", "Convert"],
  ])("are found by %s", async (_name, text, name) => {
    const nearest = await NearestTools.of(tools);
    expect(namesOf(nearest?.choose(text, none).first)).toContain(name);
  });

  it("are found by their examples", async () => {
    const lamp = tool("Lamp", long, { phrases: [{ phrase: "make it bright", input: { value: "on" } }] });
    const late = tool("Late", long, { phrases: async () => ["make it dark in {value}"] });
    const nearest = await NearestTools.of([...others, lamp, late]);
    expect(namesOf(nearest?.choose("bright", none).first)).toContain("Lamp");
    expect(namesOf(nearest?.choose("dark", none).first)).toContain("Late");
  });

  it("stand in the order of the list, whatever their rank, and fit the room", async () => {
    const nearest = await NearestTools.of(tools);
    const chosen = nearest?.choose("mail me the forecast", none).first ?? [];
    expect(chosen).toEqual(tools.filter((each) => chosen.includes(each)));
    expect(chosen.length).toBeGreaterThan(10);
    expect(chosen.length).toBeLessThan(30);
  });

  it("are five at least, however long they are", async () => {
    const huge = Array.from({ length: 8 }, (_, index) => tool(`huge_${index}`, "x".repeat(3 * maxToolTokens)));
    const nearest = await NearestTools.of(huge);
    expect(namesOf(nearest?.choose("huge 7", none).first)).toHaveLength(5);
  });

  it("are all, if all fit", async () => {
    expect(await NearestTools.of(tools.slice(0, 6))).toBeUndefined();
    expect(await NearestTools.of([])).toBeUndefined();
  });
});

describe("a planner of the nearest tools", () => {
  it("names those that the model was shown, which are the same prompt for the same tools", async () => {
    const model = createScriptedModel([answer("getForecast", "warm"), answer("getForecast", "warm")]);
    const planner = createLlmPlanner({ model, tools: "nearest" });
    const { source } = await planner.plan(request("will it be warm"));
    await planner.plan(request("warm it will be"));
    expect(source?.tools).toContain("getForecast");
    expect(source?.tools?.length).toBeLessThan(30);
    const [first, second] = model.requests.map(({ messages }) => messages[0]?.content);
    expect(first).toBe(second);
    for (const name of source?.tools ?? []) expect(first).toContain(`\n${name}: `);
    expect(first).not.toContain("send_mail");
  });

  it("asks about others when something is missing, with the likeliest of the first", async () => {
    const model = createScriptedModel([
      '{"steps": [], "missing": "a tool that changes yen into dollars"}',
      answer("getForecast", "warm"),
    ]);
    const { source } = await createLlmPlanner({ model, tools: "nearest" }).plan(request("will it be warm"));
    const [first, second] = model.requests.map(({ messages }) => messages[0]?.content ?? "");
    expect(first).not.toContain("Convert: ");
    expect(second).toContain("Convert: ");
    expect(second).toContain("getForecast: ");
    expect(source).toMatchObject({ attempts: 2, failures: [{ code: "cannot-plan" }] });
    expect(source?.tools).toContain("Convert");
  });

  it("refuses when the others cannot do it either", async () => {
    const model = createScriptedModel(['{"steps": [], "missing": "magic"}', '{"steps": [], "missing": "more magic"}']);
    const planning = createLlmPlanner({ model, tools: "nearest" }).plan(request("will it be warm"));
    await expect(planning).rejects.toMatchObject({
      code: "cannot-plan",
      message: expect.stringContaining("more magic"),
      details: { failures: [{ code: "cannot-plan", message: expect.stringContaining("magic") }] },
    });
  });

  it("asks about all tools where they are few, and by default", async () => {
    for (const [options, given] of [
      [{ tools: "nearest" }, [weather, mail]],
      [{}, tools],
    ] as const) {
      const model = createScriptedModel(['{"steps": [], "missing": "magic"}']);
      const planning = createLlmPlanner({ model, ...options }).plan(request("will it be warm", [...given]));
      await expect(planning).rejects.toMatchObject({ code: "cannot-plan" });
      for (const { name } of given) expect(model.requests[0]?.messages[0]?.content).toContain(`\n${name}: `);
    }
  });

  it("does not know another choice", () => {
    const model = createScriptedModel([]);
    expect(() => createLlmPlanner({ model, tools: "some" as never })).toThrow("llmPlanner.tools");
  });
});
