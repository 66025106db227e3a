import { expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.ts";
import { type ComparedCall, describeCallMiss } from "../../src/testing/call-matcher.ts";

function compare(asked: JsonValue, ...recorded: readonly JsonValue[]): string {
  const shown = { tool: "A", input: asked };
  const compared = recorded.map(
    (input, index): ComparedCall => ({
      index,
      recorded: { tool: "A", input, outcome: { type: "output", output: null } },
      asked: shown,
      isSame: false,
      isUsed: false,
    }),
  );
  return describeCallMiss(shown, compared);
}

it.each<[JsonValue, JsonValue, string]>([
  [{ a: 1 }, { a: 2 }, "input.a: 1, recorded 2"],
  [{ a: 1 }, {}, "input.a, which only this call has"],
  [{}, { a: 1 }, "input.a, which only the recorded call has"],
  [{ a: [1, { b: null }] }, { a: [1, { b: false }] }, "input.a[1].b: null, recorded false"],
  [{ a: [] }, { a: {} }, "input.a: [], recorded {}"],
  [{ a: { b: 1 } }, { a: "b" }, 'input.a: {"b":1}, recorded "b"'],
  [{ "no name": 1 }, { "no name": 2 }, 'input["no name"]: 1, recorded 2'],
  [JSON.parse('{ "__proto__": 1 }'), {}, "input.__proto__, which only this call has"],
  [{ a: `${"x".repeat(90)}one` }, { a: `${"x".repeat(90)}two` }, "input.a from character 90: "],
  [{ a: 1, b: 1, c: 1, d: 1, e: 1 }, {}, "input.c, which only this call has; and 2 more"],
  ["text", { a: 1 }, 'input: "text", recorded {"a":1}'],
])("%j differs from %j in %s", (asked, recorded, difference) => {
  const text = compare(asked, recorded);
  expect(text).toContain("1 call of A is recorded; the nearest, calls[0], differs in ");
  expect(text).toContain(difference);
});

it("takes the call with the fewest differences, then the one with the longest common start", () => {
  expect(compare({ a: 1, b: 2 }, { a: 2, b: 3 }, { a: 1, b: 3 })).toContain(
    "the nearest, calls[1], differs in input.b",
  );
  expect(compare({ a: "milk" }, { a: "bread" }, { a: "mint" })).toContain("the nearest, calls[1]");
});

it("cuts a long input", () => {
  const text = compare({ a: "x".repeat(1_000_000) }, { a: "y".repeat(1_000_000) });
  expect(text).toContain(`its input is {"a":"${"x".repeat(74)}…. 1 call`);
  expect(text.length).toBeLessThan(500);
});
