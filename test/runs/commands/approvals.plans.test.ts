import { type AgentEvent, type ApprovalQuestion, type ApprovalRequest, hashPlan, type PlanDraft } from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, eventTexts, planHashOf, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const askForPlan = ({ kind }: ApprovalQuestion) => kind === "plan";
const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const tools = () => [createFakeTool({ name: "A" })];

describe("a plan that needs approval", () => {
  it("runs nothing until it is approved, and then everything, in another agent", async () => {
    const suspended: string[][] = [];
    const { result, events } = await runScenario(() => ({
      tools: tools(),
      plan: planOf("A", "A"),
      needsApproval: askForPlan,
      executions: [
        ({ another, runId, result }) => {
          suspended.push([...statuses(result)]);
          return another().approve(runId, { kind: "plan", hash: planHashOf(result) });
        },
      ],
    }));
    expect(suspended[0]).toEqual(["s1 pending", "s2 pending"]);
    expect(result.status).toBe("completed");
    const hash = await hashPlan(planOf("A", "A"));
    expect(events[1]).toMatchObject({ type: "approval-request", kind: "plan", hash });
    expect(events[2]).toMatchObject({ type: "run-suspend", pending: [{ kind: "plan-approval", hash }] });
    expect(types(events).slice(3, 6)).toEqual(["run-resume", "approval-end", "step-start"]);
  });

  it("is not run if it is rejected", async () => {
    const { result, events } = await runScenario(() => ({
      tools: tools(),
      plan: planOf("A", "A"),
      needsApproval: askForPlan,
      executions: [
        ({ another, runId, result }) =>
          another().reject(runId, { kind: "plan", hash: planHashOf(result) }, { reason: "too bold" }),
      ],
    }));
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "approval-rejected", details: { reason: "too bold" } },
    });
    expect(result.error?.details).not.toHaveProperty("stepId");
    expect(statuses(result)).toEqual(["s1 skipped", "s2 skipped"]);
    expect(types(events)).not.toContain("step-start");
  });

  it.each([
    ["approve", "completed"],
    ["reject", "failed"],
    ["suspend", "suspended"],
  ] as const)("can be decided by requestApproval, which sees it: %s", async (decision, status) => {
    const requests: ApprovalRequest[] = [];
    const { result } = await runScenario(() => ({
      tools: tools(),
      plan: planOf("A"),
      needsApproval: askForPlan,
      requestApproval: async (request) => {
        requests.push(request);
        return decision;
      },
    }));
    expect(result.status).toBe(status);
    expect(requests[0]).toEqual({
      kind: "plan",
      runId: result.runId,
      hash: await hashPlan(planOf("A")),
      plan: result.plan,
    });
  });

  it("takes a decision that a listener makes", async () => {
    const { result, events } = await runScenario(() => ({
      tools: tools(),
      plan: planOf("A"),
      needsApproval: askForPlan,
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind === "plan") agent.approve(event.runId, event);
        });
      },
    }));
    expect(result.status).toBe("completed");
    expect(types(events)).not.toContain("run-suspend");
  });

  it("may also come from the planner, once it is created", async () => {
    const { result, events } = await runScenario(() => ({
      tools: tools(),
      planner: createScriptedPlanner([{ steps: [step("s1", "A", { dependsOn: [] })] }]),
      request: "Do it",
      needsApproval: askForPlan,
      executions: [
        ({ another, runId, result }) => another().approve(runId, { kind: "plan", hash: planHashOf(result) }),
      ],
    }));
    expect(result.status).toBe("completed");
    expect(types(events).slice(0, 5)).toEqual([
      "run-start",
      "plan-start",
      "plan-end",
      "approval-request",
      "run-suspend",
    ]);
  });

  it("still waits in an agent without the policy, and with a wrong hash", async () => {
    const { result } = await runScenario(() => ({
      tools: tools(),
      plan: planOf("A"),
      needsApproval: askForPlan,
      executions: [
        ({ another, runId, result }) => another().approve(runId, { kind: "plan", hash: planHashOf(result) }),
      ],
      act: async ({ agent, handle, clock }) => {
        const { runId } = await clock.runUntil(handle.result);
        const wrong = agent.approve(runId, { kind: "plan", hash: "0".repeat(64) });
        await expect(clock.runUntil(wrong.result)).rejects.toMatchObject({ code: "run-conflict" });
      },
    }));
    expect(result.status).toBe("completed");
  });

  it("is also one whose policy fails, with a warning that names no step", async () => {
    const { result, warnings } = await runScenario(() => ({
      tools: tools(),
      plan: planOf("A"),
      needsApproval: () => {
        throw new Error("no policy today");
      },
    }));
    expect(result.pending).toMatchObject([{ kind: "plan-approval" }]);
    expect(warnings).toMatchObject([
      { code: "approval-failed", message: expect.stringContaining("the plan: needsApproval failed") },
    ]);
  });

  it("does not exempt its steps from their own approval", async () => {
    const { result } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B"),
      needsApproval: askForPlan,
      executions: [
        ({ another, runId, result }) => another().approve(runId, { kind: "plan", hash: planHashOf(result) }),
      ],
    }));
    expect(result.pending).toMatchObject([{ kind: "approval", stepId: "s1" }]);
  });

  it("waits no longer when the run is cancelled", async () => {
    const { result } = await runScenario(() => ({
      tools: tools(),
      plan: planOf("A"),
      needsApproval: () => new Promise<boolean>(() => {}),
      act: async ({ handle, clock }) => {
        await clock.advance(10);
        handle.cancel();
      },
    }));
    expect(result.status).toBe("cancelled");
    expect(statuses(result)).toEqual(["s1 skipped"]);
  });
});

describe("approvedHash", () => {
  it("approves the plan: nobody is asked, except about steps whose tools need approval", async () => {
    const approvedHash = await hashPlan(planOf("A", "B"));
    const { result, events } = await runScenario(() => ({
      tools: [...tools(), askingTool("B")],
      plan: planOf("A", "B"),
      options: { approvedHash },
      needsApproval: askForPlan,
    }));
    expect(statuses(result)).toEqual(["s1 completed", "s2 waiting"]);
    expect(eventTexts(events)).toEqual([
      "run-start",
      "step-start s1",
      "step-end s1",
      "approval-request s2",
      "run-suspend",
    ]);
  });

  it("is kept for the next execution", async () => {
    const approvedHash = await hashPlan(planOf("B", "A"));
    const { result, events } = await runScenario(() => ({
      tools: [...tools(), askingTool("B")],
      plan: planOf("B", "A"),
      options: { approvedHash },
      needsApproval: askForPlan,
      executions: [
        ({ another, runId, result }) => {
          return another().approve(runId, approvalOf(result, "s1"));
        },
      ],
    }));
    expect(result.status).toBe("completed");
    expect(events.filter((event) => event.type === "approval-request" && event.kind === "plan")).toEqual([]);
  });
});

describe("a plan that is revised", () => {
  const failing = () => createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] });
  const planner = () => ({
    ...createScriptedPlanner([planOf("A", "F") as PlanDraft]),
    replan: async () => ({ steps: [step("n1", "A", { dependsOn: [] })] }),
  });

  it("needs approval again", async () => {
    const hashes: string[] = [];
    const { result } = await runScenario(() => {
      hashes.length = 0;
      return {
        isResumable: false,
        tools: [...tools(), failing()],
        planner: planner(),
        request: "Do it",
        options: { maxReplans: 1 },
        needsApproval: askForPlan,
        executions: [1, 2].map(() => ({ another, runId, result }) => {
          hashes.push(planHashOf(result));
          return another({ planner: planner() }).approve(runId, { kind: "plan", hash: planHashOf(result) });
        }),
      };
    });
    expect(result.status).toBe("completed");
    expect(new Set(hashes).size).toBe(2);
    expect(hashes[1]).toBe(await hashPlan(result.plan ?? planOf()));
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "n1 completed"]);
  });

  it("may be rejected: completed steps stay, and it is not revised again", async () => {
    let questions = 0;
    const { result, events } = await runScenario(() => {
      questions = 0;
      return {
        isResumable: false,
        tools: [...tools(), failing()],
        planner: planner(),
        request: "Do it",
        options: { maxReplans: 5 },
        needsApproval: askForPlan,
        requestApproval: async () => (++questions === 1 ? "approve" : "reject"),
      };
    });
    expect(result).toMatchObject({ status: "failed", error: { code: "approval-rejected" } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "n1 skipped"]);
    expect(types(events).filter((type) => type === "plan-revise")).toHaveLength(1);
  });
});
