import fc from "fast-check";
import type { PlanStep } from "planwright";
import { describe, expect, it } from "vitest";
import { issuesOf } from "../fixtures/plan-tools.ts";

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
