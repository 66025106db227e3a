import { composed, defineTool, describeTool, sensitive } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { toJsonSchema } from "../../src/core/schema.ts";
import { type ToolSchemas, toolFingerprint, toolSchemas } from "../../src/core/tool-schemas.ts";
import { note, open, sum, toolWith } from "../fixtures/plan-tools.ts";

const base = { name: "T", description: "d", effect: "idempotent", execute: () => null } as const;

describe("toolSchemas", () => {
  it("are available synchronously for zod 4, and created once", () => {
    const schemas = toolSchemas(sum);
    expect(schemas).toMatchObject({
      input: { properties: { a: { type: "number" } }, required: ["a"] },
      output: { properties: { at: { type: "string" } } },
    });
    expect((toolSchemas(sum) as ToolSchemas).input).toBe((schemas as ToolSchemas).input);
  });

  it("wait for the converter of zod 3 only the first time", async () => {
    const tool = defineTool({ ...base, inputSchema: z3.object({ a: z3.string() }) });
    const first = toolSchemas(tool);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ input: { properties: { a: { type: "string" } } }, output: undefined });
    expect(toolSchemas(tool)).toEqual(await first);
  });

  it("can mix zod 4 for the input and zod 3 for the output", async () => {
    const tool = defineTool({
      ...base,
      inputSchema: z.object({ a: z.string() }),
      outputSchema: z3.object({ b: z3.string() }),
      execute: () => ({ b: "" }),
    });
    expect(await toolSchemas(tool)).toMatchObject({
      input: { properties: { a: {} } },
      output: { properties: { b: { type: "string" } } },
    });
  });

  it("have no output if the tool has no output schema", () => {
    expect(toolSchemas(open)).toMatchObject({ output: undefined });
  });
});

describe("toolFingerprint", () => {
  it("consists of the name, the hash of the schemas and the effect", async () => {
    expect(await toolFingerprint(sum)).toEqual({
      name: "Sum",
      effect: "pure",
      schemaHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await toolFingerprint(note)).effect).toBe("idempotent");
    const byInput = defineTool({ ...base, inputSchema: z.object({}), effect: () => "once" });
    expect((await toolFingerprint(byInput)).effect).toBe("by-input");
  });

  it("is the same each time, and frozen", async () => {
    const fingerprint = await toolFingerprint(open);
    expect(await toolFingerprint(open)).toEqual(fingerprint);
    expect(Object.isFrozen(fingerprint)).toBe(true);
  });

  it("is the same for equal schemas, and differs for another input or output", async () => {
    const hashOf = async (tool: Parameters<typeof toolFingerprint>[0]) => (await toolFingerprint(tool)).schemaHash;
    const hash = await hashOf(toolWith(z.object({ a: z.string(), b: z.number() })));
    expect(await hashOf(toolWith(z.object({ a: z.string(), b: z.number() }), "Other"))).toBe(hash);
    expect(await hashOf(toolWith(z.object({ a: z.string(), b: z.number().optional() })))).not.toBe(hash);
    const withOutput = defineTool({
      ...base,
      inputSchema: z.object({ a: z.string(), b: z.number() }),
      outputSchema: z.null(),
    });
    expect(await hashOf(withOutput)).not.toBe(hash);
  });
});

describe("composed", () => {
  it.each([
    ["zod 4", z.object({ body: composed(z.string().min(1)), to: z.string() })],
    ["zod 3", z3.object({ body: composed(z3.string().min(1)), to: z3.string() })],
  ])("marks a field of %s in its JSON Schema, and changes nothing else", async (_name, schema) => {
    const { properties } = await toJsonSchema(schema, "input");
    expect(properties?.body).toMatchObject({ type: "string", minLength: 1, composed: true });
    expect(properties?.to).not.toHaveProperty("composed");
    expect((await schema["~standard"].validate({ body: "", to: "a" })).issues).toHaveLength(1);
  });

  it.each([
    ["zod 4", z],
    ["zod 3", z3 as unknown as typeof z],
  ])("marks a field of %s in whatever form it has", async (_name, zod) => {
    const text = () => composed(zod.string());
    const forms = {
      text: text(),
      optional: text().optional(),
      nullable: text().nullable(),
      nullish: text().nullish(),
      default: text().default("x"),
      catch: text().catch("x"),
      refined: text().refine(() => true),
      described: text().describe("d"),
      short: text().max(9),
      branded: text().brand("b"),
      readonly: text().readonly(),
      transformed: text().transform((value) => value),
      "pipe from": text().pipe(zod.string()),
      "pipe into": zod.string().pipe(text()),
      preprocessed: zod.preprocess((value) => value, text()),
      lazy: zod.lazy(text),
    };
    const { properties = {} } = await toJsonSchema(
      zod.object({ ...forms, holder: zod.object({ text: text() }) }),
      "input",
    );
    const marked = Object.keys(properties).filter((name) => properties[name]?.composed === true);
    expect(marked).toEqual(Object.keys(forms));
  });

  it("may be marked as sensitive, too", async () => {
    const { properties } = await toJsonSchema(z.object({ body: sensitive(composed(z.string())) }), "input");
    expect(properties?.body).toMatchObject({ composed: true, sensitive: true });
  });

  it("takes only schemas of zod", () => {
    expect(() => composed({} as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});

const weather = defineTool({
  name: "Weather",
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string().meta({ shown: () => "a function" }) }),
  outputSchema: z.object({ celsius: z.number() }),
  effect: "pure",
  execute: () => ({ celsius: 7 }),
});

describe("describeTool", () => {
  it("returns name, description, effect and JSON Schemas as data", async () => {
    const described = await describeTool(weather);
    expect(described).toEqual({
      name: "Weather",
      description: "Tells the weather.",
      effect: "pure",
      inputSchema: expect.objectContaining({ type: "object", properties: { city: { type: "string" } } }),
      outputSchema: expect.objectContaining({ properties: { celsius: { type: "number" } } }),
    });
    expect(structuredClone(described)).toEqual(described);
  });

  it("returns a copy that the caller may change", async () => {
    const described = await describeTool(weather);
    Object.assign(described.inputSchema, { properties: {} });
    expect((await toolSchemas(weather)).input).toMatchObject({ properties: { city: {} } });
  });

  it("accepts a plain object, zod 3 and an effect by input, and omits a missing output schema", async () => {
    const tool = {
      name: "T",
      description: "d",
      inputSchema: z3.object({ a: z3.string().default("x") }),
      effect: () => "once" as const,
      execute: () => null,
    };
    const { outputSchema, ...described } = await describeTool(tool);
    expect(described).toMatchObject({ effect: "by-input", inputSchema: { properties: { a: { type: "string" } } } });
    expect(outputSchema).toBeUndefined();
  });

  it("rejects a value that is not a tool", async () => {
    await expect(describeTool({ ...weather, name: "" })).rejects.toMatchObject({
      code: "invalid-options",
      details: { option: "tool.name" },
    });
  });
});
