import { describe, expect, it } from "vitest";
import { toErrorData } from "../../../src/core/error-data.ts";
import { calculationFailed } from "../../../src/tools/calculator/calculation-failed.ts";

describe("a calculation-failed error", () => {
  it("is data that survives JSON", () => {
    const error = calculationFailed("overflow", "The result is too large.", 4);
    expect(error).toBeInstanceOf(Error);
    expect(toErrorData(error)).toEqual({
      name: "AgentError",
      code: "calculation-failed",
      message: "The result is too large. (at character 5)",
      retryable: false,
      details: { problem: "overflow", position: 4 },
    });
  });
});
