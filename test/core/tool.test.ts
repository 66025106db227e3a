import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { AgentError } from "../../src/core/errors.ts";
import { defineTool, indexTools, type Tool, type ToolContext } from "../../src/core/tool.ts";

const context: ToolContext = {
  signal: new AbortController().signal,
  attempt: 1,
  idempotencyKey: "r/s1",
  runId: "r",
  stepId: "s1",
  resources: undefined,
  metadata: {},
  progress: () => undefined,
};

const least = {
  name: "Echo",
  description: "Says it again",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }: { text: string }) => text,
};

describe("defineTool", () => {
  it("fills in what was left out", () => {
    const tool = defineTool(least);
    expect(tool).toMatchObject({
      name: "Echo",
      description: "Says it again",
      declaredEffect: "idempotent",
      phrases: [],
    });
    expect(tool.effect({})).toBe("idempotent");
    expect(tool.execute({ text: "hi" }, context)).toBe("hi");
    expect(Object.isFrozen(tool)).toBe(true);
  });

  it("keeps what was given", () => {
    const outputSchema = z3.string();
    const tool = defineTool({
      ...least,
      outputSchema,
      effect: "once",
      retry: { maxAttempts: 2 },
      timeoutMs: Number.POSITIVE_INFINITY,
      result: "value",
    });
    expect(tool).toMatchObject({ retry: { maxAttempts: 2 }, timeoutMs: Number.POSITIVE_INFINITY, result: "value" });
    expect(tool.outputSchema).toBe(outputSchema);
    expect([tool.declaredEffect, tool.effect({})]).toEqual(["once", "once"]);
  });

  it("asks a function for the effect of an input", () => {
    const tool = defineTool({ ...least, effect: ({ text }) => (text === "" ? "pure" : "once") });
    expect(tool.declaredEffect).toBe("by-input");
    expect([tool.effect({ text: "" }), tool.effect({ text: "a" })]).toEqual(["pure", "once"]);
  });

  it.each([
    [undefined, false],
    [false, false],
    [true, true],
    [() => true, "by-input"],
  ] as const)("says what was declared about approval: %s", (needsApproval, declaredNeedsApproval) => {
    expect(defineTool({ ...least, needsApproval })).toMatchObject({ declaredNeedsApproval });
  });

  it("takes undo: undefined for none", () => {
    expect(defineTool({ ...least, undo: undefined })).not.toHaveProperty("undo");
  });

  it("takes plain text for a phrase", () => {
    const toInput = () => ({ text: "x" });
    const tool = defineTool({ ...least, phrases: ["say {text}", { phrase: "repeat", input: { text: "x" }, toInput }] });
    expect(tool.phrases).toEqual([{ phrase: "say {text}" }, { phrase: "repeat", input: { text: "x" }, toInput }]);
  });

  it("takes a function that loads phrases, and checks them when it is called", async () => {
    const load = async (phrases: () => Promise<readonly string[]>) => {
      const tool = defineTool({ ...least, phrases });
      return typeof tool.phrases === "function" ? tool.phrases() : undefined;
    };
    expect(await load(async () => ["say {text}"])).toEqual([{ phrase: "say {text}" }]);
    await expect(load(async () => [5] as never)).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("keeps this: execute may use other members of its options", () => {
    const options = {
      ...least,
      execute(this: { description: string }) {
        return this.description;
      },
    };
    expect(defineTool(options).execute({}, context)).toBe("Says it again");
  });

  it("checks its options at once", () => {
    expect(() => defineTool({ ...least, name: "" })).toThrow(AgentError);
  });

  it("does not parse: inputs come parsed, and errors go out as they are", () => {
    const boom = new Error("boom");
    const tool = defineTool({
      ...least,
      execute: () => {
        throw boom;
      },
    });
    expect(() => tool.execute({ text: 5 }, context)).toThrow(boom);
  });
});

describe("indexTools", () => {
  it("gives the tools by name, in order", () => {
    const [a, b] = [defineTool({ ...least, name: "A" }), defineTool({ ...least, name: "B" })];
    expect([...indexTools([b, a])]).toEqual([
      ["B", b],
      ["A", a],
    ]);
    expect(indexTools([]).size).toBe(0);
  });

  it("refuses two of one name", () => {
    const index = () => indexTools([defineTool(least), defineTool({ ...least, description: "Another" })]);
    expect(index).toThrow('Two tools are named "Echo"');
    expect(index).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });

  it("refuses what is no list", () => {
    expect(() => indexTools(undefined as unknown as [])).toThrow('"tools" must be a list of tools; it is missing');
  });

  it.each([
    ["nothing", undefined, "name, description, inputSchema, effect, execute, phrases"],
    ["a name", { name: "X" }, "description, inputSchema, effect, execute, phrases"],
    ["a tool without a schema", { ...defineTool(least), inputSchema: undefined }, "inputSchema"],
    ["options that did not go through defineTool", { ...least, effect: "pure" }, "effect, phrases"],
  ])("refuses %s in the list", (_name, tool, wrong) => {
    const index = () => indexTools([defineTool(least), tool as Tool]);
    expect(index).toThrow(`"tools[1]" must be a tool made by defineTool; missing or wrong: ${wrong};`);
    expect(index).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });

  it("refuses limits that can not be, of a tool that was made and spread", () => {
    const tool = {
      ...defineTool({ name: "A", description: "", inputSchema: z.object({}), execute: () => 1 }),
      concurrency: 0,
    };
    expect(() => indexTools([tool])).toThrow('"tools[0].concurrency" must be a whole number of at least 1');
  });
});
