import { type AgentWarning, createAgent, createWebSearch, defineTool, explainRequest, type Tool } from "planwright";
import { expect, it, vi } from "vitest";
import * as z from "zod/v4";

/** A tool with these fields and phrases. */
function toolOf(name: string, shape: z.ZodRawShape, phrases: Tool["phrases"], more: Partial<Tool> = {}): Tool {
  const inputSchema = z.object(shape);
  const tool = { name, description: name, inputSchema, effect: "idempotent", phrases, execute: () => ({ ok: true }) };
  return defineTool({ ...tool, ...more } as Parameters<typeof defineTool>[0]);
}

async function plan(tools: readonly Tool[], request: string) {
  const clock = { nowMs: Date.parse("2026-11-26T10:00Z"), timeZone: "UTC" };
  const { signal } = new AbortController();
  const { steps, refusal } = await explainRequest({ tools, request, ...clock, maxSteps: 50, signal } as Explained);
  return refusal?.reason ?? steps.map(({ tool, input }) => [tool, input]);
}

type Explained = Parameters<typeof explainRequest>[0];

const text = z.string();
const boats = [
  toolOf("Hire", { boat: z.number(), skipper: text }, ["hire boat {boat} for {skipper}"]),
  toolOf("Paint", { boat: z.number(), colour: z.enum(["red", "blue"]) }, ["paint boat {boat} {colour}"]),
  toolOf("Depth", { harbour: text }, ["depth in {harbour}"], { effect: "pure" }),
  toolOf("Signal", { to: text, message: text }, ["signal {to}: {message}"]),
];

it.each([
  [
    "hire boat 4 for Ida and paint it red",
    [
      ["Hire", { boat: 4, skipper: "Ida" }],
      ["Paint", { boat: 4, colour: "red" }],
    ],
  ],
  [
    "depth in Kiel and Cuxhaven",
    [
      ["Depth", { harbour: "Kiel" }],
      ["Depth", { harbour: "Cuxhaven" }],
    ],
  ],
  [
    "signal Ida: the harbour is closed right now",
    [["Signal", { to: "Ida", message: "the harbour is closed right now" }]],
  ],
  ["signal Ida: a storm", [["Signal", { to: "Ida", message: "a storm" }]]],
  ["paint it red", "unbound"],
  ["depth in harbour", "missing"],
])("plans or refuses with tools of one's own: %s", async (request, wanted) => {
  expect(await plan(boats, request)).toEqual(wanted);
});

it("asks of the past for the last weekday", async () => {
  const log = toolOf("Log", { day: z.iso.date() }, ["what did I paint {day}"], { effect: "pure" });
  expect(await plan([log], "what did I paint on monday")).toEqual([["Log", { day: "2026-11-23" }]]);
});

it("reads the day of an example anew", async () => {
  const phrases = [{ phrase: "how high is the tide in Brest tomorrow", input: { port: "Brest", day: "2020-03-01" } }];
  const tide = toolOf("Tide", { port: text, day: z.iso.date() }, phrases, { effect: "pure" });
  expect(await plan([tide], "how high is the tide in Dover tomorrow")).toEqual([
    ["Tide", { port: "Dover", day: "2026-11-27" }],
  ]);
});

it("searches the web once for several words, and not for another wish", async () => {
  const tools = [createWebSearch({ search: () => [] })];
  expect(await plan(tools, "search for foo, bar and baz")).toEqual([["WebSearch", { query: "foo, bar and baz" }]]);
});

it("warns of a phrase that takes nearly any request, if the tool runs once or needs approval", async () => {
  const warnings: AgentWarning[] = [];
  const shape = { drink: text };
  const tools = [
    toolOf("Order", shape, ["get {drink}", "order {drink}"], { effect: "once" }),
    toolOf("Buy", shape, ["{drink} please"], { needsApproval: true }),
    toolOf("Find", shape, ["get {drink} quickly"]),
  ];
  createAgent({ tools, onWarning: (warning) => warnings.push(warning) });
  await vi.dynamicImportSettled();
  expect(warnings.map(({ code, message }) => [code, /"(.*?)" of (\w+)/.exec(message)?.slice(1)])).toEqual([
    ["open-phrase", ["get {drink}", "Order"]],
    ["open-phrase", ["{drink} please", "Buy"]],
  ]);
});
