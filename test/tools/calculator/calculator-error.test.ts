import { describe, expect, it } from "vitest";
import { toErrorData } from "../../../src/core/error-data.ts";
import { CalculatorError } from "../../../src/tools/calculator/calculator-error.ts";

describe("CalculatorError", () => {
  it("is data that survives JSON", () => {
    const error = new CalculatorError("overflow", "The result is too large.", 4);
    expect(error).toBeInstanceOf(Error);
    expect(toErrorData(error)).toEqual({
      name: "CalculatorError",
      code: "overflow",
      message: "The result is too large. (at character 5)",
      retryable: false,
      details: { position: 4 },
    });
  });
});
