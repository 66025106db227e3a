import { type AgentEvent, runStatusAfter } from "planwright";
import { describe, expect, it } from "vitest";
import { type EventInit, isTransient } from "../../src/core/events.ts";
import { foldEvents, initialRunState, reduceRunState } from "../../src/core/run-state.ts";
import { failedRun, failure, given, numbered, plan, requested } from "../fixtures/run-events.ts";

const fold = (events: readonly EventInit[]) => foldEvents("run_1", numbered(events));
const statusesOf = (events: readonly EventInit[]) =>
  [...fold(events).steps.values()].map(({ status, attempts }) => `${status} ${attempts}`).join(", ");

describe("the state of a run", () => {
  it("is empty at first", () => {
    expect(initialRunState("run_1")).toEqual({
      runId: "run_1",
      status: "planning",
      sequence: 0,
      replans: 0,
      metadata: {},
      steps: new Map(),
      createdAt: "",
      updatedAt: "",
    });
  });

  it("is correct after every event", () => {
    const seen = failedRun.map((_event, index) => {
      const prefix = failedRun.slice(0, index + 1);
      return `${prefix.at(-1)?.type}: ${fold(prefix).status}; ${statusesOf(prefix)}`;
    });
    expect(seen).toEqual([
      "run-start: planning; ",
      "plan-start: planning; ",
      "plan-end: running; pending 0, pending 0, pending 0, pending 0",
      "step-start: running; running 1, pending 0, pending 0, pending 0",
      "step-end: running; completed 1, pending 0, pending 0, pending 0",
      "step-start: running; completed 1, running 1, pending 0, pending 0",
      "step-progress: running; completed 1, running 1, pending 0, pending 0",
      "step-end: running; completed 1, completed 1, pending 0, pending 0",
      "step-start: running; completed 1, completed 1, running 1, pending 0",
      "step-retry: running; completed 1, completed 1, running 2, pending 0",
      "step-attempt: running; completed 1, completed 1, running 2, pending 0",
      "step-late: running; completed 1, completed 1, running 2, pending 0",
      "step-end: running; completed 1, completed 1, failed 2, pending 0",
      "step-skip: running; completed 1, completed 1, failed 2, skipped 0",
      "run-end: failed; completed 1, completed 1, failed 2, skipped 0",
    ]);
  });

  it("is the same whether events are folded one by one or at once", () => {
    const events = numbered(failedRun);
    for (let cut = 0; cut <= events.length; cut++) {
      const state = foldEvents("run_1", events.slice(0, cut));
      for (const event of events.slice(cut)) expect(reduceRunState(state, event)).toBe(state);
      expect(state).toEqual(foldEvents("run_1", events));
    }
  });

  it("does not depend on transient events", () => {
    const recorded = numbered(failedRun).filter((event) => !isTransient(event));
    expect(foldEvents("run_1", recorded)).toEqual(fold(failedRun));
    expect(recorded.map(({ sequence }) => sequence)).toEqual(recorded.map((_event, index) => index + 1));
  });

  it("is the same for events that went through JSON", () => {
    const through = JSON.parse(JSON.stringify(numbered(failedRun))) as AgentEvent[];
    expect(foldEvents("run_1", through)).toEqual(fold(failedRun));
  });

  it("contains everything known about the run and its steps", () => {
    const state = fold(failedRun);
    expect(state).toMatchObject({
      runId: "run_1",
      sequence: 12,
      request: "Do it",
      metadata: { user: "u1" },
      plan,
      error: failure,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:14.000Z",
    });
    expect([...state.steps.keys()]).toEqual(["s1", "s2", "s3", "s4"]);
    expect(state.steps.get("s1")).toEqual({
      stepId: "s1",
      tool: "Sum",
      input: { a: 1 },
      status: "completed",
      attempts: 1,
      effect: "pure",
      output: { text: "1" },
      reasoning: "First",
      startedAt: "2026-01-01T00:00:03.000Z",
      completedAt: "2026-01-01T00:00:04.000Z",
      endSequence: 5,
    });
    expect(state.steps.get("s2")).toMatchObject({ input: { title: "1" }, output: null });
    expect(state.steps.get("s3")).toMatchObject({ error: failure });
    expect(state.steps.get("s4")).toEqual({
      stepId: "s4",
      tool: "Open",
      input: { y: 1 },
      status: "skipped",
      skipReason: "dependency-failed",
      attempts: 0,
    });
  });

  it("never changes the plan or the events", () => {
    const before = structuredClone(failedRun);
    fold(failedRun);
    expect(failedRun).toEqual(before);
  });
});

describe("the state of a run that ends in another way", () => {
  it("is running at first if a plan was given", () => {
    expect(fold([given])).toMatchObject({ status: "running", plan });
    expect(fold([given]).request).toBeUndefined();
  });

  it("has no plan if planning fails", () => {
    const state = fold([
      requested,
      { type: "plan-start", planner: "rules" },
      { type: "plan-end", outcome: { status: "failed", error: failure } },
      { type: "run-end", outcome: { status: "failed", error: failure } },
    ]);
    expect(state).toMatchObject({ status: "failed", error: failure });
    expect(state.plan).toBeUndefined();
    expect(state.steps.size).toBe(0);
  });

  it.each(["cancelled", "interrupted", "unknown"] as const)("contains a step that ends %s", (status) => {
    const state = fold([
      given,
      { type: "step-start", stepId: "s1", tool: "Sum", input: { a: 1 } },
      { type: "step-end", stepId: "s1", tool: "Sum", attempts: 1, outcome: { status, error: failure } },
    ]);
    expect(state.steps.get("s1")).toMatchObject({ status, error: failure });
    expect(state.steps.get("s1")).not.toHaveProperty("output");
    expect(state.steps.get("s1")).not.toHaveProperty("effect");
  });

  it("is suspended, with what the run waits for", () => {
    const pending = [{ stepId: "s1", kind: "outcome" as const }];
    expect(fold([given, { type: "run-suspend", pending }])).toMatchObject({ status: "suspended", pending });
  });

  it("becomes completed, or cancelled", () => {
    expect(fold([given, { type: "run-end", outcome: { status: "completed", output: 1 } }])).toMatchObject({
      status: "completed",
    });
    expect(fold([given, { type: "run-end", outcome: { status: "completed", output: 1 } }]).error).toBeUndefined();
    expect(fold([given, { type: "run-end", outcome: { status: "cancelled", error: failure } }])).toMatchObject({
      status: "cancelled",
      error: failure,
    });
  });

  it("ignores a step that its plan does not contain", () => {
    const state = fold([given, { type: "step-skip", stepId: "s9", tool: "Open", reason: "run-ended" }]);
    expect([...state.steps.keys()]).toEqual(["s1", "s2", "s3", "s4"]);
  });
});

describe("a plan that is revised", () => {
  const start: EventInit = { type: "step-start", stepId: "s1", tool: "Sum", input: { a: 1 }, effect: "pure" };
  const end: EventInit = {
    type: "step-end",
    stepId: "s1",
    tool: "Sum",
    attempts: 1,
    outcome: { status: "completed", output: 1 },
  };
  const fresh = { id: "n1", tool: "Open", input: { z: 1 }, dependsOn: [], reasoning: "Instead" };
  const revised = { ...plan, steps: [...plan.steps.slice(0, 1), fresh] };
  const revise: EventInit = {
    type: "plan-revise",
    planner: "rules",
    replan: 1,
    cause: failure,
    outcome: { status: "completed", plan: revised },
  };
  const ask: EventInit = {
    type: "approval-request",
    kind: "step",
    stepId: "s2",
    tool: "Note",
    input: {},
    hash: "h",
    effect: "once",
  };

  it("keeps steps that have started, and replaces the others", () => {
    const state = fold([given, start, end, ask, revise]);
    expect([...state.steps.values()].map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
      "s1 completed",
      "n1 pending",
    ]);
    expect(state).toMatchObject({ plan: revised, replans: 1, status: "running" });
    expect(state.steps.get("n1")).toEqual({
      stepId: "n1",
      tool: "Open",
      input: { z: 1 },
      status: "pending",
      attempts: 0,
      reasoning: "Instead",
    });
  });

  it("keeps a loop that has partly started, though some iterations wait", () => {
    const loop = { iteration: 0, iterations: 2 };
    const started = fold([
      given,
      { ...start, ...loop } as EventInit,
      { ...end, iteration: 0 } as EventInit,
      { ...ask, ...loop, stepId: "s1", iteration: 1 } as EventInit,
      revise,
    ]);
    expect(started.steps.get("s1")?.iterations?.states).toMatchObject([{ status: "completed" }, { status: "waiting" }]);
  });

  it("only counts a replan in which the planner failed", () => {
    const state = fold([given, start, end, { ...revise, outcome: { status: "failed", error: failure } } as EventInit]);
    expect(state).toMatchObject({ plan, replans: 1, status: "running" });
    expect([...state.steps.keys()]).toEqual(["s1", "s2", "s3", "s4"]);
  });

  it("has to be approved again", () => {
    const asked: EventInit = { type: "approval-request", kind: "plan", hash: "p" };
    const approved: EventInit = { type: "approval-end", kind: "plan", outcome: { status: "approved" } };
    expect(fold([given, asked]).planApproval).toEqual({ hash: "p", status: "requested" });
    expect(fold([given, asked, approved]).planApproval).toMatchObject({ hash: "p", status: "approved" });
    expect(fold([given, asked, approved, revise]).planApproval).toBeUndefined();
  });
});

describe("a resumed run", () => {
  it("no longer waits, and ends with the list of what was not undone", () => {
    const suspend: EventInit = { type: "run-suspend", pending: [{ kind: "plan-approval", hash: "p" }] };
    const resume: EventInit = { type: "run-resume", version: 8, tools: [] };
    expect(fold([given, suspend, resume])).toMatchObject({ status: "running" });
    expect(fold([given, suspend, resume])).not.toHaveProperty("pending");
    const notUndone = [{ stepId: "s1", tool: "Sum", reason: "no-undo" as const }];
    const state = fold([given, { type: "run-end", outcome: { status: "failed", error: failure }, notUndone }]);
    expect(state).toMatchObject({ status: "failed", notUndone });
  });

  it("ignores decisions about steps that it does not contain", () => {
    const outcome = { status: "approved" } as const;
    const state = fold([
      given,
      { type: "approval-end", kind: "plan", outcome },
      { type: "approval-end", kind: "step", stepId: "s9", outcome },
    ]);
    expect(state.planApproval).toBeUndefined();
    expect(state.steps.get("s1")).not.toHaveProperty("approval");
  });
});

it("runStatusAfter returns the status for the events that change it", () => {
  expect(
    numbered(failedRun)
      .map(runStatusAfter)
      .filter((status) => status !== undefined),
  ).toEqual(["planning", "running", "failed"]);
});
