import { createAgent, defineTool, type JsonValue, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { outcomeOf } from "./cel-outcome.ts";

/** Parts of an output of each type that a schema can state, with values that it has. */
const parts: Readonly<Record<string, readonly [z.ZodType, readonly JsonValue[]]>> = {
  text: [z.string(), ["", "1", "a"]],
  number: [z.number(), [0, 1, 2.5]],
  flag: [z.boolean(), [true, false]],
  nothing: [z.null(), [null]],
  texts: [z.array(z.string()), [[], ["1", "a"]]],
  numbers: [z.array(z.number()), [[], [0, 1]]],
  map: [z.record(z.string(), z.number()), [{}, { "1": 1, a: 2 }]],
  maybe: [z.string().nullable(), [null, "1"]],
  either: [z.union([z.string(), z.number()]), ["1", 1]],
  any: [z.unknown(), [0, 1, "1", true, false, null, [], [1, 0], ["1", true, false, null, [], {}], {}, { "1": 1 }]],
};
const names = Object.keys(parts);

const read = defineTool({
  name: "Read",
  description: "Reads",
  inputSchema: z.object({}),
  outputSchema: z.object(Object.fromEntries(Object.entries(parts).map(([name, [schema]]) => [name, schema]))),
  effect: "pure",
  execute: () => Object.fromEntries(Object.entries(parts).map(([name, [, values]]) => [name, values[0]])),
});
const act = defineTool({
  name: "Act",
  description: "Acts",
  inputSchema: z.looseObject({}),
  effect: "idempotent",
  execute: () => 1,
});
const tools = [read, act];

async function issuesOf(when: string): Promise<readonly string[]> {
  const steps = [
    { id: "r", tool: "Read" },
    { id: "a", tool: "Act", when },
  ];
  return (await validatePlan({ steps }, { tools })).map(({ code, path }) => `${code} at ${path.slice(1).join(".")}`);
}

/** The results of an operation on all values that two parts can have: what it gives, or that it fails. */
async function resultsOf(text: string, left: string, right?: string): Promise<ReadonlySet<string>> {
  const results = new Set<string>();
  for (const a of parts[left]?.[1] ?? []) {
    for (const b of right === undefined ? [null] : (parts[right]?.[1] ?? [])) {
      const outcome = await outcomeOf(text, {
        r: { [left]: a, ...(right !== undefined && right !== left && { [right]: b }) },
      });
      results.add(typeof outcome === "string" ? "fails" : JSON.stringify(outcome.value));
    }
  }
  return results;
}

describe("a comparison is an issue where no values that the schemas allow are equal", () => {
  it.each(["==", "!=", "in"])("%s", async (operator) => {
    const never = operator === "!=" ? "true" : "false";
    for (const left of names) {
      for (const right of names.filter((name) => name !== "any" || left !== "any")) {
        const text = `r.${left} ${operator} r.${right}`;
        const results = [...(await resultsOf(text, left, right))];
        // A test for null is never an issue: a plan may ask for what its schema no longer leaves out.
        const isVain = results.every((result) => result === never) && ![left, right].includes("nothing");
        expect([text, (await issuesOf(text)).length > 0]).toEqual([text, isVain]);
      }
    }
  });
});

describe("what only fails when the plan runs is no issue", () => {
  it.each([
    "r.text + r.number == r.any",
    "r.text - 1 == 2",
    "r.text < 1",
    "-r.text < 1",
    "size(r.number) > 0",
    "r.number.startsWith('a')",
    "'a'.startsWith(r.number)",
    "has(r.any.a)",
    "'a' in r.text",
    "{r.number: 1} == {}",
  ])("%s", async (when) => {
    expect(await issuesOf(when)).toEqual([]);
  });
});

describe("a condition is an issue where no value that the schema allows is true or false", () => {
  it.each(["!r.X", "r.X && true", "r.X.all(x, true)", "r.X.map(x, x) == []", "r.X ? true : false", "r.X[0] == dyn(1)"])(
    "%s",
    async (template) => {
      for (const name of names) {
        const text = template.replace("X", name);
        const results = await resultsOf(text, name);
        const fails = [...results].every((result) => result === "fails");
        const issues = await issuesOf(text);
        if (issues.length > 0) expect(fails, text).toBe(true);
        // An empty list fails for what it is.
        else if (!text.includes("[0]")) expect(fails, text).toBe(false);
      }
    },
  );
});

describe("a comparison that is never true is found", () => {
  it.each([
    "r.text == 7",
    "r.text != 7",
    "r.number == '7'",
    "r.text in [1, 7]",
    "r.number in r.texts",
    "7 in r.map",
    "r.texts == '1'",
    "!(r.text == 7) || r.flag",
    "r.flag == 'true'",
    "r.texts.exists(t, t == 7)",
    "r.texts.filter(t, t != '').map(t, size(t)).exists(n, n == '1')",
    "r.map.all(k, k == 1)",
    "(r.flag ? 'a' : 'b') == 1",
    "size(r.text) == r.text",
    "r.texts[0] == 7",
    "r.texts[r.number] == 7",
    "1 == '1'",
    "r.text + 'a' == r.number * 2",
  ])("%s", async (when) => {
    expect(await issuesOf(when)).toEqual(["reference-type at 1.when"]);
  });

  it.each([
    "r.text == '7' && r.number == 7 || r.flag == true",
    "r.text != null && null != r.number",
    "r.maybe == null || r.maybe == 'a'",
    "r.either == 1 || r.either == 'a'",
    "r.any == 1",
    "dyn(r.text) == 7",
    "double(r.text) == 7.0",
    "[1, 'a'].exists(x, x == r.text)",
    "(r.flag ? 'a' : 1) == 1",
    "r.map['a'] == 1",
    "r.map[r.text] == 1",
  ])("and not %s", async (when) => {
    expect(await issuesOf(when)).toEqual([]);
  });

  it("also in forEach, and of the items of a loop", async () => {
    const looped = (more: object) => ({
      steps: [
        { id: "r", tool: "Read" },
        { id: "a", tool: "Act", ...more },
      ],
    });
    const codes = async (more: object) =>
      (await validatePlan(looped(more), { tools })).map(({ code, path }) => `${code} at ${path.slice(1).join(".")}`);
    expect(await codes({ forEach: "r.texts.filter(t, t == 7)" })).toEqual(["reference-type at 1.forEach"]);
    expect(await codes({ forEach: "r.texts.filter(t, t != '')", when: "item == 7" })).toEqual([
      "reference-type at 1.when",
    ]);
    expect(await codes({ forEach: "[1, 2]", when: "item == 'a' || index == 'b'" })).toEqual([
      "reference-type at 1.when",
      "reference-type at 1.when",
    ]);
    expect(await codes({ forEach: "r.numbers", when: "item == 7 && index == 7" })).toEqual([]);
  });

  it("says what is compared, and what to do where that helps", async () => {
    const stepsOf = (when: string) => [
      { id: "r", tool: "Read" },
      { id: "a", tool: "Act", when },
    ];
    const messageOf = async (when: string) => (await validatePlan({ steps: stepsOf(when) }, { tools }))[0]?.message;
    const advice = ": convert one of them, as in string(…) or double(…)";
    const expected = (compared: string) => `"==" compares ${compared}. See character 0.`;
    expect(await messageOf("r.maybe == 7")).toBe(
      expected(`text or null with a number, which are never equal${advice}`),
    );
    for (const pair of ["r.text == true", "r.flag == '1'", "'1' in r.numbers"])
      expect(await messageOf(pair)).toContain(advice);
    expect(await messageOf("r.texts == 'a'")).toBe(expected("a list with text, which are never equal"));
    for (const pair of ["r.map == 'a'", "7 == r.numbers", "r.map == r.texts", "r.flag == 1", "r.text in r.texts == 1"])
      expect(await messageOf(pair)).toMatch(/are never equal\. See/);
    const steps = stepsOf("r.maybe == 7");
    const agent = createAgent({ tools });
    await expect(agent.execute({ steps } as never)).rejects.toMatchObject({ code: "invalid-plan" });
  });
});

describe("a value of an enum", () => {
  const kind = z.enum(["a", "b"]);
  const outputSchema = z.object({ kind, maybe: kind.nullable(), one: z.literal(7), text: z.string() });
  const find = defineTool({
    ...{ name: "Find", description: "Finds", inputSchema: z.object({}), outputSchema, effect: "pure" },
    execute: () => ({ kind: "a", maybe: null, one: 7, text: "" }) as const,
  });
  const inputSchema = z.object({ kind: z.enum(["b", "c"]), other: z.enum(["c", "d"]), text: z.string() }).partial();
  const use = defineTool({ name: "Use", description: "Uses", inputSchema, effect: "pure", execute: () => 1 });
  const issuesOfStep = async (step: object) => {
    const steps = [
      { id: "f", tool: "Find" },
      { id: "u", tool: "Use", ...step },
    ];
    const issues = await validatePlan({ steps }, { tools: [find, use] });
    return issues.map(({ code, message }) => `${code}: ${message}`);
  };

  it.each([
    ['f.kind == "c"', '"==" compares "a" or "b" with "c", which are never equal. See character 0.'],
    ['"c" != f.kind', '"!=" compares "c" with "a" or "b", which are never equal. See character 0.'],
    ['f.maybe == "c"', '"==" compares "a" or "b" or null with "c", which are never equal. See character 0.'],
    ['f.kind in ["c", "d"]', '"in" compares "a" or "b" with "c" or "d", which are never equal. See character 0.'],
    ["f.one == 8", '"==" compares 7 with 8, which are never equal. See character 0.'],
    [
      '(f.text == "x" ? f.kind : "e") == "c"',
      '"==" compares "a" or "b" or "e" with "c", which are never equal. See character 1.',
    ],
  ])("is not compared with one that it cannot have: %s", async (when, message) => {
    expect(await issuesOfStep({ when })).toEqual([`reference-type: ${message}`]);
  });

  it.each([
    'f.kind == "a"',
    'f.kind in ["a", "c"]',
    "f.maybe == null",
    "f.kind == f.text",
    "f.kind == f.maybe",
    "f.one == 7.0",
    'f.kind + "c" == "ac"',
    '"x" == "y"',
    'dyn(f.kind) == "c"',
  ])("is compared with one that it can have: %s", async (when) => {
    expect(await issuesOfStep({ when })).toEqual([]);
  });

  it("is referred to only where one of its values is allowed", async () => {
    const ref = { $ref: "f.kind" };
    expect(await issuesOfStep({ input: { kind: ref, text: ref } })).toEqual([]);
    expect(await issuesOfStep({ input: { other: ref } })).toEqual([
      'reference-type: f.kind is "a" or "b", but "c" or "d" is needed here.',
    ]);
    expect(await issuesOfStep({ input: { other: { $ref: "f.text" } } })).toEqual([]);
  });
});
