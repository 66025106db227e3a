import { describe, expect, it } from "vitest";
import { isMistyped } from "../../../src/planners/rules/phrase-index.ts";

describe("isMistyped", () => {
  it.each([
    ["calculte", "calculate"],
    ["calculatee", "calculate"],
    ["calcolate", "calculate"],
    ["caluclate", "calculate"],
    ["shoping", "shopping"],
  ])("recognizes %s as a mistyped %s", (typed, meant) => expect(isMistyped(typed, meant)).toBe(true));

  it.each([
    ["tasks", "tasks"],
    ["lost", "list"],
    ["masks", "tasks"],
    ["clculte", "calculate"],
    ["calcluate", "calculator"],
    ["whether", "weather"],
  ])("does not treat %s as a mistyped %s", (typed, meant) => expect(isMistyped(typed, meant)).toBe(false));
});
