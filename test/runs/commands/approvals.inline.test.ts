import type { AgentEvent, ApprovalDecision, ApprovalRequest, RequestApproval, RunHandle } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, eventTexts, requestOf, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { type Around, runScenario } from "../../scenario/run-scenario.ts";

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe("requestApproval", () => {
  it.each([
    ["at once", (decision: ApprovalDecision) => decision],
    ["later", async (decision: ApprovalDecision) => decision],
  ] as const)("lets a step run, answering %s, and the run is not suspended", async (_when, answer) => {
    const requests: ApprovalRequest[] = [];
    const { result, events } = await runScenario(() => {
      requests.length = 0;
      return {
        isResumable: false,
        tools: [askingTool("B")],
        plan: { steps: [step("s1", "B", { input: { a: 1 }, reasoning: "Why not" })] },
        requestApproval: (request) => {
          requests.push(request);
          // A program without type checks may answer at once.
          return answer("approve") as Promise<ApprovalDecision>;
        },
      };
    });
    expect(result.status).toBe("completed");
    const { hash } = requestOf(events);
    expect(requests).toEqual([
      {
        kind: "step",
        runId: result.runId,
        stepId: "s1",
        tool: "B",
        input: { a: 1 },
        hash,
        effect: "idempotent",
        reasoning: "Why not",
      },
    ]);
    expect(eventTexts(events)).toEqual([
      "run-start",
      "approval-request s1",
      "approval-end s1",
      "step-start s1",
      "step-end s1",
      "run-end",
    ]);
  });

  it("rejects a step", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" }), askingTool("B")],
      plan: planOf("A", "B", "A"),
      requestApproval: async () => "reject",
    }));
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "approval-rejected", retryable: false, details: { stepId: "s2" } },
    });
    expect(statuses(result)).toEqual(["s1 completed", "s2 skipped", "s3 skipped"]);
    expect(result.steps[1]).toMatchObject({ attempts: 0, error: { code: "approval-rejected" } });
    expect(events.find(({ type }) => type === "approval-end")).toMatchObject({
      outcome: { status: "rejected", error: { code: "approval-rejected" } },
    });
  });

  it("leaves the decision to somebody else", async () => {
    const { result, warnings } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B"),
      requestApproval: async () => "suspend",
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1"))],
    }));
    expect(result.status).toBe("completed");
    expect(warnings).toEqual([]);
  });

  const nonsense: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("no connection");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no connection"))],
    [
      "throws something unreadable",
      () => {
        throw Object.create(null);
      },
    ],
    ["answers nothing", () => undefined],
    ["answers true", async () => true],
    ["answers an unknown word", () => "approved"],
    ["answers an object without a decision", async () => ({ by: "ada" })],
    ["answers an object with an unknown word", async () => ({ decision: "approved" })],
    ["answers an object with an unknown key", async () => ({ decision: "approve", because: "I can" })],
    ["rejects with an input", async () => ({ decision: "reject", input: {} })],
    ["returns an input that is not an object", async () => ({ decision: "approve", input: [1] })],
    ["returns an input that its tool does not accept", async () => ({ decision: "approve", input: { text: 1n } })],
  ];

  it.each(nonsense)("that %s suspends the run, with a warning", async (_what, approve) => {
    const { result, warnings, events } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B"),
      requestApproval: approve as RequestApproval,
    }));
    expect(result.status).toBe("suspended");
    expect(types(events)).toEqual(["run-start", "approval-request", "run-suspend"]);
    expect(warnings).toMatchObject([{ code: "approval-failed", stepId: "s1" }]);
  });

  it("that waits does not hold up other steps", async () => {
    const { result, events } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 10 }], clock }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      options: { concurrency: 2 },
      requestApproval: () => new Promise((resolve) => clock.setTimeout(() => resolve("approve"), 100)),
    }));
    expect(result.status).toBe("completed");
    expect(eventTexts(events).indexOf("step-end a")).toBeLessThan(eventTexts(events).indexOf("approval-end b"));
  });
});

describe("a requestApproval that never answers", () => {
  const never =
    (signals: AbortSignal[]): RequestApproval =>
    (_request, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };

  it("does not block a cancelled run, and its signal aborts", async () => {
    const signals: AbortSignal[] = [];
    const { result, warnings } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B", "B"),
      requestApproval: never(signals),
      act: async ({ handle, clock }) => {
        await clock.advance(10);
        handle.cancel("enough");
      },
    }));
    expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(statuses(result)).toEqual(["s1 skipped", "s2 skipped"]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(warnings).toEqual([]);
  });

  it("does not block a run that has timed out", async () => {
    const { result, clock, events } = await runScenario(() => ({
      isResumable: false,
      tools: [askingTool("B")],
      plan: planOf("B"),
      options: { timeoutMs: 500 },
      requestApproval: never([]),
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
    expect(statuses(result)).toEqual(["s1 skipped"]);
    expect(clock.now() - Date.parse(events[0]?.timestamp ?? "")).toBe(500);
  });

  it.each([
    ["approve", "completed"],
    ["reject", "failed"],
  ] as const)("is no longer waited for once agent.%s is called", async (verdict, status) => {
    const signals: AbortSignal[] = [];
    const handles: RunHandle[] = [];
    const { result, warnings } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B"),
      requestApproval: never(signals),
      act: async ({ agent, handle, clock, events }: Around) => {
        await clock.advance(10);
        handles.push(agent[verdict](handle.runId, { kind: "step", stepId: "s1", hash: requestOf(events).hash }));
      },
    }));
    expect(result.status).toBe(status);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(warnings).toEqual([]);
    expect(await handles.at(-1)?.result).toEqual(result);
  });

  it("is ignored when it answers after all", async () => {
    const { result, events } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: ["b"] })] },
      requestApproval: () => new Promise((resolve) => clock.setTimeout(() => resolve("reject"), 50)),
      act: async ({ agent, handle, clock, events }) => {
        await clock.advance(10);
        agent.approve(handle.runId, { kind: "step", stepId: "b", hash: requestOf(events).hash });
      },
    }));
    expect(result.status).toBe("completed");
    expect(types(events).filter((type) => type === "approval-end")).toHaveLength(1);
  });
});
