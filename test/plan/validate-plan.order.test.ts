import fc from "fast-check";
import { type PlanIssue, type PlanStep, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { toolWith } from "../fixtures/plan-tools.ts";

type Given = [id: string, dependsOn?: readonly string[], refers?: string] | undefined;

const tools = [toolWith(z.looseObject({}), "T")];

/** The issues of steps, but for those of their shape: a step that is not given is malformed. */
async function issuesOf(...given: Given[]): Promise<readonly PlanIssue[]> {
  const issues = await validatePlan({ steps: given.map(toStep) }, { tools, maxSteps: 100_000 });
  return issues.filter(({ code }) => code !== "invalid-shape");
}
const codesOf = async (...given: Given[]) => (await issuesOf(...given)).map(({ code, path }) => `${path[1]} ${code}`);

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
    expect((await issuesOf(["a"], ["b"], ["a"]))[0]?.message).toBe('"a" is already the id of steps[0].');
    const many = Array.from({ length: 30 }, (_, index): Given => [`k${index}`]);
    expect((await issuesOf(...many, ["last", ["x"]]))[0]?.message).toMatch(/k0, .*, k19 … \(31\)\.$/);
  });

  it("finds no issue if every step waits only for earlier steps", async () => {
    const plans = fc.array(fc.array(fc.nat(), { maxLength: 5 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(plans, async (lists) => {
        const given = lists.map(
          (list, index): Given => [`s${index}`, index === 0 ? [] : list.map((n) => `s${n % index}`)],
        );
        expect(await issuesOf(...given)).toEqual([]);
      }),
    );
  });

  it("finds exactly one issue for each dependency that is not an earlier step", async () => {
    const plans = fc.array(fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 4 }), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(plans, async (lists) => {
        const given = lists.map((list, index): Given => [`s${index}`, list.map((n) => `s${n}`)]);
        const expected = lists.flatMap((list, index) => list.filter((n) => n >= index).map(() => index));
        expect((await issuesOf(...given)).map(({ path }) => path[1])).toEqual(expected);
      }),
    );
  });

  it("checks long chains and wide fans without a deep stack", async () => {
    const chain = Array.from({ length: 20_000 }, (_, index): Given => [`s${index}`, [`s${index + 1}`]]);
    expect(await codesOf(...chain, ["s20000", ["s0"]])).toHaveLength(20_000);
  });
});
