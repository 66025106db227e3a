import { type AgentEvent, createAgent, type RunHandle } from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, eventTexts, planHashOf, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { baseOptions, record, resumeFrom, storeOf } from "../../scenario/resume-from.ts";
import { type AroundExecution, runScenario, type Scenario } from "../../scenario/run-scenario.ts";

const ttl = 60_000;
const asking = (): Scenario => ({ tools: [askingTool("B")], plan: planOf("B"), approvalTtlMs: ttl });
const expiresAt = "2026-01-01T00:01:00.000Z";

/** Resumes a run as a process that starts later would. */
function later({ another, runId, clock }: AroundExecution, afterMs: number): RunHandle {
  clock.setNow(clock.now() + afterMs);
  const agent = another();
  return { ...({} as RunHandle), runId, result: agent.resume(runId) };
}

const named = (events: readonly AgentEvent[], runId: string) => events.map((event) => ({ ...event, runId }));

const codeOf = (handle: RunHandle) =>
  handle.result.then(({ status }) => status).catch(({ code }: { code: string }) => code);

describe("a question that expires", () => {
  it("shows when, wherever it appears", async () => {
    const { result, events } = await runScenario(asking);
    expect(approvalOf(result, "s1")).toMatchObject({ expiresAt });
    expect(events.find(({ type }) => type === "approval-request")).toMatchObject({ expiresAt });
    const plan = await runScenario(() => ({ ...asking(), needsApproval: ({ kind }) => kind === "plan" }));
    expect(plan.result.pending).toMatchObject([{ kind: "plan-approval", expiresAt }]);
  });

  it("never does so without approvalTtlMs, or with Infinity", async () => {
    for (const approvalTtlMs of [undefined, Number.POSITIVE_INFINITY]) {
      const { result } = await runScenario(() => ({ ...asking(), approvalTtlMs }));
      expect(approvalOf(result, "s1")).not.toHaveProperty("expiresAt");
    }
  });

  it("can be decided until then", async () => {
    const { result } = await runScenario(() => ({
      ...asking(),
      executions: [
        ({ another, runId, result, clock }) => {
          clock.setNow(clock.now() + ttl - 1);
          return another().approve(runId, approvalOf(result, "s1"));
        },
      ],
    }));
    expect(result.status).toBe("completed");
  });

  it("is rejected by the process that resumes the run after that, and the step does not run", async () => {
    const { result, events } = await runScenario(() => ({ ...asking(), executions: [(around) => later(around, ttl)] }));
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "approval-expired", details: { stepId: "s1", expiresAt }, retryable: false },
      approvals: [{ kind: "step", stepId: "s1", status: "expired" }],
    });
    expect(statuses(result)).toEqual(["s1 skipped"]);
    expect(eventTexts(events).slice(-4)).toEqual(["run-resume", "approval-end s1", "step-skip s1", "run-end"]);
  });

  it("stays open if a process resumes the run before that", async () => {
    const { result } = await runScenario(() => ({
      ...asking(),
      isResumable: false,
      executions: [(around) => later(around, ttl - 1)],
    }));
    expect(result.status).toBe("suspended");
  });

  it("about a plan is rejected, too", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      plan: planOf("A"),
      needsApproval: ({ kind }) => kind === "plan",
      approvalTtlMs: ttl,
      executions: [(around) => later(around, ttl)],
    }));
    expect(result).toMatchObject({
      status: "failed",
      error: {
        code: "approval-expired",
        message: `The plan was not approved: no decision was made before ${expiresAt}.`,
      },
      approvals: [{ kind: "plan", status: "expired" }],
    });
  });

  it("can no longer be decided: neither before it is rejected nor after, for a step or the plan", async () => {
    for (const kind of ["step", "plan"] as const) {
      const codes: Promise<string>[] = [];
      await runScenario(() => {
        codes.length = 0;
        return {
          ...asking(),
          needsApproval: (question) => question.kind === kind,
          isResumable: false,
          executions: [
            (around) => {
              const { another, runId, result, clock } = around;
              const item = kind === "step" ? approvalOf(result, "s1") : { kind, hash: planHashOf(result) };
              clock.setNow(clock.now() + ttl);
              const early = another().approve(runId, item);
              codes.push(codeOf(early), codeOf(another().reject(runId, item)));
              const resumed = Promise.all(codes).then(() => another().resume(runId));
              const decided = resumed.then(() =>
                Promise.all([codeOf(another().approve(runId, item)), codeOf(another().reject(runId, item))]),
              );
              codes.push(decided.then(String));
              return { ...early, result: decided.then(() => resumed) };
            },
          ],
        };
      });
      expect(await Promise.all(codes)).toEqual([
        "approval-expired",
        "approval-expired",
        "approval-expired,approval-expired",
      ]);
    }
  });

  it("does not prevent a decision about another step, which then continues without it", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [askingTool("B"), createFakeTool({ name: "Slow", outcomes: [{ returns: 1, afterMs: ttl / 2 }], clock })],
      plan: {
        steps: [
          step("s1", "B", { dependsOn: [] }),
          step("a", "Slow", { dependsOn: [] }),
          step("s2", "B", { dependsOn: ["a"] }),
        ],
      },
      options: { onStepFailure: "continue" },
      stepTimeoutMs: ttl,
      approvalTtlMs: ttl,
      isResumable: false,
      executions: [
        ({ another, runId, result, clock }) => {
          clock.setNow(clock.now() + ttl / 2);
          return another().approve(runId, approvalOf(result, "s2"));
        },
      ],
    }));
    expect(statuses(result)).toEqual(["s1 skipped", "a completed", "s2 completed"]);
    expect(result.error?.code).toBe("approval-expired");
  });

  it("is rejected when a run that failed for another reason is retried", async () => {
    const fails = () =>
      createFakeTool({ name: "F", outcomes: [{ throws: new Error("down") }], retry: { maxAttempts: 1 } });
    const create = (): Scenario => ({
      tools: [askingTool("B"), fails()],
      plan: { steps: [step("s1", "B", { dependsOn: [] }), step("s2", "F", { dependsOn: [] })] },
      approvalTtlMs: ttl,
    });
    const { recorded, result } = await record(create);
    expect(result.error?.code).toBe("tool-failed");
    const again = await resumeFrom(
      recorded,
      () => ({ tools: [askingTool("B"), createFakeTool({ name: "F" })] }),
      ({ agent, runId, clock }) => {
        clock.setNow(clock.now() + ttl);
        return agent.resume(runId);
      },
    );
    expect(again.result).toMatchObject({ status: "failed", error: { code: "approval-expired" } });
    const last = await resumeFrom(again.recorded, () => ({ tools: create().tools }));
    expect(last.recorded).toHaveLength(again.recorded.length);
  });
});

describe("requestApproval", () => {
  it("has until the deadline of the question: then its signal aborts, and the step is rejected", async () => {
    const signals: AbortSignal[] = [];
    const { result, events } = await runScenario(() => ({
      ...asking(),
      requestApproval: (_request, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "approval-expired" } });
    expect(eventTexts(events)).toEqual([
      "run-start",
      "approval-request s1",
      "approval-end s1",
      "step-skip s1",
      "run-end",
    ]);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it("receives the deadline, and its later answer does not count", async () => {
    const asked: unknown[] = [];
    const { result } = await runScenario((clock) => ({
      ...asking(),
      // Longer than any timer.
      approvalTtlMs: 30 * 86_400_000,
      requestApproval: async (request) => {
        asked.push(request.expiresAt);
        clock.setNow(clock.now() + 30 * 86_400_000);
        return "approve";
      },
    }));
    expect(asked).toContain("2026-01-31T00:00:00.000Z");
    expect(result.error?.code).toBe("approval-expired");
  });
});

it("resumeAll rejects expired questions, leaves the others, and reports unreadable runs", async () => {
  const { recorded } = await record(asking);
  const clock = createManualClock({ nowMs: Date.parse(expiresAt) - 1 });
  const { store, runId } = await storeOf(recorded);
  await store.append("other", named(recorded, "other"), { sequence: 1 });
  const agent = createAgent({ ...baseOptions(clock), tools: [askingTool("B")], store, approvalTtlMs: ttl });
  expect(await agent.resumeAll()).toEqual([]);
  clock.setNow(clock.now() + 1);
  await store.append("bad", named(recorded.slice(-1), "bad"), { sequence: 1 });
  const resumed = await clock.runUntil(agent.resumeAll());
  const codes = resumed.map(({ runId, result, error }) => [runId, (result?.error ?? error)?.code]);
  expect(codes).toHaveLength(3);
  expect(Object.fromEntries(codes)).toEqual({
    [runId]: "approval-expired",
    other: "approval-expired",
    bad: "store-failed",
  });
});
