import { defineTool, type PlanInput } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const cycle: Record<string, unknown> = {};
cycle.self = { cycle };

describe("an output", () => {
  it.each([
    ["a BigInt", { price: 1n }, "price: a BigInt is not JSON; use text or a number"],
    ["NaN", { list: [1, Number.NaN] }, "list.1: NaN is not JSON"],
    ["a cycle", cycle, "self.cycle: nested deeper"],
    ["a Map", { map: new Map() }, "map: a value of type Map is not JSON"],
    ["a function", { call: () => 1 }, "call: a function is not JSON"],
    ["100 MB", "x".repeat(100_000_000), "larger than 1048576 bytes"],
  ])("that is %s causes an error with its path, and the tool is not called again", async (_what, returns, message) => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns }] })],
      plan: planOf("A"),
    }));
    expect(result.error).toMatchObject({ code: "invalid-tool-output", details: { tool: "A", stepId: "s1" } });
    expect(result.error?.message).toContain(message);
    expect(result.steps[0]).toMatchObject({ status: "failed", attempts: 1 });
  });

  it("is the same JSON in events, references, store and result, whatever the tool does with it later", async () => {
    const kept: { when: Date; gone: undefined; tags: string[] } = { when: new Date(0), gone: undefined, tags: ["a"] };
    const { result } = await runScenario(() => ({
      isResumable: false,
      tools: [
        createFakeTool({ name: "A", outcomes: [{ returns: kept }] }),
        { ...createFakeTool({ name: "B" }), execute: () => kept.tags.push("b") },
      ],
      plan: {
        steps: [
          { id: "s1", tool: "A", input: {} },
          { id: "s2", tool: "B", input: { all: { $ref: "s1" } } },
        ],
      },
    }));
    const json = { when: "1970-01-01T00:00:00.000Z", tags: ["a"] };
    expect(result.steps[0]?.output).toEqual(json);
    expect(result.steps[1]?.input).toEqual({ all: json });
  });

  it("is parsed by its schema, of zod 4 and of zod 3", async () => {
    const input = z.object({});
    const { result } = await runScenario(() => ({
      tools: [
        defineTool({
          name: "Four",
          description: "",
          inputSchema: input,
          effect: "idempotent",
          outputSchema: z.object({ n: z.number().default(4) }),
          execute: () => ({}),
        }),
        defineTool({
          name: "Three",
          description: "",
          inputSchema: z3.object({}),
          effect: "idempotent",
          outputSchema: z3.object({ n: z3.string().transform(Number) }),
          execute: () => ({ n: "3" }),
        }),
        defineTool({
          name: "Bad",
          description: "",
          inputSchema: input,
          effect: "idempotent",
          outputSchema: z.object({ a: z.string(), b: z.number() }),
          execute: (): never => ({ a: 1 }) as never,
        }),
      ],
      plan: planOf("Four", "Three", "Bad"),
    }));
    expect(result.steps.map(({ output }) => output)).toEqual([{ n: 4 }, { n: 3 }, undefined]);
    expect(result.error).toMatchObject({
      code: "invalid-tool-output",
      details: { issues: [{ path: ["a"] }, { path: ["b"] }] },
    });
  });

  it("is null if the tool returns nothing", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: undefined }] })],
      plan: planOf("A"),
    }));
    expect(result.output).toBeNull();
  });

  it("may be larger or smaller than the default if the agent is configured so", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: "12345678" }] })],
      plan: planOf("A"),
      maxOutputBytes: 9,
    }));
    expect(result.error?.message).toContain("larger than 9 bytes");
  });
});

describe("an input", () => {
  it("is refused if it repeats more of an output than a plan may, and its tool is not called", async () => {
    const { result } = await runScenario(() => ({
      tools: [
        createFakeTool({ name: "A", outcomes: [{ returns: "x".repeat(10_000) }] }),
        createFakeTool({ name: "B" }),
      ],
      plan: {
        steps: [
          { id: "s1", tool: "A", input: {} },
          { id: "s2", tool: "B", input: { text: "${s1}".repeat(1_000) } },
        ],
      },
    }));
    expect(result.error).toMatchObject({ code: "invalid-tool-input", details: { tool: "B", stepId: "s2" } });
    expect(result.error?.message).toContain('its references repeat too much of the output of "s1"');
    expect(result.steps[1]).toMatchObject({ status: "failed", attempts: 0 });
  });

  it("is copied for each attempt, so that a tool may change it", async () => {
    const seen: unknown[] = [];
    const { result } = await runScenario(() => ({
      tools: [
        defineTool({
          name: "A",
          description: "",
          inputSchema: z.object({ list: z.any(), count: z.number().default(1) }),
          effect: "idempotent",
          execute: (input, { attempt }) => {
            seen.push(structuredClone(input));
            input.list.push("changed");
            if (attempt === 1) throw new Error("again");
            return null;
          },
        }),
      ],
      plan: { steps: [{ id: "s1", tool: "A", input: { list: ["as planned"] } }] },
    }));
    expect(seen.slice(0, 2)).toEqual([
      { list: ["as planned"], count: 1 },
      { list: ["as planned"], count: 1 },
    ]);
    expect(result.steps[0]?.input).toEqual({ list: ["as planned"] });
  });

  it("that turns out invalid when references are filled in fails the step with every issue", async () => {
    const { result } = await runScenario(() => ({
      tools: [
        createFakeTool({ name: "A", outcomes: [{ returns: { n: "text", m: 1 } }] }),
        defineTool({
          name: "B",
          description: "",
          inputSchema: z.object({ n: z.number(), m: z.string() }),
          effect: "idempotent",
          execute: () => null,
        }),
      ],
      plan: {
        steps: [
          { id: "s1", tool: "A", input: {} },
          { id: "s2", tool: "B", input: { n: { $ref: "s1.n" }, m: { $ref: "s1.m" } } },
        ],
      },
    }));
    expect(result.error).toMatchObject({
      code: "invalid-tool-input",
      details: { stepId: "s2", issues: [{ path: ["n"] }, { path: ["m"] }] },
    });
    expect(result.steps[1]).toMatchObject({ attempts: 0, input: { n: "text", m: 1 } });
  });

  it("may be checked by async refinements", async () => {
    const { result } = await runScenario(() => ({
      tools: [
        defineTool({
          name: "A",
          description: "",
          inputSchema: z.object({ n: z.number().refine(async (n) => n < 3, "too large") }),
          effect: "idempotent",
          execute: ({ n }) => n,
        }),
      ],
      plan: {
        steps: [
          { id: "s1", tool: "A", input: { n: 1 } },
          { id: "s2", tool: "A", input: { n: { $ref: "s1" } } },
        ],
      },
    }));
    expect(result.status).toBe("completed");
  });
});

const steps: PlanInput["steps"] = [
  { id: "a", tool: "A", input: { text: "{{name}}" } },
  { id: "b", tool: "A", input: { text: "{{a.todos}}" }, dependsOn: ["a"] },
];

describe("braces of another template language", () => {
  it("are text in a plan by hand, also if they name a step", async () => {
    const tool = createFakeTool({ name: "A" });
    const { result } = await runScenario(() => ({ tools: [tool], plan: { steps } }));
    expect(result.status).toBe("completed");
    expect(tool.calls.map(({ input }) => input)).toContainEqual({ text: "{{a.todos}}" });
  });
});
