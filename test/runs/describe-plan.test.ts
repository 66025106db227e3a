import { describe, expect, it } from "vitest";
import { z as zod3 } from "zod/v3";
import { z } from "zod/v4";
import type { AnyPlan } from "../../src/core/plan.ts";
import { defineTool, describePlan, sensitive } from "../../src/index.ts";

const text = z.object({ text: z.string().optional() });
const tools = [
  defineTool({ name: "Find", description: "d", inputSchema: text, execute: () => ({ rows: [] }) }),
  defineTool({
    name: "Pay",
    description: "d",
    inputSchema: text,
    effect: "once",
    needsApproval: true,
    execute: () => 1,
  }),
  defineTool({ name: "Send", description: "d", inputSchema: text, needsApproval: () => true, execute: () => 1 }),
];
const lines = (plan: AnyPlan, given: Parameters<typeof describePlan>[1]["tools"] = tools) =>
  describePlan(plan, { tools: given }).split("\n");

describe("describePlan", () => {
  it("says what will run, under which conditions, and what it waits for", () => {
    const steps = [
      { id: "find", tool: "Find", input: { text: "open" }, reasoning: "Find what is open" },
      { id: "pay", tool: "Pay", input: { text: "${item.id}" }, forEach: "find.rows", when: "item.due", concurrency: 2 },
      { id: "s", tool: "Send", input: { text: "${pay[0].id}" }, dependsOn: [], reasoning: "Tell Ada" },
    ];
    expect(describePlan({ steps }, { tools })).toBe(`find  Find what is open
      Find {"text":"open"}
pay   Pay {"text":"\${item.id}"}
      if item.due
      for each find.rows, 2 at a time
      once, asks first, after find
s     Tell Ada
      Send {"text":"\${pay[0].id}"}
      may ask first, after pay`);
  });

  it.each([
    [{ forMs: 1_209_600_000 }, "wait for 14 days"],
    [{ forMs: 3_631_050 }, "wait for 1 hour 31 seconds 50 ms"],
    [{ forMs: 0 }, "wait for 0 ms"],
    [{ until: "2026-12-01T09:00:00Z" }, "wait until 2026-12-01T09:00:00Z"],
    [{ until: { $ref: "a.due" } }, "wait until a.due"],
    [{ event: "paid" }, 'wait for the event "paid", without a time limit'],
    [{ event: "paid", timeoutMs: 7_200_000 }, 'wait for the event "paid", at most 2 hours'],
  ])("says what %j waits for", (wait, expected) => {
    const steps = [{ id: "w", wait, when: "true" }];
    expect(lines({ steps } as never).slice(0, 2)).toEqual([`w  ${expected}`, "   if true"]);
  });

  it("calls a tool unknown that is not among the tools, and shows each step in lines of its own", () => {
    const evil = "a\n   Pay {}\u202e";
    const steps = [{ id: "s1", tool: "No", input: { text: evil }, reasoning: evil }];
    expect(lines({ steps })).toEqual([
      "s1  a\\n   Pay {}\\u202e",
      '    No {"text":"a\\n   Pay {}\\u202e"}',
      "    unknown tool",
    ]);
  });

  it("hides sensitive values, also where a reasoning repeats them", () => {
    const inputSchema = z.object({
      user: z.object({ pin: sensitive(z.string()) }),
      for: sensitive(z.string()).optional(),
    });
    const login = defineTool({ name: "Login", description: "d", inputSchema, execute: () => 1 });
    const steps = [
      { id: "a", tool: "Login", input: { user: { $literal: { pin: "hunter22" } } }, reasoning: "Log in with hunter22" },
      { id: "b", tool: "Login", input: { user: { pin: "${a.pin}" }, for: { $ref: "a.x" } }, reasoning: "Not hunter22" },
    ];
    expect(lines({ steps }, [login])).toEqual([
      "a  Log in with [sensitive]",
      '   Login {"user":{"$literal":{"pin":"[sensitive]"}}}',
      "b  Not [sensitive]",
      '   Login {"user":{"pin":"[sensitive]"},"for":{"$ref":"a.x"}}',
      "   after a",
    ]);
  });

  it("hides a whole input whose schema of zod 3 it cannot read yet", () => {
    const inputSchema = zod3.object({ user: zod3.string(), pin: sensitive(zod3.string()) });
    const login = defineTool({ name: "Login", description: "d", inputSchema, execute: () => 1 });
    const steps = [{ id: "a", tool: "Login", input: { user: "ada", pin: "hunter22" } }];
    expect(lines({ steps }, [login])).toEqual(['a  Login "[sensitive]"']);
  });
});
