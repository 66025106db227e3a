import { AgentError, type StepRecord } from "planwright";
import { expect, it } from "vitest";
import { createColors } from "../../src/cli/printer.ts";
import { renderError, renderResult, renderStep } from "../../src/cli/render-run.ts";

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
  expect(renderStep(step, { colors: createColors(false), tools: [], run: {} })).toBe(`  ${expected}`);
});

const colors = createColors(false);

it("renderResult shows all iterations of a loop, whose effects may differ", () => {
  const record = (stepId: string, effect: string, iteration?: number) => {
    const output = `${stepId} ${iteration}`;
    return { stepId, tool: "Fake", input: {}, status: "completed", attempts: 1, effect, iteration, output };
  };
  const loop = (id: string) => ["pure", "once", "once"].map((effect, index) => record(id, effect, index + 1));
  const resultOf = (steps: readonly object[]) => renderResult({ steps } as never, { tools: [], colors });
  expect(resultOf(loop("a"))).toEqual(["", "Result", "  a 1; a 2; a 3"]);
  expect(resultOf([...loop("a"), ...loop("b")])).toEqual(["", "Result", "  a 1; a 2; a 3", "  b 1; b 2; b 3"]);
});

it("says how a driver is installed beside npx and beside a command that is installed globally", () => {
  const details = { packages: ["libsql"], command: "npm install libsql" };
  const [line] = renderError(new AgentError("missing-dependency", 'Run "npm install libsql".', { details }));
  expect(line).toBe(
    'planwright: Run "npm install libsql". With npx: "npx -p planwright -p libsql planwright …". Installed globally: "npm install -g libsql".',
  );
});

it("says nothing about drivers if another package is missing", () => {
  const details = { packages: ["pg"], command: "npm install pg" };
  const lines = renderError(new AgentError("missing-dependency", 'Run "npm install pg".', { details }));
  expect(lines).toEqual(['planwright: Run "npm install pg".']);
});
