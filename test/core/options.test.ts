import { describe, expect, it } from "vitest";
import { isAgentError } from "../../src/core/errors.ts";
import { checkDuration, checkFunction, checkKeys, checkNumber, failOption } from "../../src/core/options.ts";

function refusal(
  check: () => void,
): { option: string; received: string; expected: string; message: string } | undefined {
  try {
    check();
  } catch (thrown) {
    if (isAgentError(thrown, "invalid-options")) return { ...thrown.details, message: thrown.message };
    throw thrown;
  }
  return undefined;
}

describe("failOption", () => {
  it("states the received value and the valid ones", () => {
    expect(refusal(() => failOption("retry", "often", "an object"))).toEqual({
      option: "retry",
      received: '"often"',
      expected: "an object",
      message: 'Option "retry" must be an object; received "often".',
    });
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [5n, "5"],
    [Number.NaN, "NaN"],
    [Symbol("s"), "Symbol(s)"],
    [() => "the source of a function", "a function"],
    [[1, 2], "an array of 2"],
    [{ secret: 1 }, "an object"],
    ["x".repeat(500), JSON.stringify("x".repeat(200))],
  ])("describes %o briefly", (received, expected) => {
    expect(refusal(() => failOption("a", received, "b"))?.received).toBe(expected);
  });
});

describe("numbers and durations", () => {
  it.each([undefined, 1, 5, 10])("accept %s", (value) => {
    expect(refusal(() => checkNumber("n", value, { min: 1, max: 10, isInteger: true }))).toBeUndefined();
  });

  it.each([0, 11, 1.5, Number.NaN, -1, "5", null, true, 5n, Number.POSITIVE_INFINITY])("refuse %s", (value) => {
    expect(refusal(() => checkNumber("n", value, { min: 1, max: 10, isInteger: true }))).toMatchObject({
      option: "n",
      expected: "a whole number from 1 to 10",
    });
  });

  it("report a missing value", () => {
    expect(() => checkNumber("n", undefined, { min: 1, isRequired: true })).toThrow(
      'Option "n" must be a number of at least 1; it is missing.',
    );
    expect(refusal(() => checkNumber("n", 1, { min: 1, isRequired: true }))).toBeUndefined();
  });

  it("state only the minimum if there is no maximum", () => {
    expect(refusal(() => checkNumber("n", -1, { min: 0 }))?.expected).toBe("a number of at least 0");
    expect(refusal(() => checkNumber("n", Number.POSITIVE_INFINITY, { min: 0 }))).toBeUndefined();
  });

  it("accept Infinity as a duration, and otherwise only valid timer delays", () => {
    const check = (value: unknown) => refusal(() => checkDuration("d", value, { min: 1 }));
    for (const value of [undefined, 1, 0x7fffffff, Number.POSITIVE_INFINITY]) expect(check(value)).toBeUndefined();
    for (const value of [0, 0x80000000, Number.NEGATIVE_INFINITY, Number.NaN, "1s"]) expect(check(value)).toBeDefined();
  });
});

describe("keys and functions", () => {
  it("are refused at the first unknown key, with the list of known keys", () => {
    expect(refusal(() => checkKeys("retry", { a: 1, b: 2 }, ["a", "c"]))).toMatchObject({
      option: "retry.b",
      received: "2",
      expected: expect.stringContaining("only a, c"),
    });
    expect(refusal(() => checkKeys("retry", { a: 1 }, ["a", "c"]))).toBeUndefined();
  });

  it("are refused with the place where an unknown key is an option, if that is known", () => {
    const check = (value: object) => () =>
      checkKeys("options", value, ["a"], (key) => (key === "b" ? "an option of a run" : undefined));
    expect(refusal(check({ b: 2 }))?.expected).toBe('left out: "b" is an option of a run');
    expect(refusal(check({ c: 2 }))?.expected).toBe("left out: there is no such option, only a");
  });

  it.each([undefined, null, "text", 5, [], () => 1])("are refused if %o is given instead of an object", (value) => {
    expect(refusal(() => checkKeys("retry", value, []))?.expected).toBe("an object");
  });

  it("accept a function or undefined", () => {
    expect(refusal(() => checkFunction("f", undefined))).toBeUndefined();
    expect(refusal(() => checkFunction("f", () => 1))).toBeUndefined();
    expect(refusal(() => checkFunction("f", null))?.expected).toBe("a function");
  });
});
