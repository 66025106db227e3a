import { createAgent, createMemoryRunStore } from "planwright";
import { createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
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

const startMs = Date.UTC(2026);
const at = (ms: number) => new Date(startMs + ms).toISOString();

it("a result and a summary contain the request and the times of creation, start and end", async () => {
  const clock = createManualClock({ nowMs: startMs });
  const outcomes = [{ afterMs: 20, throws: Object.assign(new Error("no"), { retryable: false }) }, { returns: 1 }];
  const tool = createFakeTool({ name: "A", outcomes, clock });
  const plan = { steps: [{ id: "s", tool: "A", input: {} }] };
  const agent = createAgent({ tools: [tool], planner: createScriptedPlanner([plan]), clock });
  const failed = await clock.runUntil(agent.run("Do it", { runId: "r" }));
  expect(failed).toMatchObject({ request: "Do it", createdAt: at(0), startedAt: at(0), endedAt: at(20) });
  const [summary] = (await agent.listRuns()).runs;
  expect(summary).toMatchObject({ request: "Do it", createdAt: at(0), startedAt: at(0), endedAt: at(20) });
  expect(summary?.error).toEqual({ code: failed.error?.code, message: failed.error?.message });
  await clock.advance(30);
  expect(await agent.resume("r")).toMatchObject({ createdAt: at(0), startedAt: at(0), endedAt: at(50) });
  expect((await agent.listRuns()).runs[0]).not.toHaveProperty("error");
  expect(await agent.getRun("r")).toMatchObject({ request: "Do it", endedAt: at(50), updatedAt: at(50) });
});

it("a run that waits has no end time, and one without a started step has no start time", async () => {
  const tool = createFakeTool({ name: "Ask", ...{ needsApproval: true } });
  const agent = createAgent({ tools: [tool] });
  const result = await agent.execute({ steps: [{ id: "s", tool: "Ask", input: {} }] });
  expect(result.createdAt).toMatch(/Z$/);
  for (const key of ["request", "startedAt", "endedAt"]) expect(result).not.toHaveProperty(key);
});

it("a run that could not even record its start has an end time", async () => {
  const clock = createManualClock({ nowMs: startMs });
  const append = () => {
    throw new Error("disk");
  };
  const store = Object.assign(Object.create(createMemoryRunStore()), { append });
  const agent = createAgent({ tools: [createFakeTool({ name: "A" })], store, clock });
  const result = await agent.execute({ steps: [{ id: "s", tool: "A", input: {} }] });
  expect(result).toMatchObject({ status: "failed", createdAt: at(0), endedAt: at(0) });
});

it("each resumed run gets the resources that a function creates for it, or the function's error", async () => {
  const clock = createManualClock({ nowMs: startMs });
  const store = createMemoryRunStore({ now: () => clock.now() });
  const slow = createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }], clock });
  const first = createAgent({ tools: [slow], store, clock });
  for (const user of ["ada", "bob", "eve"]) {
    first.start({ steps: [{ id: "s", tool: "A", input: {} }] }, { runId: `of-${user}`, metadata: { user } });
  }
  await clock.advance(0);
  await clock.runUntil(first.close({ timeoutMs: 5_000 }));
  const tool = createFakeTool({ name: "A" });
  const second = createAgent({ tools: [tool], store, clock });
  const resumed = await second.resumeAll({
    resources: async ({ metadata: { user } }) => {
      if (user === "eve") throw new Error("nobody knows her");
      return { user };
    },
  });
  const byId = [...resumed].sort((a, b) => (a.runId < b.runId ? -1 : 1));
  expect(byId).toMatchObject([
    { runId: "of-ada", result: { status: "completed" } },
    { runId: "of-bob", result: { status: "completed" } },
    { runId: "of-eve", error: { code: "invalid-options", message: expect.stringContaining("nobody knows her") } },
  ]);
  // They are resumed at the same time, and which one's tools are compared first depends on the machine.
  expect(new Set(tool.calls.map(({ context }) => context.resources))).toEqual(
    new Set([{ user: "ada" }, { user: "bob" }]),
  );
  const rest = await second.resumeAll({ resources: { user: "eve" } });
  expect(rest).toMatchObject([{ runId: "of-eve", result: { status: "completed" } }]);
});
