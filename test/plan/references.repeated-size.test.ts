import type { JsonValue } from "planwright";
import { describe, expect, it } from "vitest";
import { resolveInput, TooMuchRepeated } from "../../src/plan/references.ts";

const mebibyte = 1_024 * 1_024;
const often = (count: number, value: JsonValue): JsonValue => Array.from({ length: count }, () => value);

const resolve = (a: JsonValue, outputs: Record<string, JsonValue>) =>
  resolveInput({ id: "s9", tool: "T", input: { a } }, (id) => outputs[id]);

describe("the parts of an output that an input repeats", () => {
  it.each([
    ["one use of any size", "${x}", "x".repeat(20 * mebibyte)],
    ["a few uses of what is not small", "${x}${x}${x}", "x".repeat(mebibyte)],
    ["many uses of what is small", often(10_000, { $ref: "x.a" }), { a: "x".repeat(100), b: [] }],
    ["a large value beside small ones of it", ["${x.id}", { $ref: "x" }, "${x.id}"], { id: 1, b: often(100_000, 1) }],
  ])("may be %s", (_, input, output) => {
    expect(() => resolve(input, { x: output })).not.toThrow();
  });

  it("may come from many outputs, each once", () => {
    const outputs = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i}`, "x".repeat(mebibyte)]));
    expect(() =>
      resolve(
        Object.keys(outputs).map(($ref) => ({ $ref })),
        outputs,
      ),
    ).not.toThrow();
  });

  const nested = Array.from({ length: 400 }).reduce<JsonValue>((inner) => [inner], "x".repeat(8_000));
  it.each([
    ["a text in a text", "${x}".repeat(300), "x".repeat(8_000)],
    ["a text in a list", often(300, { $ref: "x" }), "x".repeat(8_000)],
    ["a list in a text", "${x}".repeat(300), often(200, [])],
    ["lists in a list", often(300, { $ref: "x" }), often(200, [])],
    ["objects", often(300, { $ref: "x" }), often(100, { a: {} })],
    [
      "parts of one output, each within the next",
      Array.from({ length: 400 }, (_, i) => ({ $ref: `x${"[0]".repeat(i)}` })),
      nested,
    ],
  ])("are refused above the limit: %s", (_, input, output) => {
    expect(() => resolve(input, { x: output })).toThrow(TooMuchRepeated);
    expect(() => resolve(input, { x: output })).toThrow('repeat too much of "x"');
  });
});
