import fc from "fast-check";
import { type AgentErrorDetails, isAgentError, type JsonObject, type JsonValue } from "planwright";
import { describe, expect, it } from "vitest";
import { resolveInput } from "../../src/plan/references.ts";

const outputs: Record<string, JsonValue> = {
  s1: {
    value: 25,
    text: "apples",
    none: null,
    yes: true,
    list: ["a", { b: [1] }],
    "any key": "spaced",
    "a}b": "braced",
    template: "${s1.value} and ${HOME}",
    reference: { $ref: "s1.value" },
    literal: { $literal: 1 },
  },
  s10: { value: "ten" },
  nothing: null,
  own: JSON.parse('{"__proto__":{"a":1},"constructor":"mine","length":3}'),
};

const resolve = (input: JsonObject) =>
  resolveInput({ id: "s9", tool: "T", input }, (id) => (Object.hasOwn(outputs, id) ? outputs[id] : undefined));
const resolveOne = (value: JsonValue) => resolve({ a: value }).a;

function failureOf(value: JsonValue): AgentErrorDetails["invalid-reference"] & { message: string } {
  try {
    resolveOne(value);
  } catch (thrown) {
    if (isAgentError(thrown, "invalid-reference")) return { ...thrown.details, message: thrown.message };
  }
  throw new Error("it did resolve, or failed otherwise");
}

describe("resolveInput", () => {
  it.each([
    ["s1.value", 25],
    ["s1.none", null],
    ["s1.yes", true],
    ["s1.list", ["a", { b: [1] }]],
    ["s1.list[1].b[0]", 1],
    ['s1["any key"]', "spaced"],
    ["s10.value", "ten"],
    ["nothing", null],
    ["own.__proto__.a", 1],
    ["own.constructor", "mine"],
    ["own.length", 3],
  ])("keeps the type of the value that { $ref: %j } names", (reference, expected) => {
    expect(resolveOne({ $ref: reference })).toEqual(expected);
  });

  it.each([
    ["Buy ${s1.value} ${s1.text}", "Buy 25 apples"],
    ["${s1.value}", "25"],
    ["${s1.none}|${s1.yes}", "null|true"],
    ["${s1.list}", '["a",{"b":[1]}]'],
    ["${s10.value} not ${s1.value}", "ten not 25"],
    ['${s1["a}b"]}', "braced"],
    ["${$}{HOME}", "${HOME}"],
    ["$${s1.value}", "$25"],
    ["costs $5", "costs $5"],
  ])("fills the template %j", (template, expected) => {
    expect(resolveOne(template)).toBe(expected);
  });

  it("returns a literal unchanged", () => {
    const literal = { $ref: "s1.value", text: "${s1.value}", deep: [{ $literal: 1 }] };
    expect(resolveOne({ $literal: literal })).toEqual(literal);
    expect(resolveOne({ $literal: { $ref: "s1" } })).toEqual({ $ref: "s1" });
    expect(resolveOne({ $literal: "${s1}" })).toBe("${s1}");
    expect(resolveOne({ $literal: { $literal: 1 } })).toEqual({ $literal: 1 });
  });

  it("does not resolve templates in inserted values", () => {
    expect(resolveOne({ $ref: "s1.template" })).toBe("${s1.value} and ${HOME}");
    expect(resolveOne("<${s1.template}>")).toBe("<${s1.value} and ${HOME}>");
    expect(resolveOne({ $ref: "s1.reference" })).toEqual({ $ref: "s1.value" });
    expect(resolveOne({ $ref: "s1.literal" })).toEqual({ $literal: 1 });
    expect(resolveOne("${$}{s1.value}")).toBe("${s1.value}");
  });

  it("keeps keys unchanged, including __proto__ and templates", () => {
    const input = JSON.parse('{"__proto__":"${s1.value}","${s1.value}":1,"b":{"__proto__":{"$ref":"s1.value"}}}');
    expect(JSON.stringify(resolve(input))).toBe('{"__proto__":"25","${s1.value}":1,"b":{"__proto__":25}}');
  });

  it("accepts a reference as the whole input", () => {
    expect(resolve({ $ref: "s10" })).toEqual({ value: "ten" });
  });

  it("returns a frozen input, and does not change the plan", () => {
    const input = { a: [{ $ref: "s1.list" }], b: { c: "${s1.value}" } };
    const before = structuredClone(input);
    const resolved = resolve(input);
    expect(input).toEqual(before);
    expect([resolved, resolved.a, resolved.b].every(Object.isFrozen)).toBe(true);
  });

  it("does not change JSON without references", () => {
    const withoutDollar = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("$"));
    fc.assert(fc.property(withoutDollar, (value) => void expect(resolveOne(value as JsonValue)).toEqual(value)));
  });
});

describe("a path that is missing at run time", () => {
  it.each([
    ["s1.nope", ["value", "text"]],
    ["s1.list[2]", ["0", "1"]],
    ["s1.list.length", ["0", "1"]],
    ['s1.list["0"]', ["0", "1"]],
    ["s1.text.length", []],
    ["s1.text[0]", []],
    ["s1.none.a", []],
    ["s1.value.toFixed", []],
    ["s1.__proto__", ["value"]],
    ["s1.constructor", ["value"]],
    ["s1.toString", ["value"]],
    ["nothing.a", []],
    ["s2", []],
    ["s", []],
    ["s100.value", []],
  ])("is invalid-reference: %s", (reference, available) => {
    for (const value of [{ $ref: reference }, `text \${${reference}}`]) {
      const failure = failureOf(value);
      expect(failure).toMatchObject({ reference, stepId: "s9" });
      expect(failure.available).toEqual(expect.arrayContaining(available));
      if (available.length === 0) expect(failure.available).toEqual([]);
      expect(failure.message).toContain(reference);
    }
  });

  it("reports an invalid reference in the same way", () => {
    expect(failureOf({ $ref: "not valid" }).reference).toBe("not valid");
    expect(failureOf({ $ref: 5 }).reference).toBe("5");
    expect(failureOf("${oops").reference).toBe("${oops");
  });

  it("reports that a step was skipped, and the iteration that reads it", () => {
    const read = (id: string) => {
      const step = { id: "s9", tool: "T", input: { $ref: `${id}.a.b` } };
      return () => resolveInput(step, () => null, { iteration: 2, isSkipped: (name) => name !== "s3" });
    };
    expect(read("s1")).toThrow(
      'Step "s9[2]" refers to s1.a.b, but "s1" was skipped, so its output is null; give this step the condition when: "s1 != null".',
    );
    expect(read("s-1")).toThrow('"s-1" was skipped, so its output is null.');
    expect(read("s3")).toThrow('Step "s9[2]" refers to s3.a.b, which does not exist.');
  });

  it("lists at most 50 keys", () => {
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, index]));
    const resolveWide = () => resolveInput({ id: "s2", tool: "T", input: { $ref: "s1.x" } }, () => wide);
    let failure: unknown;
    try {
      resolveWide();
    } catch (thrown) {
      failure = thrown;
    }
    expect(isAgentError(failure, "invalid-reference") && failure.details.available.length).toBe(50);
  });
});
