import { describe, expect, it } from "vitest";
import type { EventInit } from "../../src/core/events.ts";
import { toRunResult, toRunSnapshot } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import { failedRun, failure, given, numbered, plan, requested } from "../fixtures/run-events.ts";

const fold = (events: readonly EventInit[]) => foldEvents("run_1", numbered(events));

describe("toRunResult", () => {
  it("contains the steps in plan order, the last output and the error", () => {
    const result = toRunResult(fold(failedRun));
    expect(result).toMatchObject({ status: "failed", runId: "run_1", plan, output: null, error: failure });
    expect(result.steps).toEqual([
      {
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
      },
      {
        stepId: "s2",
        tool: "Note",
        input: { title: "1" },
        status: "completed",
        attempts: 1,
        effect: "idempotent",
        output: null,
        startedAt: "2026-01-01T00:00:05.000Z",
        completedAt: "2026-01-01T00:00:07.000Z",
      },
      {
        stepId: "s3",
        tool: "Open",
        input: { x: 1 },
        status: "failed",
        attempts: 2,
        effect: "idempotent",
        error: failure,
        startedAt: "2026-01-01T00:00:08.000Z",
        completedAt: "2026-01-01T00:00:12.000Z",
      },
      { stepId: "s4", tool: "Open", input: { y: 1 }, status: "skipped", reason: "dependency-failed", attempts: 0 },
    ]);
  });

  it("takes the output of the last step in plan order, not of the step that ended last", () => {
    const end = (stepId: string, output: string): EventInit => ({
      type: "step-end",
      stepId,
      tool: "Open",
      attempts: 1,
      outcome: { status: "completed", output },
    });
    expect(toRunResult(fold([given, end("s3", "third"), end("s1", "first")])).output).toBe("third");
  });

  it("has no keys for missing values", () => {
    const error = { type: "run-end", outcome: { status: "failed", error: failure } } as const;
    const keys = ["createdAt", "endedAt", "error", "request", "runId", "status", "steps"];
    expect(Object.keys(toRunResult(fold([requested, error]))).sort()).toEqual(keys);
    expect(
      Object.keys(
        toRunResult(fold([given, { type: "run-end", outcome: { status: "completed", output: null } }])),
      ).sort(),
    ).toEqual(["createdAt", "endedAt", "plan", "request", "runId", "status", "steps"]);
  });

  it("lists what a suspended run waits for", () => {
    const pending = [{ stepId: "s1", kind: "outcome" as const }];
    expect(toRunResult(fold([given, { type: "run-suspend", pending }]))).toMatchObject({
      status: "suspended",
      pending,
    });
  });

  it("is a copy that can be changed without changing the state", () => {
    const state = fold(failedRun);
    const before = toRunResult(state);
    const [step] = toRunResult(state).steps as unknown as {
      input: { a: number };
      output: { text: string };
      status: string;
    }[];
    if (step !== undefined) {
      step.input.a = 5;
      step.output.text = "changed";
      step.status = "failed";
    }
    expect(toRunResult(state)).toEqual(before);
  });

  it("survives JSON", () => {
    const result = toRunResult(fold(failedRun));
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });
});

describe("toRunSnapshot", () => {
  it("is the result with the request, the metadata and the times", () => {
    const state = fold(failedRun);
    expect(toRunSnapshot(state)).toEqual({
      ...toRunResult(state),
      request: "Do it",
      metadata: { user: "u1" },
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:14.000Z",
    });
  });

  it("shows an active run", () => {
    const snapshot = toRunSnapshot(fold(failedRun.slice(0, 6)));
    expect(snapshot.status).toBe("running");
    expect(snapshot.steps.map(({ status }) => status)).toEqual(["completed", "running", "pending", "pending"]);
    const { request, plan } = toRunSnapshot(fold([given]));
    expect(request).toBe(plan?.request);
    const unasked = { ...given, plan: { ...plan, request: "" } };
    expect(toRunSnapshot(fold([unasked as typeof given]))).not.toHaveProperty("request");
  });
});
