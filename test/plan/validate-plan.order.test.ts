import fc from "fast-check";
import { type PlanIssue, type PlanStep, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { issuesOf, toolWith } from "../fixtures/plan-tools.ts";

type Given = [id: string, dependsOn?: readonly string[], refers?: string] | undefined;

const tools = [toolWith(z.looseObject({}), "T")];

/** The issues of steps, but for those of their shape: a step that is not given is malformed. */
async function orderIssuesOf(...given: Given[]): Promise<readonly PlanIssue[]> {
  const issues = await validatePlan({ steps: given.map(toStep) }, { tools, maxSteps: 100_000 });
  return issues.filter(({ code }) => code !== "invalid-shape");
}
const codesOf = async (...given: Given[]) =>
  (await orderIssuesOf(...given)).map(({ code, path }) => `${path[1]} ${code}`);

function toStep(given: Given): PlanStep | undefined {
  if (given === undefined) return undefined;
  const [id, dependsOn, refers] = given;
  const input: PlanStep["input"] = refers === undefined ? {} : { a: { $ref: refers } };
  return { id, tool: "T", input, ...(dependsOn && { dependsOn }) };
}

describe("the order of steps", () => {
  it.each<[string, Given[], string[]]>([
    ["nothing", [], []],
    ["steps one after the other", [["s1"], ["s2"], ["s3"]], []],
    ["a diamond", [["a"], ["b", ["a"]], ["c", ["a"]], ["d", ["b", "c"]]], []],
    ["a reference to an earlier step", [["a"], ["b", []], ["c", ["b"], "a.x"]], []],
    [
      "ids that begin alike",
      [
        ["s1", []],
        ["s10", ["s1"]],
        ["s100", ["s10"], "s1"],
      ],
      [],
    ],
    ["one id twice", [["a"], ["a"]], ["1 duplicate-id"]],
    ["one id three times", [["a"], ["b"], ["a"], ["a"]], ["2 duplicate-id", "3 duplicate-id"]],
    ["an unknown step", [["a", ["x"]]], ["0 unknown-step"]],
    ["a reference to an unknown step", [["a", [], "x.y"]], ["0 unknown-step"]],
    [
      "__proto__ as an id that does not exist",
      [["a", ["__proto__", "constructor"]]],
      ["0 unknown-step", "0 unknown-step"],
    ],
    [
      "a step that comes later",
      [
        ["a", ["b"]],
        ["b", []],
      ],
      ["0 forward-reference"],
    ],
    [
      "a reference to a step that comes later",
      [
        ["a", [], "b"],
        ["b", []],
      ],
      ["0 forward-reference"],
    ],
    ["a step that waits for itself", [["a", ["a"]]], ["0 cyclic-reference"]],
    ["a step that refers to itself", [["a", [], "a.x"]], ["0 cyclic-reference"]],
    [
      "two steps that wait for each other",
      [
        ["a", ["b"]],
        ["b", ["a"]],
      ],
      ["0 cyclic-reference"],
    ],
    [
      "steps in the wrong order, of which the later has no dependsOn",
      [["a", [], "b.x"], ["b"]],
      ["0 forward-reference"],
    ],
    [
      "a cycle of three, and one that waits for it",
      [
        ["a", ["c"]],
        ["b", ["a"]],
        ["c", ["b"]],
        ["d", ["c"]],
      ],
      ["0 cyclic-reference"],
    ],
    [
      "a step ahead of a cycle that is not in it",
      [
        ["z", ["a"]],
        ["a", ["b"]],
        ["b", ["a"]],
      ],
      ["0 forward-reference", "1 cyclic-reference"],
    ],
    [
      "one that is unknown and one that comes later",
      [
        ["a", ["x", "b"]],
        ["b", []],
      ],
      ["0 unknown-step", "0 forward-reference"],
    ],
  ])("%s", async (_name, given, expected) => {
    expect(await codesOf(...given)).toEqual(expected);
  });

  it("ignores an id that a malformed step may have", async () => {
    expect(await codesOf(undefined, ["b", ["a"]])).toEqual([]);
    expect(await codesOf(undefined, ["b", ["c"]], ["c", []])).toEqual(["1 forward-reference"]);
  });

  it("names the first step with a repeated id, and at most 20 known ids", async () => {
    expect((await orderIssuesOf(["a"], ["b"], ["a"]))[0]?.message).toBe('"a" is already the id of steps[0].');
    const many = Array.from({ length: 30 }, (_, index): Given => [`k${index}`]);
    expect((await orderIssuesOf(...many, ["last", ["x"]]))[0]?.message).toMatch(/k0, .*, k19 … \(31\)\.$/);
  });

  it("finds no issue if every step waits only for earlier steps", async () => {
    const plans = fc.array(fc.array(fc.nat(), { maxLength: 5 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(plans, async (lists) => {
        const given = lists.map(
          (list, index): Given => [`s${index}`, index === 0 ? [] : list.map((n) => `s${n % index}`)],
        );
        expect(await orderIssuesOf(...given)).toEqual([]);
      }),
    );
  });

  it("finds exactly one issue for each dependency that is not an earlier step", async () => {
    const plans = fc.array(fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 4 }), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(plans, async (lists) => {
        const given = lists.map((list, index): Given => [`s${index}`, list.map((n) => `s${n}`)]);
        const expected = lists.flatMap((list, index) => list.filter((n) => n >= index).map(() => index));
        expect((await orderIssuesOf(...given)).map(({ path }) => path[1])).toEqual(expected);
      }),
    );
  });

  it("checks long chains and wide fans without a deep stack", async () => {
    const chain = Array.from({ length: 20_000 }, (_, index): Given => [`s${index}`, [`s${index + 1}`]]);
    expect(await codesOf(...chain, ["s20000", ["s0"]])).toHaveLength(20_000);
  });
});

/** How a step uses one that stands before it. */
const uses = {
  dependsOn: (id: string) => ({ dependsOn: [id] }),
  value: (id: string) => ({ dependsOn: [], input: { a: { $ref: `${id}.value` } } }),
  text: (id: string) => ({ dependsOn: [], input: { a: 1, label: `\${${id}.text}` } }),
  when: (id: string) => ({ dependsOn: [], when: `${id}.value > 1` }),
  forEach: (id: string) => ({ dependsOn: [], forEach: `${id}.rows` }),
  previous: () => ({}),
  nothing: () => ({ dependsOn: [] }),
};

/** Plans that hold: each step uses one before it, which has no loop, in one way. */
const plans = fc
  .array(fc.tuple(fc.constantFrom(...(Object.keys(uses) as (keyof typeof uses)[])), fc.nat()), {
    minLength: 1,
    maxLength: 8,
  })
  .map((drawn) => {
    const steps: PlanStep[] = [];
    for (const [use, pick] of drawn) {
      const usable = steps.filter(({ forEach }) => forEach === undefined);
      const used = usable[pick % usable.length]?.id;
      const extra = used === undefined ? {} : uses[use](used);
      steps.push({ id: `s${steps.length}`, tool: "Sum", input: { a: 1 }, ...extra });
    }
    return steps;
  });

describe("a duplicate id", () => {
  it("is the only issue of a valid plan in which a step is repeated, wherever the copy is", async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(), fc.nat(), async (steps, pick, place) => {
        expect(await issuesOf({ steps })).toEqual([]);
        const doubled = steps[pick % steps.length] as PlanStep;
        const withDouble = steps.toSpliced(place % (steps.length + 1), 0, doubled);
        const second = withDouble.findLastIndex(({ id }) => id === doubled.id);
        expect(await issuesOf({ steps: withDouble })).toEqual([`duplicate-id at .steps[${second}].id`]);
      }),
      { numRuns: 300 },
    );
  });

  it("means the first step with it in all references, whatever the second is", async () => {
    const first = { id: "a", tool: "Sum", input: { a: 1 } };
    const user = { id: "b", tool: "Sum", input: { a: { $ref: "a.value" } } };
    const second = { id: "a", tool: "Note", input: { title: "x" } };
    expect(await issuesOf({ steps: [first, second, user] })).toEqual(["duplicate-id at .steps[1].id"]);
    expect(await issuesOf({ steps: [second, first, user] })).toEqual([
      "duplicate-id at .steps[1].id",
      "invalid-reference at .steps[2].input.a",
    ]);
  });

  it("does not report a forward reference if only one of the two steps comes later", async () => {
    const step = (id: string, ...dependsOn: string[]) => ({ id, tool: "Sum", input: { a: 1 }, dependsOn });
    expect(await issuesOf({ steps: [step("a", "b"), step("b"), step("a", "b")] })).toEqual([
      "duplicate-id at .steps[2].id",
    ]);
    expect(await issuesOf({ steps: [step("a", "c"), step("a", "c"), step("c")] })).toEqual([
      "duplicate-id at .steps[1].id",
      "forward-reference at .steps[0].dependsOn[0]",
      "forward-reference at .steps[1].dependsOn[0]",
    ]);
  });
});
