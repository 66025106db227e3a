import { expect, it } from "vitest";
import { describeStepRef, isIterationName, stepRefOf } from "../../src/core/step.ts";

it("a step reference names a step, or one of its iterations", () => {
  expect(stepRefOf({ stepId: "s3", iteration: undefined })).toEqual({ stepId: "s3" });
  expect(stepRefOf({ stepId: "s3", iteration: 0 })).toEqual({ stepId: "s3", iteration: 0 });
});

it("a message names an iteration as a reference would", () => {
  expect(describeStepRef({ stepId: "s3" })).toBe("s3");
  expect(describeStepRef({ stepId: "s3", iteration: 0 })).toBe("s3[0]");
});

it("item and index are the two names of an iteration", () => {
  expect(["item", "index", "items", "s1", "Item"].map(isIterationName)).toEqual([true, true, false, false, false]);
});
