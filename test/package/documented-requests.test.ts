import { readFileSync } from "node:fs";
import {
  createAgent,
  createCalculator,
  createNotes,
  createTodoStore,
  createWebSearch,
  defineTool,
  isAgentError,
  type Tool,
} from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";

/** A request that a page quotes: `planned` names the tool of each step (`wait` for one that waits), `refused` a reason. */
interface DocumentedRequest {
  readonly page: string;
  readonly request: string;
  readonly tools: readonly string[];
  readonly planned?: readonly string[];
  /** The input of each step, or the part of it that matters. */
  readonly inputs?: readonly object[];
  /** The condition of the last step. */
  readonly when?: string;
  readonly refused?: string;
}

const inputSchema = z.object({ city: z.string() });
const tools: Readonly<Record<string, Tool>> = {
  Calculator: createCalculator(),
  TodoStore: createTodoStore(),
  Notes: createNotes(),
  WebSearch: createWebSearch({ search: () => [] }),
  Weather: defineTool({
    name: "Weather",
    description: "Current weather in a city",
    inputSchema,
    outputSchema: z.object({ celsius: z.number() }),
    effect: "pure",
    phrases: ["weather in {city}", "is it (warm|cold) in {city}", "how (warm|hot|cold) is it in {city}"],
    execute: () => ({ celsius: 21 }),
  }),
  Rain: defineTool({
    name: "Rain",
    description: "Rain in a city",
    inputSchema,
    effect: "pure",
    phrases: [
      { phrase: "is it raining in Paris", input: { city: "Paris" } },
      { phrase: "will I need an umbrella in London", input: { city: "London" } },
    ],
    execute: () => true,
  }),
  Greet: defineTool({
    name: "Greet",
    description: "Greets somebody",
    inputSchema: z.object({ name: z.string() }),
    phrases: ["greet {name}"],
    execute: ({ name }) => `Hello ${name}`,
  }),
  Lamp: defineTool({
    name: "Lamp",
    description: "Switches the lamp",
    inputSchema: z.object({ on: z.boolean() }),
    phrases: [{ phrase: "switch the lamp on", input: { on: true } }],
    execute: ({ on }) => on,
  }),
};

const rows = readFileSync("test/package/documented-requests.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line): DocumentedRequest => JSON.parse(line));

function planRow({ request, tools: names }: DocumentedRequest) {
  return createAgent({ tools: names.map((name) => toolOf(name)) }).plan(request);
}

function toolOf(name: string): Tool {
  const tool = tools[name];
  if (tool === undefined) throw new Error(`There is no tool "${name}" in this file.`);
  return tool;
}

describe("a request that the docs quote", () => {
  it.each(rows.filter(({ planned }) => planned !== undefined))("is planned as $page says: $request", async (row) => {
    const { steps } = await planRow(row);
    expect(steps.map(({ tool = "wait" }) => tool)).toEqual(row.planned);
    if (row.inputs !== undefined) expect(steps.map(({ input = {} }) => input)).toMatchObject(row.inputs);
    expect(steps.at(-1)?.when).toBe(row.when);
  });

  it.each(rows.filter(({ planned }) => planned === undefined))("is refused as $page says: $request", async (row) => {
    const error: unknown = await planRow(row).then(undefined, (thrown: unknown) => thrown);
    expect(isAgentError(error, "cannot-plan") && error.details.reason).toBe(row.refused);
  });
});
