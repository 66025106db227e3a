import { AgentError } from "planwright";
import { describe, expect, it } from "vitest";
import type { EventInit } from "../../src/core/events.ts";

import {
  hasStarted,
  instancesOf,
  isDecided,
  isDone,
  isStillToRun,
  pendingStep,
  reduceStep,
  type StepEvent,
  type StepState,
} from "../../src/core/run-state.ts";
import { failure, numbered } from "../fixtures/run-events.ts";

const started = { stepId: "s1", tool: "Sum", input: { a: 1 }, reasoning: "First" };
const base = { stepId: "s1", tool: "Sum" } as const;

function fold(...events: readonly EventInit[]): StepState {
  const state = pendingStep(started);
  for (const event of numbered(events)) reduceStep(state, event as StepEvent);
  return state;
}

const start = (iteration?: number): EventInit => ({
  type: "step-start",
  ...base,
  input: { a: 2 },
  effect: "once",
  ...(iteration !== undefined && { iteration, iterations: 2 }),
});
const end = (iteration?: number, output: unknown = 1): EventInit => ({
  type: "step-end",
  ...base,
  attempts: 1,
  outcome: { status: "completed", output },
  ...(iteration !== undefined && { iteration }),
});
const fail = (iteration: number, status: "failed" | "unknown" = "failed"): EventInit => ({
  type: "step-end",
  ...base,
  iteration,
  attempts: 1,
  outcome: { status, error: failure },
});
const skip = (reason: "condition" | "no-items" | "run-ended", iteration?: number): EventInit => ({
  type: "step-skip",
  ...base,
  reason,
  ...(iteration !== undefined && { iteration, iterations: 2 }),
});
const ask = (iteration?: number): EventInit => ({
  type: "approval-request",
  kind: "step",
  ...base,
  input: { a: 2 },
  hash: "h",
  effect: "once",
  ...(iteration !== undefined && { iteration, iterations: 2 }),
});
const rejected = new AgentError("approval-rejected", "No.", { details: { stepId: "s1", reason: "no" } }).toJSON();
const decide = (status: "approved" | "rejected" | "withdrawn", iteration?: number): EventInit => ({
  type: "approval-end",
  kind: "step",
  stepId: "s1",
  outcome: status === "rejected" ? { status, error: rejected } : { status },
  ...(iteration !== undefined && { iteration }),
});
const undo = (status: "completed" | "failed", iteration?: number): EventInit => ({
  type: "undo-end",
  ...base,
  attempts: 1,
  outcome: status === "completed" ? { status } : { status, error: failure },
  ...(iteration !== undefined && { iteration }),
});

describe("a step that needs approval", () => {
  it("waits with the requested input, then has the decision", () => {
    expect(fold(ask())).toMatchObject({ status: "waiting", input: { a: 2 }, effect: "once", attempts: 0 });
    expect(fold(ask()).approval).toEqual({ hash: "h", status: "requested" });
    expect([isStillToRun, hasStarted, isDecided].map((is) => is(fold(ask())))).toEqual([true, false, false]);
    const approved = fold(ask(), decide("approved"));
    expect(approved).toMatchObject({ status: "waiting", approval: { hash: "h", status: "approved" } });
    expect([isStillToRun, hasStarted, isDecided].map((is) => is(approved))).toEqual([true, false, true]);
  });

  it("keeps the error of its rejection", () => {
    const state = fold(ask(), decide("rejected"));
    expect(state).toMatchObject({ status: "waiting", approval: { status: "rejected" }, error: rejected });
    expect(isDecided(state)).toBe(true);
  });

  it("is as before once the request is withdrawn, and ignores a later approval", () => {
    const withdrawn = fold(ask(), decide("withdrawn"));
    expect(withdrawn).toMatchObject({ status: "pending", approval: { hash: "h", status: "withdrawn" } });
    expect(isDecided(withdrawn)).toBe(false);
    expect(fold(ask(), decide("withdrawn"), decide("approved")).approval?.status).toBe("withdrawn");
  });

  it("ignores decisions once it runs", () => {
    const state = fold(ask(), decide("approved"), start(), end());
    expect([isStillToRun, hasStarted, isDecided, isDone].map((is) => is(state))).toEqual([false, true, false, true]);
  });
});

describe("a skipped step", () => {
  it.each([
    ["condition", null, true],
    ["no-items", [], true],
    ["run-ended", undefined, false],
  ] as const)("for %s", (reason, output, done) => {
    const state = fold(skip(reason));
    expect(state).toMatchObject({ status: "skipped", skipReason: reason });
    expect(state.output).toEqual(output);
    expect([isDone(state), isStillToRun(state), hasStarted(state)]).toEqual([done, false, true]);
  });
});

describe("an undone step", () => {
  it("is undone once its undoing has completed", () => {
    const events = [start(), end()];
    expect(fold(...events, { type: "undo-start", ...base }).status).toBe("completed");
    expect(fold(...events, undo("failed"))).toMatchObject({ status: "completed", output: 1 });
    expect(fold(...events, undo("completed"))).toMatchObject({ status: "undone", attempts: 1 });
  });

  it("does not count the attempts to undo it", () => {
    const error = { name: "Error", message: "busy" };
    const again: EventInit = { type: "step-retry", ...base, attempt: 1, delayMs: 1, error, undo: true };
    expect(fold(start(), end(), again).attempts).toBe(1);
  });
});

describe("a loop", () => {
  it("has all its iterations from its first event on", () => {
    for (const event of [start(1), skip("condition", 1), ask(1)]) {
      const state = fold(event);
      expect(state.iterations?.states.map(({ iteration, reasoning }) => [iteration, reasoning])).toEqual([
        [0, "First"],
        [1, "First"],
      ]);
      expect(isStillToRun(state)).toBe(true);
    }
  });

  it("has the outputs of all iterations once all have ended, in any order", () => {
    const state = fold(start(1), start(0), end(1, "b"), end(0, "a"));
    expect(state).toMatchObject({ status: "completed", output: ["a", "b"], attempts: 2 });
    expect(fold(start(1), end(1, "b")).output).toBeUndefined();
    expect(fold(skip("condition", 0), start(1), end(1, "b"))).toMatchObject({ output: [null, "b"] });
  });

  it.each([
    ["failed", [fail(0), skip("run-ended", 1)], "failed"],
    ["unknown before all", [fail(0), fail(1, "unknown")], "unknown"],
    ["skipped if none failed", [skip("run-ended", 0), skip("run-ended", 1)], "skipped"],
  ] as const)("is %s", (_how, events, status) => {
    const state = fold(start(0), start(1), ...events);
    expect(state.status).toBe(status);
    expect([isDone(state), isStillToRun(state)]).toEqual([false, false]);
    expect(state.output).toBeUndefined();
  });

  it("waits if one iteration waits, and is decided if that one is", () => {
    const waiting = fold(ask(0));
    expect(waiting).toMatchObject({ status: "waiting", iterations: { states: [{ status: "waiting" }, {}] } });
    expect([hasStarted(waiting), isDecided(waiting)]).toEqual([false, false]);
    const decided = fold(ask(0), ask(1), decide("approved", 1));
    expect([hasStarted(decided), isDecided(decided)]).toEqual([false, true]);
    expect(hasStarted(fold(start(0), end(0), ask(1)))).toBe(true);
    expect(isStillToRun(fold(start(0), end(0), ask(1)))).toBe(true);
  });

  it("is rejected if one iteration is", () => {
    const state = fold(ask(0), decide("rejected", 0), skip("run-ended", 0), start(1), end(1));
    expect(state).toMatchObject({ status: "skipped", error: rejected });
  });

  it("is undone once no completed iteration is left", () => {
    const events = [start(0), end(0), start(1), end(1)];
    expect(fold(...events, undo("completed", 1)).status).toBe("completed");
    expect(fold(...events, undo("completed", 1), undo("completed", 0)).status).toBe("undone");
    expect(fold(...events, undo("completed", 1), undo("failed", 0)).status).toBe("completed");
  });

  it("ignores an unknown iteration", () => {
    expect(fold(start(0), end(5)).iterations).toMatchObject({ ended: 0 });
  });

  it("appears as its iterations among the parts of a plan", () => {
    const states = [fold(start(0)), pendingStep({ ...started, stepId: "s2" })];
    expect([...instancesOf(states)].map(({ stepId, iteration }) => [stepId, iteration])).toEqual([
      ["s1", 0],
      ["s1", 1],
      ["s2", undefined],
    ]);
  });
});

describe("events with a manipulated iteration", () => {
  it.each(["__proto__", "length", 1.5, null])("do not write to iteration %j", (iteration) => {
    const state = fold(start(0), { ...start(0), iteration } as unknown as EventInit);
    expect(state.iterations?.states.map(({ status }) => status)).toEqual(["running", "pending"]);
    expect(([] as { status?: unknown }).status).toBeUndefined();
  });
});
