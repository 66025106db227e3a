import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { defineTool } from "../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../src/core/tool.ts";
import { StepReader } from "../../../../src/planners/llm/reading/read-steps.ts";

/** What the field of an input becomes. */
async function read(field: z.ZodType, value: unknown, name = "field"): Promise<unknown> {
  const tool = defineTool({
    name: "Set",
    description: "",
    inputSchema: z.object({ [name]: field }),
    execute: () => null,
  }) as DefinedTool;
  const reader = new StepReader({ tools: new Map([["Set", tool]]), typed: "", kept: [], prefix: "s" });
  const { step } = await reader.next({ tool: "Set", input: { [name]: value } });
  return (step as { readonly input: Record<string, unknown> }).input[name];
}

const day = z.enum(["monday", "tuesday", "saturday", "sunday"]);

describe("a value with one meaning is read", () => {
  it.each([
    ["an abbreviated choice", day, "Mon", "monday"],
    ["a list of choices in one text", z.array(day), "Monday, sunday", ["monday", "sunday"]],
    ["whole numbers in one text", z.array(z.int()), "1, 2,3", [1, 2, 3]],
    ["one object for a list", z.array(z.object({ a: z.string() })), { a: "b" }, [{ a: "b" }]],
    ["thousands with decimals", z.number(), "1,250.00", 1_250],
    ["millions", z.number(), "1,250,000", 1_250_000],
    ["thousands where there are no decimals", z.int(), "1,250", 1_250],
    ["an amount", z.number(), "$30", 30],
    ["a percentage of a hundred", z.int().min(0).max(100), "35%", 35],
    ["a percentage of one", z.number().min(0).max(1), "35 %", 0.35],
    ["a day with other signs", z.iso.date(), "2026/09/29", "2026-09-29"],
    ["a day as its midnight", z.iso.date(), "2026-09-29T00:00:00Z", "2026-09-29"],
    ["a time of twelve hours", z.iso.time(), "2:30 PM", "14:30"],
    ["midnight", z.iso.time(), "12 am", "00:00"],
  ])("%s", async (_what, field, value, expected) => {
    expect(await read(field, value)).toEqual(expected);
  });

  it.each([
    ["celsius", "23°C", 23],
    ["durationMinutes", "45 minutes", 45],
    ["timeout_seconds", "30 s", 30],
    ["discountPercent", "15%", 15],
  ])("a number with the unit of its field: %s", async (name, value, expected) => {
    expect(await read(z.number(), value, name)).toBe(expected);
  });

  it("a unit that the description names", async () => {
    expect(await read(z.number().describe("Weight in kg"), "2.5 kg")).toBe(2.5);
  });
});

describe("a value with several meanings, or none, stays", () => {
  it.each([
    ["an abbreviation of two choices", day, "s"],
    ["two letters", day, "mo"],
    ["the start of two choices", z.enum(["complete", "completed"]), "comp"],
    ["a list of texts in one text", z.array(z.string()), "milk, eggs"],
    ["a list with something that is no choice", z.array(day), "monday, noday"],
    ["a comma that may be a decimal comma", z.number(), "1,250"],
    ["a percentage of anything", z.number(), "35%"],
    ["groups of other sizes", z.int(), "1,25"],
    ["a number beyond the safe ones", z.int(), "90,071,992,547,409,930"],
    ["a day with a time", z.iso.date(), "2026-09-29T10:00:00Z"],
    ["a day in an order that may be two", z.iso.date(), "09/10/2026"],
    ["thirteen hours of twelve", z.iso.time(), "13 pm"],
  ])("%s", async (_what, field, value) => {
    expect(await read(field, value)).toEqual(value);
  });

  it.each([
    ["celsius", "73 F"],
    ["seconds", "2 minutes"],
    ["amount", "5 apples"],
  ])("a number with another unit than its field: %s", async (name, value) => {
    expect(await read(z.number(), value, name)).toBe(value);
  });
});

describe("choices that rule each other out", () => {
  it("are mended together", async () => {
    const tool = defineTool({
      name: "Store",
      description: "",
      inputSchema: z.discriminatedUnion("operation", [
        z.strictObject({ operation: z.literal("add"), level: z.enum(["low", "high"]), on: z.iso.date().optional() }),
        z.strictObject({ operation: z.literal("list"), level: z.enum(["all", "some"]) }),
      ]),
      execute: () => null,
    }) as DefinedTool;
    const reader = new StepReader({ tools: new Map([["Store", tool]]), typed: "", kept: [], prefix: "s" });
    const { step } = await reader.next({ tool: "Store", input: { operation: "ADD", level: "High", on: null } });
    expect(step).toMatchObject({ input: { operation: "add", level: "high" } });
    expect(step).not.toHaveProperty("input.on");
  });
});
