import { createAgent, defineTool, isAgentError, type StandardSchema } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import * as mini from "zod/v4-mini";
import { parseWith, toJsonSchema, zodVersionOf } from "../../src/core/schema.ts";
import { readZod3 } from "../../src/core/schema-zod3.ts";

readZod3();

const boom = (): never => {
  throw new Error("boom");
};
/** zod calls an async refinement twice, and drops the first promise: rejected, that one would be an unhandled rejection. */
const rejectFromSecondCallOn = () => {
  let calls = 0;
  return async () => (calls++ === 0 ? true : boom());
};
const unreadable = (): never => {
  throw Object.create(null);
};

const standard = (validate: StandardSchema["~standard"]["validate"]): StandardSchema => ({
  "~standard": { version: 1, vendor: "other", validate },
});

describe("zodVersionOf", () => {
  it.each([
    ["zod 4", z.string(), 4],
    ["zod 4 mini", mini.string(), 4],
    ["zod 3", z3.string(), 3],
    ["null", null, undefined],
    ["text", "string", undefined],
    ["a shape that is not wrapped", { a: z.string() }, undefined],
    ["another library", { "~standard": { version: 1, vendor: "other", validate: boom } }, undefined],
    ["zod 3 before Standard Schema", { _def: {} }, undefined],
  ])("recognizes %s", (_name, schema, version) => {
    expect(zodVersionOf(schema)).toBe(version);
  });
});

describe("parseWith", () => {
  it.each([
    ["zod 4", z.object({ a: z.string().default("x"), b: z.coerce.number() })],
    ["zod 3", z3.object({ a: z3.string().default("x"), b: z3.coerce.number() })],
  ])("returns the parsed value synchronously: %s", (_name, schema) => {
    expect(parseWith(schema, { b: "5", c: 1 })).toEqual({ ok: true, value: { a: "x", b: 5 } });
  });

  it.each([
    ["zod 4", z.object({ a: z.array(z.string()), b: z.number() })],
    ["zod 3", z3.object({ a: z3.array(z3.string()), b: z3.number() })],
  ])("returns every issue with its path: %s", (_name, schema) => {
    const result = parseWith(schema, { a: ["x", 1], b: "y" });
    expect(result).toMatchObject({ ok: false, issues: [{ path: ["a", 1] }, { path: ["b"] }] });
    expect(result).toMatchObject({ raw: [{ code: "invalid_type" }, { code: "invalid_type" }] });
  });

  it.each([
    ["zod 4", z.object({ a: z.string().refine(async (text) => text === "ok", "not ok") })],
    ["zod 3", z3.object({ a: z3.string().refine(async (text) => text === "ok", "not ok") })],
  ])("returns a promise if a refinement is async: %s", async (_name, schema) => {
    const good = parseWith(schema, { a: "ok" });
    expect(good).toBeInstanceOf(Promise);
    expect(await good).toEqual({ ok: true, value: { a: "ok" } });
    expect(await parseWith(schema, { a: "no" })).toMatchObject({
      ok: false,
      issues: [{ path: ["a"], message: "not ok" }],
    });
  });

  it.each([
    ["zod 4", z.string().refine(boom)],
    ["zod 3", z3.string().refine(boom)],
    ["zod 4, async", z.string().refine(rejectFromSecondCallOn())],
    ["zod 3, async", z3.string().refine(rejectFromSecondCallOn())],
    ["zod 4, in a transform", z.string().transform(boom)],
    ["zod 4, in a preprocess", z.preprocess(boom, z.string())],
  ])("reports a refinement that throws as an issue: %s", async (_name, schema) => {
    expect(await parseWith(schema as StandardSchema, "x")).toEqual({
      ok: false,
      issues: [{ path: [], message: "the schema threw: Error: boom" }],
      raw: [],
    });
  });

  it.each([
    ["at once", z.string().refine(unreadable)],
    ["later", standard(async () => unreadable())],
  ])("survives a thrown value without a text form, thrown %s", async (_name, schema) => {
    expect(await parseWith(schema, "x")).toMatchObject({ ok: false, raw: [] });
  });

  it("reports a schema that throws or rejects as an issue", async () => {
    expect(parseWith(standard(boom), 1)).toMatchObject({ issues: [{ message: "the schema threw: Error: boom" }] });
    expect(
      await parseWith(
        standard(async () => boom()),
        1,
      ),
    ).toMatchObject({
      issues: [{ message: "the schema threw: Error: boom" }],
    });
  });

  it("reads paths of keys, of segments and of symbols", () => {
    const path = ["a", { key: 1 }, Symbol("s")];
    const schema = standard(() => ({ issues: [{ message: "no", path }, { message: "all" }] }));
    expect(parseWith(schema, 1)).toMatchObject({
      issues: [
        { path: ["a", 1, "Symbol(s)"], message: "no" },
        { path: [], message: "all" },
      ],
    });
  });
});

describe("JSON Schema of inputs", () => {
  const expected = {
    type: "object",
    properties: { city: { type: "string", description: "Where" }, days: { type: "number" } },
    required: ["city"],
  };

  it("is created synchronously for zod 4, and is not empty", () => {
    const schema = z.object({ city: z.string().describe("Where"), days: z.number().optional() });
    expect(toJsonSchema(schema, "input")).toMatchObject(expected);
  });

  it("is created for zod 3 by its own converter, and is not empty", async () => {
    const schema = z3.object({ city: z3.string().describe("Where"), days: z3.number().optional() });
    expect(await toJsonSchema(schema, "input")).toMatchObject(expected);
  });

  it("never uses the converter of zod 3 for zod 4, which results in an empty schema", async () => {
    const { zodToJsonSchema } = await import("zod-to-json-schema");
    const schema = z.object({ city: z.string() });
    const trap = zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0]);
    expect(trap).not.toHaveProperty("properties");
    expect(await toJsonSchema(schema, "input")).toHaveProperty("properties.city");
    expect(await toJsonSchema(schema, "output")).toHaveProperty("properties.city");
  });

  it("describes the input before defaults and transforms", async () => {
    const four = z.object({
      a: z.string().default("x"),
      b: z.string().transform(Number),
      c: z.string().pipe(z.string()),
    });
    const three = z3.object({
      a: z3.string().default("x"),
      b: z3.string().transform(Number),
      c: z3.string().pipe(z3.string()),
    });
    for (const schema of [await toJsonSchema(four, "input"), await toJsonSchema(three, "input")]) {
      expect(schema).toMatchObject({
        properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } },
      });
      expect(schema.required).toEqual(["b", "c"]);
    }
  });

  it("throws for zod 4 types that JSON cannot express", () => {
    for (const type of [z.date(), z.bigint(), z.map(z.string(), z.string()), z.set(z.string()), z.symbol(), z.nan()]) {
      expect(() => toJsonSchema(z.object({ a: type }), "input")).toThrow(/cannot be represented/);
    }
  });
});

describe("JSON Schema of outputs", () => {
  it("describes the output as JSON: a Date is text, and what JSON cannot express is any value", async () => {
    const schema = z.object({
      at: z.date(),
      seen: z.date().nullable(),
      count: z.string().transform(Number),
      id: z.string().default("x"),
      map: z.map(z.string(), z.string()),
      custom: z.instanceof(URL),
    });
    expect(await toJsonSchema(schema, "output")).toMatchObject({
      properties: {
        at: { type: "string" },
        seen: { anyOf: [{ type: "string" }, { type: "null" }] },
        count: {},
        id: { type: "string" },
        map: {},
        custom: {},
      },
    });
    expect((await toJsonSchema(schema, "output")).required).toContain("id");
  });

  it("is created for zod 3, too", async () => {
    const schema = z3.object({ at: z3.date(), count: z3.string().transform(Number) });
    expect(await toJsonSchema(schema, "output")).toMatchObject({ properties: { at: { type: "string" }, count: {} } });
  });

  it("never throws: a schema that cannot be converted accepts any value", async () => {
    const broken = z.object({ a: z.lazy(boom) });
    const broken3 = z3.object({ a: z3.lazy(boom) });
    expect(await toJsonSchema(broken, "output")).toEqual({});
    expect(await toJsonSchema(broken3, "output")).toEqual({});
  });
});

const describesObject = () => ({ type: "object" });
const schemaOf = (validate: () => unknown, tell: () => unknown = describesObject) =>
  ({
    "~standard": { version: 1, vendor: "mine", validate, jsonSchema: { input: tell, output: describesObject } },
  }) as unknown as StandardSchema<unknown, unknown>;

const bomb = {
  toString() {
    throw new Error("bomb");
  },
};

/** Runs a step with a schema; returns how often its tool was called, and the code of what went wrong. */
async function runWith(makeSchema: () => StandardSchema<unknown, unknown>) {
  let calls = 0;
  const code = await Promise.resolve()
    .then(() => {
      const tool = defineTool({
        name: "T",
        description: "t",
        inputSchema: makeSchema(),
        effect: "idempotent",
        retry: { maxAttempts: 1 },
        execute: () => ++calls,
      });
      return createAgent({ tools: [tool] }).execute({ steps: [{ id: "a", tool: "T", input: { all: true } }] });
    })
    .then(
      ({ error }) => error?.code,
      (thrown) => (isAgentError(thrown) ? thrown.code : `untyped: ${thrown}`),
    );
  return { calls, code };
}

describe("a schema of another library", () => {
  const wrong: readonly unknown[] = [
    ...[undefined, null, false, true, 0, 1, "", "invalid", [], {}, () => ({ value: 1 }), Symbol("ok")],
    ...[{ issues: undefined }, { issues: null }, { issues: "no" }, { issues: [null] }, { issues: [{ message: bomb }] }],
    ...[{ issues: [{ message: "no", path: [null] }] }, { issues: [{ message: "no", path: [{ key: bomb }] }] }],
  ];
  it.each(wrong.map((answer, at) => [at, answer] as const))(
    "that answers wrongly is refused (%i)",
    async (_, answer) => {
      for (const validate of [() => answer, async () => answer])
        expect(await runWith(() => schemaOf(validate))).toEqual({ calls: 0, code: "invalid-plan" });
    },
  );

  it("may answer undefined as a value", async () => {
    expect(await runWith(() => schemaOf(() => ({ value: undefined })))).toEqual({ calls: 1, code: undefined });
  });

  it("is refused where its JSON Schema is none", async () => {
    const cyclic = { type: "object", properties: {} };
    cyclic.properties = { a: cyclic };
    const ring: unknown[] = [];
    ring.push(ring);
    const told = [cyclic, { type: "object", examples: ring }, { type: "object", maximum: 1n }, "object", 7, [], false];
    for (const json of [...told, { type: "object", toJSON: bomb.toString }]) {
      const schema = schemaOf(
        () => ({ value: {} }),
        () => json,
      );
      const { calls, code } = await runWith(() => schema);
      expect([calls, code]).toEqual([0, "invalid-options"]);
    }
    expect(await runWith(() => z.object({}).meta({ examples: ring }))).toEqual({ calls: 0, code: "invalid-options" });
  });
});

it("a value that cannot be read at all is refused with a code", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const agent = createAgent({ tools: [], events: { e: z.any() } });
  await agent.execute({ steps: [{ id: "w", wait: { event: "e" } }] }, { runId: "r" });
  const { result } = agent.deliver("r", "e", proxy, { id: "1" });
  await expect(result).rejects.toMatchObject({ code: "invalid-options" });
});
