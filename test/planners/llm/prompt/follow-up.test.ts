import { describe, expect, it } from "vitest";
import type { Plan } from "../../../../src/core/plan.ts";
import type { ReplanRequest } from "../../../../src/core/planner.ts";
import type { StepRecord } from "../../../../src/core/run-result.ts";
import { askAgain, replanMessages } from "../../../../src/planners/llm/prompt/follow-up.ts";
import { describeProblems } from "../../../../src/planners/llm/prompt/problems.ts";
import { planMessages } from "../../../../src/planners/llm/prompt/user-message.ts";
import { requestOf } from "../ask-llm-planner.ts";

describe("a request to correct an answer", () => {
  const messages = planMessages({ system: "" }, requestOf("x"));

  it("lists the problems after the answer", () => {
    expect(askAgain(messages, { answer: "[]", code: "invalid-plan", problems: ["a: b", "c: d"] }).slice(2)).toEqual([
      { role: "assistant", content: "[]" },
      {
        role: "user",
        content: "That is not a valid plan:\n- a: b\n- c: d\nAnswer with the whole JSON object again, corrected.",
      },
    ]);
  });

  it("says what to do about words that nobody said", () => {
    const [, , last] = askAgain(messages, { answer: "[]", code: "ungrounded", problems: ["a: b"] }).slice(1);
    expect(last?.content).toContain("leave out anything that was not said.\nAnswer with");
  });

  it("omits an empty answer, and shortens a long one", () => {
    // Some providers refuse two messages of the user in a row.
    const [, only, ...others] = askAgain(messages, { answer: " \n", code: "invalid-plan", problems: ["a: b"] });
    expect(others).toEqual([]);
    expect(only?.content).toMatch(/^x\n\nThat is not a valid plan:\n- a: b\n/);
    const long = askAgain(messages, { answer: `${"x".repeat(999)}😀`, code: "invalid-plan", problems: [] });
    expect(long[2]?.content).toBe(`${"x".repeat(999)}\ufffd`);
  });

  it("lists ten problems, each shortened", () => {
    const problems = Array.from({ length: 12 }, () => "x".repeat(10_000));
    expect(describeProblems(problems)).toHaveLength(11);
    expect(describeProblems(problems).at(-1)).toBe("and 2 more");
    expect(describeProblems(problems).join("").length).toBeLessThan(6_000);
    expect(askAgain(messages, { answer: "", code: "invalid-plan", problems })[1]?.content).toContain(
      "\n- and 2 more\n",
    );
  });
});

describe("a request to replan", () => {
  it("reports how each step ended, and the ids of new steps", () => {
    const record = (stepId: string, rest: object) => ({ stepId, tool: "Sum", input: { a: 1 }, attempts: 1, ...rest });
    const request: ReplanRequest = {
      ...requestOf("add it up"),
      plan: {} as Plan,
      firstPlan: {} as Plan,
      steps: [
        record("s1", { status: "completed", output: { value: "x".repeat(900) } }),
        record("s2", { status: "skipped", iteration: 1 }),
        record("s3", { status: "failed" }),
      ] as StepRecord[],
      error: { code: "tool-failed", message: "No such number." } as ReplanRequest["error"],
      replan: 2,
    };
    const messages = replanMessages({ schema: {}, isStrict: false, system: "" }, request);
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const { content } = messages[1] ?? { content: "" };
    expect(content).toContain('- s1 (Sum) {"a":1}: completed, output {"value":"xxx');
    expect(content).toContain('- s2[1] (Sum) {"a":1}: skipped\n- s3 (Sum) {"a":1}: failed\n');
    expect(content).toContain("The failure: tool-failed: No such number.");
    expect(content).toContain("r2_1, r2_2 and so on");
    expect(content.length).toBeLessThan(1_500);
  });
});
