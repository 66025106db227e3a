import { describe, expect, it } from "vitest";
import { cut, describeIssue } from "../../../../src/planners/llm/prompt/problems.ts";

describe("a problem for a model", () => {
  it("names the path of an issue", () => {
    expect(describeIssue({ path: ["steps", 0, "tool"], message: "No." })).toBe("steps.0.tool: No.");
    expect(describeIssue({ path: [], message: "No." })).toBe("the plan: No.");
  });

  it("never cuts within a character", () => {
    expect(cut("ab", 5)).toBe("ab");
    expect(cut("a😀", 2).isWellFormed()).toBe(true);
    expect(cut("\ud800", 5)).toBe("\ufffd");
  });
});
