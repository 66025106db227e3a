import { createAgent, createMemoryRunStore, defineTool, sensitive } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import * as mini from "zod/v4-mini";

const secret = "Zq7-hunter2-Secret";

/** A schema with a mark somewhere in it, and a value that fits it and has the secret there. */
type Form = readonly [name: string, schema: () => unknown, value: unknown];

/** The forms of a marked text in zod, each a field of an object. */
function formsOfZod(zod: typeof z, name: string): readonly Form[] {
  const text = () => sensitive(zod.string());
  const holder = () => zod.object({ pin: text() });
  const fields: readonly (readonly [name: string, schema: () => z.ZodType, value: unknown])[] = [
    ["itself", text, secret],
    ["optional", () => text().optional(), secret],
    ["nullable", () => text().nullable(), secret],
    ["nullish", () => text().nullish(), secret],
    ["default", () => text().default("x"), secret],
    ["catch", () => text().catch("x"), secret],
    ["refined", () => text().refine(() => true), secret],
    ["described", () => text().describe("a pin"), secret],
    ["min", () => text().min(1), secret],
    ["branded", () => text().brand("pin"), secret],
    ["readonly", () => text().readonly(), secret],
    ["transform", () => text().transform((value) => value), secret],
    [
      "transform and pipe",
      () =>
        text()
          .transform((value) => value)
          .pipe(zod.string()),
      secret,
    ],
    ["pipe from", () => text().pipe(zod.string()), secret],
    ["pipe into", () => zod.string().pipe(text()), secret],
    ["preprocess", () => zod.preprocess((value) => value, text()), secret],
    ["preprocess, catch", () => zod.preprocess((value) => value, text()).catch("x"), secret],
    ["preprocess of a holder", () => zod.preprocess((value) => value, holder()), { pin: secret }],
    ["catch of a holder", () => holder().catch({ pin: "" }), { pin: secret }],
    ["transform of a holder", () => holder().transform((value) => value), { pin: secret }],
    ["object", holder, { pin: secret }],
    ["marked object", () => sensitive(zod.object({ pin: zod.string() })), { pin: secret }],
    ["partial", () => holder().partial(), { pin: secret }],
    ["passthrough", () => zod.object({}).catchall(text()), { pin: secret }],
    ["array", () => zod.array(text()), [secret]],
    ["marked array", () => sensitive(zod.array(zod.string())), [secret]],
    ["tuple", () => zod.tuple([zod.number(), text()]), [1, secret]],
    ["tuple rest", () => zod.tuple([zod.number()]).rest(text()), [1, secret]],
    ["record", () => zod.record(zod.string(), text()), { pin: secret }],
    ["record key", () => zod.record(text(), zod.number()), { [secret]: 1 }],
    ["union", () => zod.union([zod.number(), text()]), secret],
    ["union of holders", () => zod.union([zod.object({ pin: zod.number() }), holder()]), { pin: secret }],
    [
      "discriminated union",
      () =>
        zod.discriminatedUnion("t", [
          zod.object({ t: zod.literal("a"), pin: text() }),
          zod.object({ t: zod.literal("b") }),
        ]),
      { t: "a", pin: secret },
    ],
    ["intersection", () => zod.intersection(zod.object({ n: zod.number() }), holder()), { n: 1, pin: secret }],
    ["lazy", () => zod.lazy(() => holder()), { pin: secret }],
    ["effects of a lazy", () => zod.lazy(() => holder()).transform((value) => value), { pin: secret }],
    ["nested", () => zod.array(zod.object({ rows: zod.array(holder()) })), [{ rows: [{ pin: secret }] }]],
    ["literal", () => sensitive(zod.literal(secret)), secret],
    ["enum", () => sensitive(zod.enum([secret, "other"])), secret],
    ["any", () => sensitive(zod.any()), secret],
    ["unknown", () => sensitive(zod.unknown()), { pin: secret }],
    ["coerced", () => sensitive(zod.coerce.string()), secret],
  ];
  return fields.map(([form, schema, value]) => [`${name}: ${form}`, () => zod.object({ a: schema() }), { a: value }]);
}

const mark = { type: "string", sensitive: true };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const open = { k: { type: "number" }, a: {} };

/** The keywords of a JSON Schema below which a mark may stand. */
const formsOfJson: readonly Form[] = [
  ["properties", object({ a: mark }), { a: secret }],
  ["writeOnly", object({ a: { type: "string", writeOnly: true } }), { a: secret }],
  ["the whole", { ...object({ a: { type: "string" } }), sensitive: true }, { a: secret }],
  ["patternProperties", { type: "object", patternProperties: { "^a": mark } }, { a: secret }],
  ["additionalProperties", { type: "object", additionalProperties: mark }, { a: secret }],
  ["unevaluatedProperties", { type: "object", unevaluatedProperties: mark }, { a: secret }],
  ["propertyNames", { type: "object", propertyNames: mark }, { [secret]: 1 }],
  ["items", object({ a: { type: "array", items: mark } }), { a: [secret] }],
  ["prefixItems", object({ a: { type: "array", prefixItems: [{}, mark] } }), { a: [1, secret] }],
  ["unevaluatedItems", object({ a: { type: "array", unevaluatedItems: mark } }), { a: [secret] }],
  ["contains", object({ a: { type: "array", contains: mark } }), { a: [secret] }],
  ["allOf", object({ a: { allOf: [{ type: "string" }, mark] } }), { a: secret }],
  ["anyOf", object({ a: { anyOf: [{ type: "number" }, mark] } }), { a: secret }],
  ["oneOf", object({ a: { oneOf: [{ type: "number" }, mark] } }), { a: secret }],
  ["not", object({ a: { not: { type: "number", sensitive: true } } }), { a: secret }],
  ["if", object(open, { if: object({ a: mark }) }), { k: 1, a: secret }],
  // biome-ignore lint/suspicious/noThenProperty: it is the keyword.
  ["then", object(open, { if: object({ k: { const: 1 } }), then: object({ a: mark }) }), { k: 1, a: secret }],
  ["else", object(open, { if: object({ k: { const: 2 } }), else: object({ a: mark }) }), { k: 1, a: secret }],
  ["dependentSchemas", object(open, { dependentSchemas: { k: object({ a: mark }) } }), { k: 1, a: secret }],
  ["allOf beside", object(open, { allOf: [object({ a: mark })] }), { k: 1, a: secret }],
  ["$ref", object({ a: { $ref: "#/$defs/pin" } }, { $defs: { pin: mark } }), { a: secret }],
  [
    "$ref beside a mark",
    object({ a: { $ref: "#/$defs/text", sensitive: true } }, { $defs: { text: { type: "string" } } }),
    { a: secret },
  ],
  [
    "$ref to itself",
    { $ref: "#/$defs/node", $defs: { node: object({ a: mark, next: { $ref: "#/$defs/node" } }) } },
    { next: { a: secret } },
  ],
  [
    "$ref below not",
    object({ a: { not: { $ref: "#/$defs/pin" } } }, { $defs: { pin: { type: "number", sensitive: true } } }),
    { a: secret },
  ],
  ...["default", "const", "enum", "examples", "$defs", "definitions", "sensitive"].flatMap((name) => [
    [
      `a property "${name}" below contains`,
      object({ a: { type: "array", contains: object({ [name]: mark }) } }),
      { a: [{ [name]: secret }] },
    ],
    [
      `a property "${name}" below dependentSchemas`,
      object({ k: {}, [name]: {} }, { dependentSchemas: { k: object({ [name]: mark }) } }),
      { k: 1, [name]: secret },
    ],
  ]),
].map(([name, schema, value]) => [`JSON Schema: ${name as string}`, () => jsonSchema(schema as object), value]);

/** A schema of a library that is not zod, which tells its JSON Schema. */
const standard = (json: object) => ({
  "~standard": {
    version: 1,
    vendor: "other",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

const formsOfMini: readonly Form[] = [
  ["itself", () => sensitive(mini.string()), secret],
  ["optional", () => mini.optional(sensitive(mini.string())), secret],
  ["array", () => mini.array(sensitive(mini.string())), [secret]],
  ["pipe into", () => mini.pipe(mini.string(), sensitive(mini.string())), secret],
  ["pipe from", () => mini.pipe(sensitive(mini.string()), mini.string()), secret],
  ["union", () => mini.union([mini.number(), sensitive(mini.string())]), secret],
].map(([name, schema, value]) => [
  `zod/mini: ${name as string}`,
  () => mini.object({ a: (schema as () => mini.ZodMiniType)() }),
  { a: value },
]);

const forms: readonly Form[] = [
  ...formsOfZod(z, "zod 4"),
  ...formsOfZod(z3 as unknown as typeof z, "zod 3"),
  ...formsOfMini,
  ...formsOfJson,
  [
    "zod 4: template literal",
    () => z.object({ a: z.templateLiteral(["Bearer ", sensitive(z.string())]) }),
    { a: `Bearer ${secret}` },
  ],
  [
    "zod 4: property of a check",
    () => z.object({ a: z.object({ pin: z.string() }).check(z.property("pin", sensitive(z.string()))) }),
    { a: { pin: secret } },
  ],
  ["Standard Schema: properties", () => standard(object({ a: mark })), { a: secret }],
  ["Standard Schema: contains", () => standard(object({ a: { contains: mark } })), { a: [secret] }],
];

const keys = [{ id: "k", key: Buffer.alloc(32, 7).toString("base64") }];

/** All that a run with the value shows and stores; undefined if the tool, its agent or its plan is refused. */
async function seenOf(schema: unknown, value: unknown, side: "input" | "output") {
  const store = createMemoryRunStore();
  const seen: unknown[] = [];
  try {
    const tool = defineTool({
      name: "T",
      description: "t",
      inputSchema: side === "input" ? schema : z.looseObject({}),
      effect: "idempotent",
      ...(side === "output" && { outputSchema: schema }),
      retry: { maxAttempts: 1 },
      execute: (input: unknown, { progress }: { progress: (value: unknown) => void }) => {
        // Of an output, no value is known before it is returned, and of any value neither its keys nor parts of a text.
        if (side === "input" && new RegExp(`"${secret}"(?!:)`).test(JSON.stringify(value)))
          progress({ [`got ${secret}`]: secret });
        return side === "output" ? value : { echo: JSON.stringify(input).length };
      },
    } as never);
    const agent = createAgent({ tools: [tool], store, secrets: { keys }, onWarning: () => {} });
    agent.subscribe((event) => seen.push(event));
    const input = side === "input" ? value : {};
    const result = await agent.execute({ steps: [{ id: "a", tool: "T", input }] } as never, { runId: "r" });
    seen.push(await store.read("r"), await agent.getRun("r"), await agent.listRuns());
    return { text: JSON.stringify(seen), result };
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: expect.stringMatching(/^invalid-(options|plan)$/) });
    return undefined;
  }
}

it("there are forms enough", () => expect(forms.length).toBeGreaterThanOrEqual(112));

describe.each(["input", "output"] as const)("a mark in an %s", (side) => {
  it.each(forms)("is kept, or the tool is refused: %s", async (_name, schema, value) => {
    const seen = await seenOf(schema(), value, side);
    if (seen === undefined) return;
    expect(seen.result.status).toBe("completed");
    expect(seen.text).not.toContain(secret);
    expect(seen.text).toContain("$sealed");
  });
});

it.each(forms)(
  "of a schema of an event refuses it, as values that are delivered are not sealed: %s",
  (_name, schema) => {
    expect(() => createAgent({ tools: [], events: { paid: schema() as never } })).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  },
);
