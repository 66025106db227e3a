import { describe, expect, it } from "vitest";
import { ActiveSteps } from "../../src/cli/active-steps.ts";
import type { AgentEvent } from "../../src/core/events.ts";

const startMs = Date.parse("2026-01-01T00:00:00.000Z");

function createSteps() {
  let nowMs = startMs;
  const steps = new ActiveSteps(() => nowMs);
  return {
    /** Takes events at the current time. */
    follow: (...events: readonly object[]) => {
      for (const event of events) {
        steps.follow({ runId: "run_1", sequence: 1, timestamp: new Date(nowMs).toISOString(), ...event } as AgentEvent);
      }
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
    get lines() {
      return steps.lines("*");
    },
  };
}

const s1 = { stepId: "s1", tool: "Fake" };
const started = { type: "step-start", ...s1 };

describe("ActiveSteps", () => {
  it("has a line for each step that is running, with its name and its seconds below each other", () => {
    const steps = createSteps();
    steps.follow(started);
    steps.wait(9_999);
    steps.follow({ type: "step-start", stepId: "send", iteration: 2, tool: "Mail" });
    expect(steps.lines).toEqual(["  * s1 Fake       9 s", "  * send[2] Mail  0 s"]);
    steps.wait(50_001);
    expect(steps.lines).toEqual(["  * s1 Fake       1 min 0 s", "  * send[2] Mail       50 s"]);
    steps.follow({ type: "step-end", ...s1, attempts: 1, outcome: { status: "completed", output: null } });
    steps.wait(3_600_000);
    expect(steps.lines).toEqual(["  * send[2] Mail  1 h 0 min"]);
    steps.follow({ type: "step-end", stepId: "send", iteration: 2, tool: "Mail", attempts: 1 });
    expect(steps.lines).toEqual([]);
  });

  it("tells which attempt it is, and when the next one starts, even if nobody says that it has", () => {
    const steps = createSteps();
    steps.follow(started, { type: "step-progress", ...s1, attempt: 1, value: 0.5 });
    expect(steps.lines).toEqual(["  * s1 Fake  0 s  [█████░░░░░] 50 %"]);
    steps.follow({ type: "step-retry", ...s1, attempt: 1, delayMs: 2_500, error: { message: "no" } });
    expect(steps.lines).toEqual(["  ↻ s1 Fake  0 s  attempt 2 in 3 s"]);
    steps.wait(2_000);
    expect(steps.lines).toEqual(["  ↻ s1 Fake  2 s  attempt 2 in 1 s"]);
    steps.wait(500);
    expect(steps.lines).toEqual(["  * s1 Fake  2 s  attempt 2"]);
    steps.follow({ type: "step-retry", ...s1, attempt: 2, delayMs: 60_000, error: { message: "no" } });
    steps.follow({ type: "step-attempt", ...s1, attempt: 3 });
    steps.follow({ type: "step-progress", ...s1, attempt: 3, value: "asking" });
    expect(steps.lines).toEqual(['  * s1 Fake  2 s  attempt 3  "asking"']);
  });

  it("tells what waits for an approval, also while nothing runs", () => {
    const steps = createSteps();
    steps.follow(started, { type: "approval-request", kind: "step", stepId: "s2", tool: "Mail", hash: "" });
    steps.follow({ type: "approval-request", kind: "plan", hash: "" });
    const waiting = ["  ? s2 Mail   0 s  waiting for approval", "  ? the plan  0 s  waiting for approval"];
    expect(steps.lines).toEqual(["  * s1 Fake   0 s", ...waiting]);
    steps.follow({ type: "run-suspend", pending: [] }, { type: "run-resume" });
    expect(steps.lines).toEqual(waiting);
    steps.follow({ type: "approval-end", kind: "plan", outcome: { status: "approved" } });
    steps.follow({ type: "approval-end", kind: "step", stepId: "s2", outcome: { status: "withdrawn" } });
    expect(steps.lines).toEqual([]);
  });

  it("tells of planning, and of undoing", () => {
    const steps = createSteps();
    steps.follow({ type: "plan-start", planner: "llm" });
    expect(steps.lines).toEqual(["  * planning  0 s"]);
    steps.follow({ type: "plan-delta", step: { id: "s1", tool: "Fa\nke" } });
    expect(steps.lines).toEqual(["  * planning  0 s  s1 Fa\\nke"]);
    steps.follow({ type: "plan-end", outcome: { status: "completed" } }, { type: "undo-start", ...s1 });
    expect(steps.lines).toEqual(["  * s1 Fake  0 s  undoing"]);
    steps.follow({ type: "step-retry", ...s1, attempt: 1, delayMs: 900, undo: true, error: { message: "no" } });
    expect(steps.lines).toEqual(["  ↻ s1 Fake  0 s  undoing  attempt 2 in 1 s"]);
    steps.follow({ type: "undo-end", ...s1, attempts: 2, outcome: { status: "completed" } });
    expect(steps.lines).toEqual([]);
  });

  it("forgets what a process left open that died, and everything when the run ends", () => {
    const steps = createSteps();
    steps.follow(started, { type: "run-resume" });
    expect(steps.lines).toEqual([]);
    steps.follow(started, { type: "approval-request", kind: "plan", hash: "" }, { type: "run-end" });
    expect(steps.lines).toEqual([]);
  });

  it("is not confused by events about steps that it does not know, nor by wrong times", () => {
    const steps = createSteps();
    steps.follow({ type: "step-progress", ...s1, value: 1 }, { type: "step-retry", ...s1, attempt: 1, delayMs: 1 });
    steps.follow({ type: "plan-delta", step: { id: "s1", tool: "Fake" } }, { type: "step-skip", ...s1 });
    expect(steps.lines).toEqual([]);
    steps.follow({ ...started, timestamp: "yesterday" });
    expect(steps.lines).toEqual(["  * s1 Fake"]);
    steps.follow({ ...started, timestamp: "2027-01-01T00:00:00.000Z" });
    expect(steps.lines).toEqual(["  * s1 Fake  0 s"]);
  });

  it("cuts a long name, and aligns wide ones", () => {
    const steps = createSteps();
    steps.follow({ type: "step-start", stepId: "x".repeat(1_000_000), tool: "Fake" });
    steps.follow({ type: "step-start", stepId: "日本", tool: "Fake" });
    expect(steps.lines).toEqual([`  * ${"x".repeat(39)}…  0 s`, `  * 日本 Fake${" ".repeat(31)}  0 s`]);
  });
});
