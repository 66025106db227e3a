import fc from "fast-check";
import { createTodoStore, defineTool, type StandardSchema, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { PathSet } from "../../src/plan/check-step.ts";
import { issuesOf, planTools, toolWith } from "../fixtures/plan-tools.ts";

const before = [
  { id: "s1", tool: "Sum", input: { a: 1 } },
  { id: "s2", tool: "Note", input: { title: "t" } },
  { id: "s3", tool: "Open", input: {} },
];

/** The issues of an input, with the paths below it. */
async function inputIssues(schema: StandardSchema, input: unknown): Promise<readonly string[]> {
  const steps = [...before, { id: "s4", tool: "Subject", input }];
  const issues = await issuesOf({ steps }, { tools: [...planTools, toolWith(schema)] });
  return issues.map((issue) => issue.replace(" at .steps[3].input", " at "));
}

async function messageOf(schema: StandardSchema, input: unknown): Promise<string | undefined> {
  const steps = [...before, { id: "s4", tool: "Subject", input }];
  return (await validatePlan({ steps }, { tools: [...planTools, toolWith(schema)] }))[0]?.message;
}

describe.each<[string, StandardSchema]>([
  [
    "zod 4",
    z.object({
      text: z.string(),
      count: z.number().optional(),
      due: z.object({ day: z.string().max(3) }).optional(),
      tags: z.array(z.string().max(3)).optional(),
    }),
  ],
  [
    "zod 3",
    z3.object({
      text: z3.string(),
      count: z3.number().optional(),
      due: z3.object({ day: z3.string().max(3) }).optional(),
      tags: z3.array(z3.string().max(3)).optional(),
    }),
  ],
])("an input for a schema of %s", (_version, schema) => {
  it.each<[string, unknown, string[]]>([
    ["that fits", { text: "a", count: 1, due: { day: "Mon" } }, []],
    [
      "of wrong types",
      { text: 1, count: "x", due: { day: 5 } },
      ["invalid-input at .text", "invalid-input at .count", "invalid-input at .due.day"],
    ],
    ["without a required key", {}, ["invalid-input at .text"]],
    ["with unknown keys", { text: "", x: 1, due: { day: "", y: 1 } }, ["unknown-key at .x", "unknown-key at .due.y"]],
    ["with an unknown key that holds a reference", { text: "", x: { $ref: "s1" } }, ["unknown-key at .x"]],
    [
      "with references that fit",
      { text: { $ref: "s1.text" }, count: { $ref: "s1.value" }, due: { day: { $ref: "s1.at" } } },
      [],
    ],
    ["with a number where text belongs", { text: { $ref: "s1.value" } }, ["reference-type at .text"]],
    ["with text where a number belongs", { text: "", count: "${s1.value}" }, ["reference-type at .count"]],
    ["with an object where text belongs", { text: { $ref: "s2" } }, ["reference-type at .text"]],
    ["with a boolean of zod 3", { text: { $ref: "s2.done" } }, ["reference-type at .text"]],
    ["with what may be null where text belongs", { text: { $ref: "s1.maybe" } }, []],
    ["with what may be null, of zod 3", { text: { $ref: "s2.due" } }, []],
    ["with an output that says nothing of itself", { text: { $ref: "s3.any.thing" }, count: { $ref: "s3" } }, []],
    ["with a key that the output does not have", { text: { $ref: "s1.nope" } }, ["invalid-reference at .text"]],
    ["with a key below text", { text: { $ref: "s1.text.length" } }, ["invalid-reference at .text"]],
    ["with the length of a list", { text: "${s1.rows.length}" }, ["invalid-reference at .text"]],
    ["with a key below loose output", { text: { $ref: "s1.open.any[0]" } }, []],
    ["with a member of Object", { text: { $ref: "s1.constructor" } }, ["invalid-reference at .text"]],
    ["with no reference where it says so", { text: { $ref: "s1 + 1" } }, ["invalid-reference at .text"]],
    ["with a number as reference", { text: { $ref: 5 } }, ["invalid-reference at .text"]],
    [
      "with two that begin no reference",
      { text: "${ and ${}" },
      ["invalid-reference at .text", "invalid-reference at .text"],
    ],
    ["with a template that is too long only when it is not filled", { text: "", due: { day: "${s1.text}" } }, []],
    [
      "with references in a list",
      { text: "", tags: ["abc", { $ref: "s1.text" }, "${s1.text}", { $ref: "s1.value" }] },
      ["reference-type at .tags[3]"],
    ],
    [
      "with a wrong value beside a reference",
      { text: "", tags: ["abcd", { $ref: "s1.text" }] },
      ["invalid-input at .tags[0]"],
    ],
    ["with a literal that fits", { text: { $literal: "${s1.nope}" } }, []],
    ["with a literal that does not", { text: { $literal: { $ref: "s1.text" } } }, ["invalid-input at .text"]],
    ["with escaped text", { text: "use ${$}{HOME}" }, []],
    ["that is a reference as a whole", { $ref: "s3" }, []],
    ["that is a reference to text as a whole", { $ref: "s1.text" }, ["reference-type at "]],
    ["that is a literal as a whole", { $literal: { text: "${s1.nope}" } }, []],
    ["that is a wrong literal as a whole", { $literal: 5 }, ["invalid-input at "]],
    [
      "with a $ref among other keys, which is not a reference",
      { text: "", due: { $ref: "s1", day: "" } },
      ["unknown-key at .due.$ref"],
    ],
  ])("%s", async (_name, input, expected) => {
    expect(await inputIssues(schema, input)).toEqual(expected);
  });
});

describe("unions with references in them", () => {
  const four = z.discriminatedUnion("op", [
    z.object({ op: z.literal("add"), title: z.string(), count: z.number().optional() }),
    z.object({ op: z.literal("del"), id: z.number() }),
  ]);
  const three = z3.discriminatedUnion("op", [
    z3.object({ op: z3.literal("add"), title: z3.string(), count: z3.number().optional() }),
    z3.object({ op: z3.literal("del"), id: z3.number() }),
  ]);
  const plain = z.union([
    z.object({ op: z.literal("add"), title: z.string(), count: z.number().optional() }),
    z.object({ op: z.literal("del"), id: z.number() }),
  ]);
  const plain3 = z3.union([
    z3.object({ op: z3.literal("add"), title: z3.string(), count: z3.number().optional() }),
    z3.object({ op: z3.literal("del"), id: z3.number() }),
  ]);

  describe.each<[string, StandardSchema]>([
    ["zod 4", four],
    ["zod 3", three],
    ["zod 4, plain", plain],
    ["zod 3, plain", plain3],
  ])("%s", (_version, schema) => {
    it.each<[string, unknown, string[]]>([
      ["in the chosen branch", { op: "add", title: { $ref: "s1.text" } }, []],
      ["of the wrong type for the chosen branch", { op: "del", id: { $ref: "s1.text" } }, ["reference-type at .id"]],
      ["in place of the discriminator", { op: { $ref: "s1.text" }, title: "x" }, []],
      ["in a key of another branch", { op: "add", title: "", id: { $ref: "s1.value" } }, ["unknown-key at .id"]],
    ])("a reference %s", async (_name, input, expected) => {
      expect(await inputIssues(schema, input)).toEqual(expected);
    });

    it("a wrong discriminator is reported", async () => {
      const issues = await inputIssues(schema, { op: "nope", title: { $ref: "s1.text" } });
      expect(issues).toContainEqual(expect.stringMatching(/^invalid-input at (\.op)?$/));
    });

    it("a wrong value beside a reference is reported", async () => {
      const issues = await inputIssues(schema, { op: "add", title: { $ref: "s1.text" }, count: "many" });
      expect(issues).toContainEqual(expect.stringMatching(/^invalid-input/));
    });
  });

  it("a union of types accepts a value of any of them", async () => {
    const schema = z.object({ at: z.union([z.string(), z.object({ day: z.number() })]) });
    expect(await inputIssues(schema, { at: { day: { $ref: "s1.value" } } })).toEqual([]);
    expect(await inputIssues(schema, { at: { $ref: "s1.text" } })).toEqual([]);
    expect(await inputIssues(schema, { at: { $ref: "s1.value" } })).toEqual(["reference-type at .at"]);
    expect(await inputIssues(schema, { at: { day: { $ref: "s1.text" } } })).toEqual(["reference-type at .at.day"]);
    const numbers = z.object({ at: z.union([z.string(), z.number()]), only: z.union([z.number(), z.boolean()]) });
    expect(await inputIssues(numbers, { at: "${s1.value}", only: { $ref: "s1.value" } })).toEqual([]);
    expect(await inputIssues(numbers, { at: "", only: "${s1.value}" })).toEqual(["reference-type at .only"]);
  });
});

describe("strict and loose schemas", () => {
  it("an unknown key is told in the words of its schema, if that has its own", async () => {
    const error = ({ code }: { code?: string }) => (code === "unrecognized_keys" ? "pay takes no such key" : undefined);
    const own = z.strictObject({ a: z.string() }, { error });
    const listed = '"Subject" has no input "b" here; available: a.';
    expect(await messageOf(own, { a: "", b: 1 })).toBe("pay takes no such key");
    expect(await messageOf(z.object({ in: own }), { in: { a: 1, b: 1 } })).toBe("pay takes no such key");
    // Another key of the same name stands elsewhere.
    expect(await messageOf(z.object({ in: own.optional(), a: z.string() }), { a: "", b: 1, in: { a: "" } })).toMatch(
      /^"Subject" has no input "b" here; available: in, a\.$/,
    );
    expect(await messageOf(z3.object({ a: z3.string() }).strict("pay takes no such key"), { a: "", b: 1 })).toBe(
      "pay takes no such key",
    );
    expect(await messageOf(z.strictObject({ a: z.string() }), { a: "", b: 1 })).toBe(listed);
    expect(await messageOf(z3.object({ a: z3.string() }).strict(), { a: "", b: 1 })).toBe(listed);
  });

  it("clear of the todo store says how to remove some todos", async () => {
    const steps = [{ id: "s1", tool: "TodoStore", input: { operation: "clear", tag: "x" } }];
    const [issue] = await validatePlan({ steps }, { tools: [createTodoStore()] });
    expect(issue).toMatchObject({ code: "unknown-key", path: ["steps", 0, "input", "tag"] });
    expect(issue?.message).toMatch(/clear takes no tag: .* list them with the filter and delete each by its id/);
  });

  it.each<[string, StandardSchema, unknown, string[]]>([
    [
      "strict, told once for each key",
      z.strictObject({ a: z.string() }),
      { a: "", b: 1, c: 1 },
      ["unknown-key at .b", "unknown-key at .c"],
    ],
    ["zod 3 strict", z3.object({ a: z3.string() }).strict(), { a: "", b: 1 }, ["unknown-key at .b"]],
    ["strict within", z.object({ a: z.strictObject({}) }), { a: { b: 1 } }, ["unknown-key at .a.b"]],
    [
      "strict, with references",
      z.strictObject({ a: z.string() }),
      { a: { $ref: "s1.text" }, b: { $ref: "s1" } },
      ["unknown-key at .b"],
    ],
    ["loose", z.looseObject({ a: z.string() }), { a: "", b: { c: 1 } }, []],
    ["zod 3 passthrough", z3.object({ a: z3.string() }).passthrough(), { a: "", b: { c: 1 } }, []],
    [
      "a record",
      z.object({ r: z.record(z.string(), z.number()) }),
      { r: { any: 1, more: { $ref: "s1.value" }, text: { $ref: "s1.text" } } },
      ["reference-type at .r.text"],
    ],
    ["no keys at all", z.object({}), { a: 1 }, ["unknown-key at .a"]],
    ["anything", z.any(), { a: 1 }, []],
    [
      "what is below a list",
      z.object({ l: z.array(z.object({ a: z.string() })) }),
      { l: [{ a: "" }, { a: "", b: 1 }] },
      ["unknown-key at .l[1].b"],
    ],
  ])("%s", async (_name, schema, input, expected) => {
    expect(await inputIssues(schema, input)).toEqual(expected);
  });
});

describe("refinements", () => {
  const oneOf = "give a or b";
  const boom = (): never => {
    throw new Error("boom");
  };
  it.each<[string, StandardSchema, unknown, string[]]>([
    ["of known values hold", z.object({ a: z.string().refine((a) => a === "x") }), { a: "y" }, ["invalid-input at .a"]],
    [
      "of known values hold beside a reference",
      z.object({ a: z.string().refine((a) => a === "x"), b: z.string() }),
      { a: "y", b: { $ref: "s1.text" } },
      ["invalid-input at .a"],
    ],
    ["of a reference are left out", z.object({ a: z.string().refine((a) => a === "x") }), { a: "${s1.text}" }, []],
    [
      "of what holds a reference are left out",
      z.object({ a: z.string().optional(), b: z.string().optional() }).refine(({ a, b }) => a ?? b, oneOf),
      { a: { $ref: "s1.text" } },
      [],
    ],
    [
      "of what holds a reference are left out, zod 3",
      z3.object({ a: z3.string().optional(), b: z3.string().optional() }).refine(({ a, b }) => a ?? b, oneOf),
      { a: { $ref: "s1.text" } },
      [],
    ],
    [
      "of what holds none hold",
      z.object({ a: z.string().optional() }).refine(({ a }) => a, oneOf),
      {},
      ["invalid-input at "],
    ],
    ["that throw are an issue", z.object({ a: z.string().refine(boom) }), { a: "x" }, ["invalid-input at "]],
    ["that throw beside a reference say nothing", z.object({ a: z.any().refine(boom) }), { a: { $ref: "s1" } }, []],
    [
      "in transforms that throw for a value not known yet say nothing",
      z.object({ a: z.any().transform((a) => a.length) }),
      { a: { $ref: "s1" } },
      [],
    ],
  ])("%s", async (_name, schema, input, expected) => {
    expect(await inputIssues(schema, input)).toEqual(expected);
  });
});

describe("messages", () => {
  it("state what exists, and how to put a value into text", async () => {
    const schema = z.object({ text: z.string() });
    expect(await messageOf(schema, { text: "", txt: "" })).toBe('"Subject" has no input "txt" here; available: text.');
    expect(await messageOf(z.object({}), { txt: "" })).toBe('"Subject" has no input "txt" here; available: none.');
    expect(await messageOf(schema, { text: { $ref: "s1.value" } })).toBe(
      's1.value is of type number, but string is needed here. Write "${s1.value}" to put it into text.',
    );
    expect(await messageOf(schema, { text: { $ref: "s2.id.x" } })).toBe(
      's2.id.x does not exist in the output of "s2"; available: no keys.',
    );
    expect(await messageOf(schema, { text: { $ref: "s2.nope" } })).toBe(
      's2.nope does not exist in the output of "s2"; available: id, done, due.',
    );
    expect(await messageOf(schema, { text: "a ${HOME b" })).toContain("Write ${s1.key}, or ${$}{ for the text ${.");
  });
});

const source = defineTool({
  name: "Source",
  description: "",
  inputSchema: z.object({}),
  effect: "idempotent",
  outputSchema: z.object({ text: z.string(), number: z.number() }),
  execute: () => ({ text: "5", number: 5 }),
});

const codesOf = async (inputSchema: StandardSchema, value: unknown) => {
  const sink = defineTool({ name: "Sink", description: "", inputSchema, effect: "idempotent", execute: () => null });
  const steps = [
    { id: "s1", tool: "Source", input: {} },
    { id: "s2", tool: "Sink", input: { value } },
  ];
  return (await validatePlan({ steps }, { tools: [source, sink] })).map(({ code }) => code);
};

describe("a field that converts its input", () => {
  it.each<[string, StandardSchema, unknown]>([
    ["coerce.number of zod 4", z.object({ value: z.coerce.number() }), { $ref: "s1.text" }],
    ["coerce.number of zod 4, with text around", z.object({ value: z.coerce.number() }), "1${s1.number}"],
    ["coerce.string of zod 4", z.object({ value: z.coerce.string() }), { $ref: "s1.number" }],
    ["preprocess of zod 4", z.object({ value: z.preprocess(Number, z.number()) }), { $ref: "s1.text" }],
    ["catch of zod 4", z.object({ value: z.number().catch(3) }), { $ref: "s1.text" }],
    ["coerce.number of zod 3", z3.object({ value: z3.coerce.number() }), { $ref: "s1.text" }],
    ["preprocess of zod 3", z3.object({ value: z3.preprocess(Number, z3.number()) }), { $ref: "s1.text" }],
  ])("accepts a reference of another type: %s", async (_what, schema, value) => {
    expect(await codesOf(schema, value)).toEqual([]);
  });

  it("is distinguished from a field that does not convert", async () => {
    expect(await codesOf(z.object({ value: z.number() }), { $ref: "s1.text" })).toEqual(["reference-type"]);
    expect(await codesOf(z3.object({ value: z3.number() }), { $ref: "s1.text" })).toEqual(["reference-type"]);
  });
});

describe("PathSet", () => {
  it("finds paths above, at and below its own, like a comparison with each of them", () => {
    const path = fc.array(fc.constantFrom<string | number>("a", "b", 0, "0"), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), path, (paths, asked) => {
        const set = new PathSet(paths);
        const isPrefix = (short: readonly unknown[], long: readonly unknown[]) =>
          short.length <= long.length && short.every((key, index) => long[index] === key);
        expect(set.hasAtOrAbove(asked)).toBe(paths.some((one) => isPrefix(one, asked)));
        expect(set.hasAtOrBelow(asked)).toBe(paths.some((one) => isPrefix(asked, one)));
      }),
      { numRuns: 500 },
    );
  });
});
