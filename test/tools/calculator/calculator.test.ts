import { createCalculator, type ToolContext } from "planwright";
import { describe, expect, it } from "vitest";
import { calculatorPhrases } from "../../../src/tools/calculator/phrases.ts";

const context: ToolContext = {
  signal: new AbortController().signal,
  attempt: 1,
  idempotencyKey: "run/s1",
  runId: "run",
  stepId: "s1",
  resources: undefined,
  metadata: {},
  progress: () => undefined,
};

const execute = async (input: unknown, options = {}) => createCalculator(options).execute(input, context);

describe("createCalculator", () => {
  it("creates a pure tool whose result is the value", async () => {
    const calculator = createCalculator();
    expect(calculator).toMatchObject({ name: "Calculator", declaredEffect: "pure", result: "value" });
    expect(calculator.effect({ expression: "1" })).toBe("pure");
    expect(typeof calculator.phrases === "function" && (await calculator.phrases())).toEqual(calculatorPhrases);
  });

  it("returns the value and the expression", async () => {
    const expression = "(41 * 7) + 13";
    expect(await execute({ expression })).toEqual({ value: 300, expression });
    expect(await execute({ expression: "sqrt(x)", variables: { x: 2 } })).toEqual({
      value: Math.SQRT2,
      expression: "sqrt(x)",
    });
  });

  it("fails with a code and a position", async () => {
    await expect(execute({ expression: "1 / 0" })).rejects.toMatchObject({
      name: "AgentError",
      code: "calculation-failed",
      details: { problem: "division-by-zero", position: 2 },
      retryable: false,
      message: "Division by zero; the divisor must not be 0. (at character 3)",
    });
  });

  it("applies its limits", async () => {
    await expect(execute({ expression: "1 + 1" }, { maxLength: 3 })).rejects.toMatchObject({
      details: { problem: "too-long" },
    });
    await expect(execute({ expression: "((1))" }, { maxDepth: 1 })).rejects.toMatchObject({
      details: { problem: "too-deep" },
    });
  });

  it.each([{ maxLength: 0 }, { maxLength: 1.5 }, { maxLength: 100_001 }, { maxDepth: "9" }, { maxDept: 9 }])(
    "refuses the options %o",
    (options) => {
      expect(() => createCalculator(options as object)).toThrow(expect.objectContaining({ code: "invalid-options" }));
    },
  );

  it("checks its input with its schema", async () => {
    const validate = createCalculator().inputSchema["~standard"].validate;
    expect(await validate({ expression: "x", variables: { x: 1 } })).toEqual({
      value: { expression: "x", variables: { x: 1 } },
    });
    expect(await validate({ expression: 1 })).toHaveProperty("issues");
    expect(await validate({ expression: "x", variables: { x: "1" } })).toHaveProperty("issues");
    expect(await validate({ expression: "x", variables: { x: Number.NaN } })).toHaveProperty("issues");
  });
});
