import type { StepRecord } from "planwright";
import { expect, it } from "vitest";
import { createColors } from "../../src/cli/printer.ts";
import { renderStep } from "../../src/cli/render-run.ts";

const error = { name: "AgentError", code: "cancelled", message: "no\u001b", retryable: false } as const;

it.each([
  [{ status: "completed", output: { title: "milk" }, attempts: 2 }, "✔ s1 Fake: milk (attempt 2)"],
  [{ status: "pending" }, "- s1 Fake: not started"],
  [{ status: "running" }, "> s1 Fake: started"],
  [{ status: "waiting" }, "? s1 Fake: waiting for approval"],
  [{ status: "skipped", reason: "run-ended" }, "- s1 Fake: skipped (run-ended)"],
  [{ status: "undone" }, "↶ s1 Fake: undone"],
  [{ status: "failed", error }, "✖ s1 Fake: failed, no\\u001b"],
  [{ status: "cancelled", error }, "✖ s1 Fake: cancelled, no\\u001b"],
  [{ status: "interrupted" }, "✖ s1 Fake: interrupted"],
  [{ status: "unknown", error, iteration: 3 }, "✖ s1[3] Fake: unknown, no\\u001b"],
])("renderStep shows the status of %j", (fields, expected) => {
  const step = { stepId: "s1", tool: "Fake", input: {}, attempts: 1, ...fields } as unknown as StepRecord;
  expect(renderStep(step, { colors: createColors(false), tool: undefined, run: {} })).toBe(`  ${expected}`);
});
