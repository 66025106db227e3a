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
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/v4";

/** A request that a page quotes: `planned` names the tool of each step (`wait` for one that waits), `refused` a reason. */
interface DocumentedRequest {
  readonly page: string;
  readonly request: string;
  readonly tools: readonly string[];
  /** What was said before, if the request is a line of a dialogue. */
  readonly after?: readonly string[];
  readonly planned?: readonly string[];
  /** The input of each step, or the part of it that matters. */
  readonly inputs?: readonly object[];
  /** The condition of the last step. */
  readonly when?: string;
  readonly refused?: string;
}

/** A tool that does nothing. */
function toolOf(name: string, shape: Readonly<Record<string, z.ZodType>>, phrase: string, input?: object): Tool {
  const inputSchema = z.object(shape);
  const phrases = [{ phrase, ...(input && { input }) }];
  return defineTool({ name, description: name, inputSchema, effect: "idempotent", phrases, execute: () => true });
}

const text = z.string();

const tools: Readonly<Record<string, Tool>> = {
  Pay: toolOf(
    "Pay",
    { euros: z.number(), to: text, note: text.optional() },
    "(send|pay) {euros} euros to {to} [for {note}]",
  ),
  Send: toolOf("Send", { file: text, to: text }, "send [the] [file] {file} to {to}"),
  Call: toolOf("Call", { to: text }, "remind me to call {to}"),
  Remind: toolOf("Remind", { task: text }, "remind me to {task}"),
  Wrap: toolOf("Wrap", { box: text }, "wrap {box}"),
  Post: toolOf("Post", { box: text }, "post {box}"),
  Gift: toolOf("Gift", { box: text }, "wrap and post {box}"),
  Ask: toolOf("Ask", { who: z.string().meta({ slot: "word" }), task: text }, "ask {who} to {task}"),
  AskAnyone: toolOf("AskAnyone", { who: text, task: text }, "ask {who} to {task}"),
  Tell: toolOf("Tell", { to: text, text }, "tell {to} that {text}"),
  Seat: toolOf("Seat", { guests: z.int(), area: z.enum(["inside", "terrace"]).optional() }, "seat {guests}"),
  Light: toolOf("Light", { room: text, level: z.int() }, "it is too dark in the kitchen", {
    room: "kitchen",
    level: 9,
  }),
  Book: toolOf(
    "Book",
    { name: text, people: z.int(), at: z.iso.datetime() },
    "book [a] table for {name} for {people} people {at}",
  ),
  Calculator: createCalculator(),
  TodoStore: createTodoStore(),
  Notes: createNotes(),
  WebSearch: createWebSearch({ search: () => [] }),
  Table: defineTool({
    name: "Table",
    description: "Tables of a restaurant",
    inputSchema: z.discriminatedUnion("action", [
      z.object({
        action: z.literal("book"),
        guests: z.number().int(),
        day: z.iso.date(),
        area: z
          .enum(["inside", "terrace"])
          .meta({ synonyms: { terrace: ["outside"] } })
          .optional(),
      }),
      z.object({ action: z.literal("cancel"), day: z.iso.date() }),
    ]),
    effect: "idempotent",
    phrases: [
      { phrase: "(book|reserve) a table for {guests} [guest[s]] [on] {day}", input: { action: "book" } },
      { phrase: "cancel [my|the] table [on] {day}", input: { action: "cancel" }, destructive: true },
    ],
    execute: () => true,
  }),
  Umbrella: defineTool({
    name: "Umbrella",
    description: "Whether to take an umbrella",
    inputSchema: z.object({ city: z.string() }),
    effect: "pure",
    phrases: [{ phrase: "will I need an umbrella in London", input: { city: "London" } }],
    execute: () => true,
  }),
  Greet: defineTool({
    name: "Greet",
    description: "Greets somebody",
    inputSchema: z.object({ name: z.string() }),
    effect: "idempotent",
    phrases: ["greet {name}"],
    execute: ({ name }) => `Hello ${name}`,
  }),
};

const rows = readFileSync("test/package/documented-requests.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line): DocumentedRequest => JSON.parse(line));

async function planRow({ request, tools: names, after }: DocumentedRequest) {
  // A dialogue changes the bookings; each finds them as they were at first.
  if (after !== undefined) vi.resetModules();
  const { default: bookings } = await import("../../examples/dialogue/bookings.ts");
  const agent = createAgent({ tools: names.map((name) => findTool(name, bookings)) });
  for (const line of after ?? []) await agent.run(line, { thread: "ada" });
  return agent.plan(request, after && { thread: "ada" });
}

function findTool(name: string, bookings: readonly Tool[]): Tool {
  const tool = tools[name] ?? bookings.find((each) => each.name === name);
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
