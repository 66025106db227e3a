import type { AgentEvent } from "planwright";
import { expect, it } from "vitest";
import { createReporter } from "../../src/cli/follow-run.ts";
import { Printer } from "../../src/cli/printer.ts";
import { createFakeAgent } from "./fake-io.ts";

it("a run is reported line by line: replans, skipped steps, circuits and what was undone, too", () => {
  let written = "";
  const out = new Printer({ write: (text) => (written += text) });
  const reportEvent = createReporter({ tools: createFakeAgent().tools, out });
  const report = (event: object) =>
    reportEvent({ runId: "run_1", sequence: 1, timestamp: "2026-01-01T00:00:00.000Z", ...event } as AgentEvent);
  const step = (id: string) => ({ stepId: id, tool: "Fake" });
  const planOf = (...ids: readonly string[]) => ({
    source: { planner: "p" },
    steps: ids.map((id) => ({ id, tool: "Fake", input: {} })),
  });
  report({ type: "run-start", plan: planOf("s1") });
  report({ type: "step-start", ...step("s1") });
  report({ type: "step-skip", ...step("s2"), reason: "condition" });
  report({ type: "circuit-change", tool: "Fake", state: "open" });
  const cause = { message: "It\nfailed." };
  report({ type: "plan-revise", cause, outcome: { status: "completed", plan: planOf("s1", "s3") } });
  report({ type: "plan-revise", outcome: { status: "failed", error: { message: "no\nidea" } } });
  report({ type: "undo-end", ...step("s4"), attempts: 1, outcome: { status: "completed" } });
  report({ type: "undo-end", ...step("s5"), attempts: 1, outcome: { status: "failed", error: { message: "no" } } });
  expect(written.split("\n")).toEqual([
    "Plan",
    "  s1  Fake {}",
    "",
    "Run",
    "  > s1 Fake",
    "  - s2 Fake: skipped (condition)",
    "  ! Fake: circuit open",
    "Planned again (steps: 2): It\\nfailed.",
    "Could not plan again: no\\nidea",
    "  ↶ s4 Fake: undone",
    "  ✖ s5 Fake: not undone, no",
    "",
  ]);
});
