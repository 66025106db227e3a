import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../../../src/index.ts";
import { likelyTools } from "../../../src/planners/rules/likely-tools.ts";
import { readRequest } from "../../../src/planners/rules/match-input.ts";
import { compileTool, type ToolRules } from "../../../src/planners/rules/tool-rules.ts";

const nouns =
  "lamp door fan oven radio heater gate pump valve mixer camera printer fridge kettle drill crane ferry".split(" ");

async function toolOf(noun: string, phrases: readonly string[]): Promise<ToolRules> {
  const tool = defineTool({ name: noun, description: noun, inputSchema: z.object({}), phrases, execute: () => null });
  return compileTool(tool);
}

const tools = await Promise.all(
  nouns.map((noun) => toolOf(noun, [`turn on the ${noun}`, `[please] (stop|halt) the ${noun}`])),
);
const any = await toolOf("any", ["(yes|no)"]);

function namesFor(request: string, of = tools): readonly string[] {
  const input = readRequest(request, { nowMs: 0, timeZone: "UTC" }, { readDates: undefined });
  return likelyTools(of, input).map(({ tool }) => tool.name);
}

describe("likelyTools", () => {
  it.each([
    ["turn on the lamp", ["lamp"]],
    ["stop the kettle and halt the crane", ["kettle", "crane"]],
    ["turn on the heatr", ["heater"]],
    ["turn on the moon", []],
  ])("finds the tools with a phrase whose words are there: %s", (request, names) => {
    expect(namesFor(request)).toEqual(names);
  });

  it("looks at all of a few", () => {
    expect(namesFor("turn on the moon", tools.slice(0, 3))).toEqual(["lamp", "door", "fan"]);
  });

  it("makes another index for other tools", () => {
    expect(namesFor("yes", [...tools, any])).toEqual(["any"]);
    expect(namesFor("yes")).toEqual([]);
  });
});
