import { isAgentError, type JsonValue, type ToolStep } from "planwright";
import { describe, expect, it, vi } from "vitest";
import { pendingWork } from "../../src/async/promises.ts";
import { deepFreeze } from "../../src/core/json.ts";
import type { ExpressionKey } from "../../src/plan/expressions/step-expressions.ts";
import * as expressions from "../../src/plan/expressions.ts";

const language = expressions.createExpressions();
const compileExpressions = (steps: readonly ToolStep[]) => expressions.compileExpressions(steps, language);
const parseExpressions = (steps: readonly (ToolStep | undefined)[]) => expressions.parseExpressions(steps, language);

const stepOf = (more: Partial<ToolStep>): ToolStep => ({ id: "s2", tool: "T", input: {}, ...more });

async function expressionsOf(more: Partial<ToolStep>) {
  const compiled = await compileExpressions([stepOf(more)]);
  const ofStep = compiled?.get("s2");
  if (ofStep === undefined) throw new Error("There is none.");
  return ofStep;
}

async function evaluate(more: Partial<ToolStep>, key: ExpressionKey, data: Record<string, JsonValue> = {}) {
  const compiled = await expressionsOf(more);
  return compiled.evaluate(key, { lookUp: (name) => data[name] });
}

async function errorOf(more: Partial<ToolStep>, key: ExpressionKey, data?: Record<string, JsonValue>) {
  try {
    await evaluate(more, key, data);
  } catch (error) {
    if (isAgentError(error)) return error;
  }
  throw new Error("It should have failed.");
}

describe("the expressions of a plan", () => {
  it("are undefined at once if no step has any", () => {
    expect(compileExpressions([])).toBeUndefined();
    expect(compileExpressions([stepOf({}), stepOf({ when: undefined })])).toBeUndefined();
    expect(parseExpressions([undefined, stepOf({})])).toBeUndefined();
  });

  it("are stored by step, for the steps that have them", async () => {
    const steps = [stepOf({ id: "a" }), stepOf({ id: "b", when: "true" }), stepOf({ id: "c", forEach: "[1]" })];
    expect([...((await compileExpressions(steps)) ?? [])].map(([id]) => id)).toEqual(["b", "c"]);
    expect([...((await parseExpressions([...steps, undefined])) ?? [])].map(([{ id }]) => id)).toEqual(["b", "c"]);
  });

  it("count as outside work while their code is loaded", async () => {
    vi.resetModules();
    const fresh = await import("../../src/plan/expressions.ts");
    const work = await import("../../src/async/promises.ts");
    const compiling = fresh.compileExpressions([stepOf({ when: "true" })], fresh.createExpressions());
    expect(work.pendingWork()).toBe(1);
    await compiling;
    expect(work.pendingWork()).toBe(0);
    expect(pendingWork()).toBe(0);
  });

  it("are parsed once for a frozen step, and again for one that may have changed", async () => {
    const frozen = deepFreeze(stepOf({ when: "s1.a > 1" }));
    const first = await compileExpressions([frozen]);
    expect((await parseExpressions([frozen]))?.get(frozen)).toBe(first?.get("s2"));
    expect((await compileExpressions([frozen]))?.get("s2")).toBe(first?.get("s2"));
    const loose = { ...stepOf({}), when: "s1.a > 1" };
    await compileExpressions([loose]);
    loose.when = "s3.b > 1";
    expect([...((await compileExpressions([loose]))?.get("s2")?.stepIds ?? [])]).toEqual(["s3"]);
  });

  it("throw invalid-expression if they were not checked before", async () => {
    await expect(compileExpressions([stepOf({ when: "1 +" })])).rejects.toMatchObject({
      code: "invalid-expression",
      details: { stepId: "s2", key: "when", expression: "1 +", position: 3 },
    });
    await expect(compileExpressions([stepOf({ when: "true", forEach: "=1" })])).rejects.toMatchObject({
      code: "invalid-expression",
      details: { key: "forEach", position: 0 },
    });
  });
});

describe("the names of a step's expressions", () => {
  it.each<[string, Partial<ToolStep>, string[], boolean]>([
    ["of when", { when: "s1.a > s0.b" }, ["s1", "s0"], false],
    ["of forEach", { forEach: "s1.a + s0.b" }, ["s1", "s0"], false],
    ["of both, each once", { when: "s1.a > s0.b", forEach: "s1.a" }, ["s1", "s0"], false],
    ["with item in a loop", { when: "item > s0.b", forEach: "s1.a" }, ["s0", "s1"], true],
    ["with index in a loop", { when: "index > 0", forEach: "s1.a" }, ["s1"], true],
    ["with item and index outside a loop", { when: "item > index" }, ["item", "index"], false],
    ["with item in forEach alone", { when: "s1.ok", forEach: "item.a" }, ["s1"], false],
    ["with an item of a macro", { when: "s1.all(item, item > 0)", forEach: "s1" }, ["s1"], false],
  ])("%s", async (_name, more, names, isWhenPerIteration) => {
    const expressions = await expressionsOf(more);
    expect([...expressions.stepIds]).toEqual(names);
    expect(expressions.isWhenPerIteration).toBe(isWhenPerIteration);
    expect(expressions.when !== undefined).toBe(more.when !== undefined);
    expect(expressions.forEach !== undefined).toBe(more.forEach !== undefined);
  });
});

describe("the evaluation of an expression", () => {
  it("returns a boolean for when and a frozen list for forEach", async () => {
    expect(await evaluate({ when: "s1.a > 1" }, "when", { s1: { a: 2 } })).toBe(true);
    expect(await evaluate({ when: "s1.a > 1" }, "when", { s1: { a: 0 } })).toBe(false);
    const made = await evaluate({ forEach: '[{"a": s1.a}]' }, "forEach", { s1: { a: [2] } });
    expect(made).toEqual([{ a: [2] }]);
    expect([made, (made as JsonValue[])[0]].every(Object.isFrozen)).toBe(true);
    const rows = Object.freeze([1, 2]);
    expect(await evaluate({ forEach: "s1.rows" }, "forEach", { s1: { rows } })).toBe(rows);
  });

  it.each<[string, Partial<ToolStep>, ExpressionKey, Record<string, JsonValue>, string, number | undefined]>([
    [
      "a when that is not a boolean",
      { when: "s1.a" },
      "when",
      { s1: { a: 1 } },
      "must give true or false, but gave a number",
      undefined,
    ],
    ["a when that is null", { when: "s1" }, "when", { s1: null }, "must give true or false, but gave null", undefined],
    [
      "a forEach that is not a list",
      { forEach: "s1.a" },
      "forEach",
      { s1: { a: "x" } },
      "must give a list, but gave text",
      undefined,
    ],
    [
      "a forEach that is a map",
      { forEach: "s1" },
      "forEach",
      { s1: {} },
      "must give a list, but gave a map",
      undefined,
    ],
    [
      "a key that does not exist",
      { when: "s1.b > 1" },
      "when",
      { s1: { a: 1, c: 2 } },
      'there is no key "b"; available keys: a, c',
      3,
    ],
    ["a key of an empty map", { when: "s1.b > 1" }, "when", { s1: {} }, 'there is no key "b"; available keys: none', 3],
    ["a name that has no value", { when: "1 < s9" }, "when", {}, "s9 has no value", 4],
    ["the output of a skipped step", { when: "s1.b > 1" }, "when", { s1: null }, 'there is no "b" in null', 3],
    [
      "a failing filter",
      { forEach: "s1.filter(x, x > 1)" },
      "forEach",
      { s1: ["a"] },
      '">" does not work on text and a number',
      13,
    ],
  ])("fails for %s", async (_name, more, key, data, message, position) => {
    const error = await errorOf(more, key, data);
    expect(error.code).toBe("invalid-expression");
    expect(error.message).toContain(message);
    expect(error.message).toContain(`"${key}" of step "s2"`);
    const details = { stepId: "s2", key, expression: more[key] };
    expect(error.details).toEqual(position === undefined ? details : { ...details, position });
    expect(error.retryable).toBe(false);
  });

  it("ends with limit-exceeded if it costs too much", async () => {
    const l = Array.from({ length: 5_000 }, (_, index) => index);
    const error = await errorOf({ when: "l.all(a, l.all(b, true)) || true" }, "when", { l });
    expect(error.code).toBe("limit-exceeded");
    expect(error.details).toEqual({ limit: "expression", max: 1_000_000, used: 1_000_001, stepId: "s2" });
    const huge = await errorOf({ forEach: "l.map(a, l)" }, "forEach", { l });
    expect(huge.code).toBe("limit-exceeded");
  });

  it("names the step and the iteration in its error, and quotes the expression", async () => {
    const expressions = await expressionsOf({ when: "item.a > 1", forEach: "s1" });
    const lookUp = () => null;
    expect(() => expressions.evaluate("when", { lookUp, iteration: 3 })).toThrow(
      '"when" of step "s2[3]" (item.a > 1) cannot be used: there is no "a" in null (at character 5).',
    );
    expect(() => expressions.evaluate("forEach", { lookUp })).toThrow(
      '"forEach" of step "s2" (s1) cannot be used: it must give a list, but gave null.',
    );
  });

  it("cuts long expressions and lists of keys in its error", async () => {
    const keys = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 1]));
    const error = await errorOf({ when: `s1.nope == "${"x".repeat(500)}"` }, "when", { s1: keys });
    expect(error.message).toContain("k19 … (50)");
    expect(error.message.length).toBeLessThan(600);
  });

  it("passes on errors of the caller's look-up", async () => {
    const expressions = await expressionsOf({ when: "s1 || true" });
    const lookUp = () => {
      throw new Error("mine");
    };
    expect(() => expressions.evaluate("when", { lookUp })).toThrow("mine");
    expect(() => expressions.evaluate("forEach", { lookUp })).toThrow('has no "forEach"');
  });
});
