import { defineTool, type JsonSchema, sensitive, type Tool } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import * as mini from "zod/v4-mini";
import { toJsonSchema } from "../../src/core/schema.ts";
import { SensitiveView, sensitivePaths, sensitiveViewOf } from "../../src/core/sensitive-paths.ts";
import { isSensitiveTool } from "../../src/core/tool-schemas.ts";

type Schema = Parameters<typeof defineTool>[0]["inputSchema"];

const toolOf = (inputSchema: Schema, outputSchema?: Schema): Tool =>
  defineTool({
    name: "T",
    description: "d",
    inputSchema,
    effect: "idempotent",
    ...(outputSchema && { outputSchema }),
    execute: () => ({}),
  } as never);

/** The paths at which a value is sensitive, as text. */
async function marked(schema: Schema, value: unknown, io: "input" | "output" = "input"): Promise<string[]> {
  const json = await (io === "input" ? toJsonSchema(schema, "input") : toJsonSchema(schema, "output"));
  const found: string[] = [];
  const visit = (view: SensitiveView, item: unknown, path: string) => {
    if (view.isSensitive) found.push(path);
    else if (typeof item === "object" && item !== null)
      for (const [key, child] of Object.entries(item))
        visit(view.at(Array.isArray(item) ? Number(key) : key), child, `${path}/${key}`);
  };
  visit(new SensitiveView(json), value, "");
  return found;
}

describe.each([
  ["zod 4", z],
  ["zod 3", z3 as unknown as typeof z],
])("a field marked with %s", (version, zod) => {
  const secret = () => sensitive(zod.string());

  it("is found at any place in the schema", async () => {
    const schema = zod.object({
      plain: zod.string(),
      password: secret(),
      wrapped: secret().optional(),
      refined: secret().min(3),
      fallback: secret().default("x"),
      list: zod.array(secret()),
      tuple: zod.tuple([zod.string(), secret()]),
      rows: zod.array(zod.object({ name: zod.string(), token: secret() })),
      map: zod.record(zod.string(), secret()),
      either: zod.union([zod.number(), secret()]),
      whole: sensitive(zod.object({ user: zod.string() })),
      "a/b~c%": secret(),
      coerced: sensitive(zod.coerce.number()),
      changed: sensitive(zod.preprocess((value) => value, zod.string())),
    });
    const value = {
      plain: "p",
      password: "s",
      wrapped: "s",
      refined: "sss",
      fallback: "s",
      list: ["s"],
      tuple: ["p", "s"],
      rows: [{ name: "p", token: "s" }],
      map: { any: "s" },
      either: "s",
      whole: { user: "u" },
      "a/b~c%": "s",
      coerced: 1,
      changed: "s",
    };
    expect(await marked(schema, value)).toEqual([
      "/password",
      "/wrapped",
      "/refined",
      "/fallback",
      "/list/0",
      "/tuple/1",
      "/rows/0/token",
      "/map/any",
      "/either",
      "/whole",
      "/a/b~c%",
      "/coerced",
      "/changed",
    ]);
    expect(isSensitiveTool(toolOf(schema))).toBe(true);
  });

  it("makes what converts any value sensitive as a whole if it is a part of that", async () => {
    const holder = () => zod.object({ pin: secret() });
    const schema = zod.object({
      caught: holder().catch({ pin: "" }),
      prepared: zod.preprocess((value) => value, holder()),
    });
    const value = { caught: { pin: "s" }, prepared: { pin: "s" } };
    expect(await marked(schema, value)).toEqual(["/caught", "/prepared"]);
    expect(isSensitiveTool(toolOf(schema))).toBe(true);
  });

  it("makes a pipe or a transform sensitive if one of its sides is", async () => {
    const input = zod.object({
      piped: zod.string().pipe(secret()),
      changed: secret().transform((value) => value),
      plain: zod.string().pipe(zod.string()),
    });
    expect(await marked(input, { piped: "s", changed: "s", plain: "p" })).toEqual(["/piped", "/changed"]);
    const output = zod.object({
      piped: secret().pipe(zod.string()),
      changed: zod.object({ pin: secret() }).transform(({ pin }) => pin),
      plain: zod.string().transform((value) => value),
    });
    expect(await marked(output, { piped: "s", changed: "s", plain: "p" }, "output")).toEqual(["/piped", "/changed"]);
    expect(isSensitiveTool(toolOf(input))).toBe(true);
    expect(isSensitiveTool(toolOf(zod.object({}), output))).toBe(true);
  });

  it("is looked for in a transformed schema that contains itself", async () => {
    interface Tree {
      kids: Tree[];
      pin: string;
    }
    const tree: z.ZodType<Tree> = zod
      .object({ kids: zod.lazy(() => zod.array(tree)), pin: secret() })
      .transform((value) => value as Tree);
    const text = zod.string().transform((value) => JSON.parse(value) as unknown);
    expect(await marked(text.pipe(tree), "{}")).toEqual([""]);
    const total = zod.object({ total: zod.number() });
    expect((await toJsonSchema(tree.pipe(total as never), "output")).properties).toHaveProperty("total");
  });

  it("is looked for once in each of many kinds that contain each other", async () => {
    type Kind = z.ZodType<{ child?: unknown }>;
    const kinds: Kind[] = [];
    const node = zod.lazy(() => zod.union(kinds as unknown as [Kind, Kind]));
    for (let n = 0; n < 12; n++) {
      const fields = zod.object({ type: zod.literal(n), child: node.optional(), ...(n === 11 && { pin: secret() }) });
      kinds.push(fields.transform((value) => value) as unknown as Kind);
    }
    expect(isSensitiveTool(toolOf(zod.object({}), zod.object({ tree: node })))).toBe(true);
  });

  it("is found if the schema is used twice, or within itself", async () => {
    interface Node {
      token: string;
      next?: Node | undefined;
    }
    const shared = zod.object({ token: secret() });
    const node: z.ZodType<Node> = zod.lazy(() => zod.object({ token: secret(), next: node.optional() }));
    const schema = zod.object({ one: shared, two: shared, node });
    const value = { one: { token: "s" }, two: { token: "s" }, node: { token: "s", next: { token: "s" } } };
    expect(await marked(schema, value)).toEqual(["/one/token", "/two/token", "/node/token", "/node/next/token"]);
    expect(isSensitiveTool(toolOf(zod.object({ a: zod.lazy(() => shared) })))).toBe(true);
  });

  it("is found in outputs, even of types that JSON cannot express", async () => {
    const schema = zod.object({ at: sensitive(zod.date()), n: zod.number() });
    expect(await marked(schema, { at: "2026-01-01T00:00:00Z", n: 1 }, "output")).toEqual(["/at"]);
    expect(isSensitiveTool(toolOf(zod.object({}), schema))).toBe(true);
  });

  it("is a marked copy of the schema, which itself stays unmarked, with the same description", async () => {
    const plain = zod.string().describe("a name");
    const schema = zod.object({ plain, marked: sensitive(plain) });
    expect(await marked(schema, { plain: "p", marked: "s" })).toEqual(["/marked"]);
    const json = await toJsonSchema(schema, "input");
    expect(json.properties?.marked, version).toMatchObject({ description: "a name", sensitive: true });
    expect(isSensitiveTool(toolOf(zod.object({ plain })))).toBe(false);
  });
});

describe("a field of zod 4", () => {
  it("can be marked by its metadata alone", async () => {
    const schema = z.object({ a: z.string().meta({ sensitive: true }), b: z.string().meta({ sensitive: false }) });
    expect(await marked(schema, { a: "s", b: "p" })).toEqual(["/a"]);
    expect(isSensitiveTool(toolOf(schema))).toBe(true);
  });

  it("can be of zod/mini", async () => {
    const schema = mini.object({ a: sensitive(mini.string()), b: mini.string() });
    expect(await marked(schema, { a: "s", b: "p" })).toEqual(["/a"]);
    expect(isSensitiveTool(toolOf(schema))).toBe(true);
  });
});

it("sensitive throws for a value that is not a schema", () => {
  expect(() => sensitive({} as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
});

it("a mark under a condition of a JSON Schema counts", () => {
  const view = new SensitiveView(JSON.parse('{ "if": {}, "then": { "properties": { "a": { "sensitive": true } } } }'));
  expect([view.at("a").isSensitive, view.at("b").isSensitive]).toEqual([true, false]);
});

it.each<[string, object]>([
  ["contains", { type: "array", contains: { sensitive: true } }],
  ["dependentSchemas", { dependentSchemas: { k: { properties: { a: { sensitive: true } } } } }],
  ["unevaluatedProperties", { unevaluatedProperties: { writeOnly: true } }],
  ["not", { properties: { a: { not: { sensitive: true } } } }],
  ["if", { if: { $ref: "#/$defs/secret" }, $defs: { secret: { sensitive: true } } }],
])("a mark under %s, of which nobody knows where it applies, makes the whole value sensitive", (_keyword, schema) => {
  expect(sensitivePaths(schema as JsonSchema)).toEqual([""]);
  expect(sensitiveViewOf(schema as JsonSchema)?.isSensitive).toBe(true);
});

it.each<[string, object]>([
  ["a value", { properties: { a: { default: { sensitive: true }, enum: [{ sensitive: true }] } } }],
  ["a schema that is not used", { $defs: { secret: { sensitive: true } } }],
])("a mark in %s does not count", (_where, schema) => {
  expect(sensitiveViewOf(schema as JsonSchema)).toBeUndefined();
});

it("writeOnly in a JSON Schema means sensitive", () => {
  const view = new SensitiveView({
    properties: { a: { writeOnly: true } },
    patternProperties: { "^b": { sensitive: true } },
  });
  expect([view.at("a").isSensitive, view.at("bc").isSensitive, view.isSensitive]).toEqual([true, true, false]);
  expect(
    new SensitiveView({ items: [{}, { sensitive: true }], additionalItems: { sensitive: true } }).at(2).isSensitive,
  ).toBe(true);
});
