import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Schema } from "effect";
import { createAgent, describeTool, type StandardSchema, type Tool, validatePlan } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { date, number, object, optional, pipe, string, transform, union } from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const schemas: Readonly<Record<string, StandardSchema<unknown, unknown>>> = {
  zod: z.object({
    to: z.string(),
    cents: z.number(),
    note: z.union([z.string(), z.object({ text: z.string() })]).optional(),
  }),
  arktype: type({ to: "string", cents: "number", "note?": type("string").or({ text: "string" }) }) as never,
  valibot: toStandardJsonSchema(
    object({ to: string(), cents: number(), note: optional(union([string(), object({ text: string() })])) }),
  ) as never,
  effect: Schema.toStandardJSONSchemaV1(
    Schema.toStandardSchemaV1(
      Schema.Struct({
        to: Schema.String,
        cents: Schema.Finite,
        note: Schema.optional(Schema.Union([Schema.String, Schema.Struct({ text: Schema.String })])),
      }),
    ),
  ) as never,
  "JSON Schema": jsonSchema({
    type: "object",
    properties: {
      to: { type: "string" },
      cents: { type: "number" },
      note: {
        anyOf: [{ type: "string" }, { type: "object", properties: { text: { type: "string" } }, required: ["text"] }],
      },
    },
    required: ["to", "cents"],
    additionalProperties: false,
  }),
};

const lookUp: Tool = {
  name: "LookUp",
  description: "Looks up an account",
  inputSchema: z.object({}),
  effect: "idempotent",
  outputSchema: z.object({ name: z.string(), cents: z.number() }),
  execute: () => ({ name: "Ada", cents: 5 }),
};

const pay = (inputSchema: StandardSchema<unknown, unknown>): Tool => ({
  name: "Pay",
  description: "Pays",
  inputSchema,
  effect: "idempotent",
  execute: (input) => input,
});

const planOf = (input: object) => ({
  steps: [
    { id: "a", tool: "LookUp", input: {} },
    { id: "b", tool: "Pay", input },
  ],
});

describe.each(Object.entries(schemas))("a tool with a schema of %s", (_name, schema) => {
  const tools = [lookUp, pay(schema)];
  const codes = async (input: object) =>
    (await validatePlan(planOf(input), { tools })).map(({ code, path }) => `${code} ${path.slice(3).join(".")}`);

  it("tells its JSON Schema", async () => {
    const { inputSchema } = await describeTool(tools[1] as Tool);
    expect(inputSchema).toMatchObject({
      type: "object",
      properties: { to: { type: "string" } },
      required: expect.arrayContaining(["to", "cents"]),
    });
  });

  it("runs, with references", async () => {
    const input = { to: { $ref: "a.name" }, cents: { $ref: "a.cents" }, note: { text: "for ${a.name}" } };
    const result = await createAgent({ tools }).execute(planOf(input) as never);
    expect(result).toMatchObject({ status: "completed", output: { to: "Ada", cents: 5, note: { text: "for Ada" } } });
  });

  it("has wrong values refused, at their place", async () => {
    expect(await codes({ to: "Ada", cents: "5" })).toEqual(["invalid-input cents"]);
    expect(await codes({ to: "Ada" })).toEqual(["invalid-input cents"]);
    expect(await codes({ to: { $ref: "a.name" }, cents: "5" })).toEqual(["invalid-input cents"]);
  });

  it("has references of another type refused, and none within a union", async () => {
    expect(await codes({ to: { $ref: "a.cents" }, cents: 1 })).toEqual(["reference-type to"]);
    expect(await codes({ to: "Ada", cents: 1, note: { text: { $ref: "a.name" } } })).toEqual([]);
  });
});

describe("other schemas", () => {
  it("converts by them", async () => {
    const doubled = toStandardJsonSchema(
      object({
        n: pipe(
          number(),
          transform((n) => 2 * n),
        ),
      }),
    );
    const tools = [pay(doubled as never)];
    const { output } = await createAgent({ tools }).execute({
      steps: [{ id: "a", tool: "Pay", input: { n: 4 } }],
    } as never);
    expect(output).toEqual({ n: 8 });
  });

  it.each<[string, unknown]>([
    ["a Standard Schema that does not tell its JSON Schema", object({ to: string() })],
    ["a JSON Schema as it is", { type: "object" }],
    ["a function", () => true],
    ["what JSON cannot express", toStandardJsonSchema(object({ when: date() }))],
    ["a schema of a text", type("string")],
  ])("refuses %s, with what would do", (_name, schema) => {
    expect(() => createAgent({ tools: [pay(schema as never)] })).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        details: expect.objectContaining({ option: "Pay.inputSchema" }),
      }),
    );
  });

  it("names the wrapper of valibot", () => {
    expect(() => createAgent({ tools: [pay(object({}) as never)] })).toThrow("toStandardJsonSchema");
  });

  it("seals what a JSON Schema marks", async () => {
    const schema = jsonSchema({ type: "object", properties: { key: { type: "string", sensitive: true } } });
    const secrets = { keys: [{ id: "1", key: new Uint8Array(32) }] };
    const agent = createAgent({ tools: [{ ...pay(schema), execute: () => 1 }], secrets });
    const shown: unknown[] = [];
    agent.on("step-start", ({ input }) => shown.push(input));
    await agent.execute({ steps: [{ id: "a", tool: "Pay", input: { key: "s3cret" } }] } as never);
    expect(shown).toEqual([{ key: "[sensitive]" }]);
  });
});
