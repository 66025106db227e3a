import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RunReporter } from "../../src/cli/follow-run.ts";
import { Printer } from "../../src/cli/printer.ts";
import type { AgentEvent } from "../../src/core/events.ts";
import { createFakeAgent, createFakeIo } from "./fake-io.ts";
import { FakeTerminal } from "./fake-terminal.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function createReporter({ columns = 60, rows = 20 } = {}) {
  const terminal = new FakeTerminal({ columns, rows });
  const reporter = new RunReporter({ agent: createFakeAgent(), io: createFakeIo(), out: new Printer(terminal) });
  const report = (...events: readonly object[]) => {
    const timestamp = new Date().toISOString();
    for (const event of events) reporter.report({ runId: "run_1", sequence: 1, timestamp, ...event } as AgentEvent);
  };
  return { terminal, reporter, report };
}

const step = (id: string) => ({ stepId: id, tool: "Fake" });
const planOf = (...ids: readonly string[]) => ({
  source: { planner: "p" },
  steps: ids.map((id) => ({ id, tool: "Fake", input: {} })),
});
const done = { attempts: 1, outcome: { status: "completed", output: 7 } };

describe("RunReporter, on a terminal", () => {
  it("keeps what is running in a table below what has ended, from the first step to the last", () => {
    const { terminal, report } = createReporter();
    report({ type: "plan-start", planner: "p" });
    expect(terminal.screen).toEqual(["  ⠋ planning  0 s"]);
    report({ type: "plan-end", outcome: { status: "completed", plan: planOf("s1", "s2") } });
    const plan = ["Plan", "  s1  Fake {}", "  s2  Fake {}", "      after s1", "", "Run"];
    expect(terminal.screen).toEqual([...plan, ""]);
    report({ type: "step-start", ...step("s1") }, { type: "step-start", ...step("s2") });
    vi.advanceTimersByTime(2_000);
    expect(terminal.screen).toEqual([...plan, "  ⠴ s1 Fake  2 s", "  ⠴ s2 Fake  2 s"]);
    report({ type: "step-retry", ...step("s2"), attempt: 1, delayMs: 4_000, error: { message: "no\u001b[2J" } });
    const retry = "  ↻ s2 Fake: attempt 1 failed: no\\u001b[2J; next in 4.0 s";
    expect(terminal.screen).toEqual([...plan, retry, "  ⠴ s1 Fake  2 s", "  ↻ s2 Fake  2 s  attempt 2 in 4 s"]);
    report({ type: "step-end", ...step("s1"), ...done });
    expect(terminal.screen).toEqual([...plan, retry, "  ✔ s1 Fake: 7 2.0 s", "  ↻ s2 Fake  2 s  attempt 2 in 4 s"]);
    report({ type: "step-progress", ...step("s2"), attempt: 2, value: { percent: 99 } });
    report({ type: "step-end", ...step("s2"), ...done, attempts: 2 }, { type: "run-end" });
    expect(terminal.screen).toEqual([...plan, retry, "  ✔ s1 Fake: 7 2.0 s", "  ✔ s2 Fake: 7 (attempt 2) 2.0 s", ""]);
  });

  it("shows as many steps as there is room for, in a terminal that changes its size", () => {
    const { terminal, report } = createReporter({ rows: 6 });
    report(...Array.from({ length: 20 }, (_, index) => ({ type: "step-start", ...step(`s${index}`) })));
    vi.advanceTimersByTime(80);
    const name = (index: number) => `  ⠙ s${index} Fake   0 s`;
    expect(terminal.screen).toEqual([name(0), name(1), name(2), name(3), "  … and 16 more"]);
    terminal.rows = 8;
    vi.advanceTimersByTime(800);
    expect(terminal.screen).toEqual([...[0, 1, 2, 3, 4, 5].map(name), "  … and 14 more"]);
    terminal.rows = 30;
    terminal.resize(12);
    vi.advanceTimersByTime(800);
    expect(terminal.screen).toEqual(
      Array.from({ length: 20 }, (_, index) => `  ⠙ s${index} Fake`.slice(0, 10).concat("…")),
    );
    report({ type: "run-suspend", pending: [] });
    expect(terminal.screen).toEqual([""]);
  });

  it("writes once for a frame, and not for each progress", () => {
    const { terminal, reporter, report } = createReporter();
    report({ type: "step-start", ...step("s1") });
    for (let value = 0; value < 0.995; value += 0.0001)
      report({ type: "step-progress", ...step("s1"), attempt: 1, value });
    expect(terminal.writes).toHaveLength(1);
    vi.advanceTimersByTime(80);
    expect(terminal.writes).toHaveLength(2);
    expect(terminal.screen).toEqual(["  ⠙ s1 Fake  0 s  [█████████░] 99 %"]);
    reporter.hide();
    expect(terminal.screen).toEqual([""]);
  });

  it("prints what has a line of its own above the table", () => {
    const { terminal, report } = createReporter({ columns: 80 });
    report({ type: "run-start", plan: planOf("s1") }, { type: "step-start", ...step("s1") });
    report({ type: "step-skip", ...step("s2"), reason: "condition" });
    report({ type: "circuit-change", tool: "Fake", state: "open" });
    const cause = { message: "It\nfailed." };
    report({ type: "plan-revise", cause, outcome: { status: "completed", plan: planOf("s1", "s3") } });
    report({ type: "plan-revise", outcome: { status: "failed", error: { message: "no\nidea" } } });
    report({ type: "undo-end", ...step("s4"), attempts: 1, outcome: { status: "completed" } });
    report({ type: "undo-end", ...step("s5"), attempts: 1, outcome: { status: "failed", error: { message: "no" } } });
    expect(terminal.screen.slice(3)).toEqual([
      "Run",
      "  - s2 Fake: skipped (condition)",
      "  ! Fake: circuit open",
      "It\\nfailed. Planned again: 2 steps",
      "Could not plan again: no\\nidea",
      "  ↶ s4 Fake: undone",
      "  ✖ s5 Fake: not undone, no",
      "  ⠋ s1 Fake  0 s",
    ]);
    report({ type: "run-end" });
  });
});
