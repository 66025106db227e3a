import fc from "fast-check";
import { type JsonValue, planSchema } from "planwright";
import { expect, it } from "vitest";
import { hasPlanShape } from "../../src/core/plan.ts";

const odd = fc.oneof(fc.constantFrom<JsonValue>(null, "", "s1", "a b", 0, 1, 2, 1.5, -1, 1e20, true, [], {}, ["s1"]));
const orOdd = (value: fc.Arbitrary<JsonValue>) =>
  fc.oneof({ weight: 50, arbitrary: value }, { weight: 1, arbitrary: odd });
const record = (fields: Record<string, fc.Arbitrary<JsonValue>>, requiredKeys: string[]) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, orOdd(value)])), {
    requiredKeys: requiredKeys as never[],
  }) as fc.Arbitrary<JsonValue>;
const text = fc.constantFrom("", "s1", "paid", "a text");
const id = fc.constantFrom("s1", "s2", "_x-1");
const head = { id, dependsOn: fc.array(orOdd(id), { maxLength: 2 }), reasoning: text, when: text };
const count = fc.constantFrom(1, 2, 3, 4, 0);
const toolStep = {
  ...head,
  tool: fc.constantFrom("A", "B", "C", ""),
  input: fc.dictionary(id, odd),
  forEach: text,
  concurrency: count,
};
const wait = fc.oneof(
  record({ forMs: fc.constantFrom(0, 5) }, ["forMs"]),
  record({ until: fc.oneof(text, fc.constant({ $ref: "s1" })) }, ["until"]),
  record({ event: fc.constantFrom("paid", "sent", "a b"), timeoutMs: count }, ["event"]),
  record({ forMs: count, event: text, timeoutMs: count, until: text }, []),
);
const step = fc.oneof(
  record(toolStep, ["id", "tool", "input"]),
  record({ ...head, wait }, ["id", "wait"]),
  record({ ...toolStep, wait, other: text }, ["id"]),
);
const source = record({ planner: text, cost: odd }, ["planner"]);
const plan = record(
  {
    version: fc.constantFrom(1, 2),
    id,
    request: text,
    source,
    createdAt: text,
    steps: fc.array(orOdd(step), { minLength: 1, maxLength: 3 }),
  },
  ["steps"],
);

it("a plan with the shape is one that the schema accepts", () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(plan, record({ steps: fc.array(step), other: text }, [])), (value) => {
      if (!hasPlanShape(value)) return;
      accepted++;
      expect(planSchema.safeParse(value).error?.issues).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

it.each<[string, JsonValue]>([
  ["calls a tool", { id: "a", tool: "T", input: {}, dependsOn: [], reasoning: "why", when: "true" }],
  ["loops", { id: "a", tool: "T", input: { b: [1] }, forEach: "[1]", concurrency: 2 }],
  ["waits for a duration", { id: "a", wait: { forMs: 5 } }],
  ["waits for an instant", { id: "a", wait: { until: "2026-03-01T08:00:00Z" } }],
  ["waits for an event", { id: "a", wait: { event: "paid", timeoutMs: 5 }, when: "true" }],
])("a plan with a step that %s has the shape", (_what, step) => {
  const head = { version: 2, id: "p", request: "r", source: { planner: "x", more: 1 }, createdAt: "now" };
  expect(hasPlanShape({ ...head, steps: [step] })).toBe(true);
  expect(hasPlanShape({ ...head, steps: [step], other: 1 })).toBe(false);
  expect(hasPlanShape({ ...head, steps: [{ ...(step as object), other: 1 }] })).toBe(false);
});
