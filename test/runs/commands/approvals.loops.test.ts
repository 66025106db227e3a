import type { PlanStep } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { step } from "../../scenario/plans.ts";
import { runScenario, type Scenario } from "../../scenario/run-scenario.ts";

const looped = {
  steps: [step("s1", "B", { forEach: "[10, 20, 30]", input: { of: { $ref: "item" } }, dependsOn: [] })],
};

describe("iterations that need approval", () => {
  it("are approved one by one", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B", { outcomes: [{ returns: 1 }] })],
      plan: looped,
      executions: [1, 0, 2].map(
        (iteration) =>
          ({ another, runId, result }) =>
            another().approve(runId, approvalOf(result, "s1", iteration)),
      ),
    }));
    expect(result).toMatchObject({ status: "completed", output: [1, 1, 1] });
    expect(events.filter(({ type }) => type === "approval-request")).toMatchObject([
      { iteration: 0, iterations: 3, input: { of: 10 } },
      { iteration: 1, iterations: 3, input: { of: 20 } },
      { iteration: 2, iterations: 3, input: { of: 30 } },
    ]);
    expect(events.find(({ type }) => type === "run-suspend")).toMatchObject({
      pending: [
        { iteration: 0, tool: "B", input: { of: 10 }, effect: "idempotent" },
        { iteration: 1, tool: "B", input: { of: 20 }, effect: "idempotent" },
        { iteration: 2, tool: "B", input: { of: 30 }, effect: "idempotent" },
      ],
    });
    expect(eventTexts(events).filter((text) => text.startsWith("step-start"))).toEqual([
      "step-start s1[1]",
      "step-start s1[0]",
      "step-start s1[2]",
    ]);
  });

  it("need the right iteration and the right hash", async () => {
    const codes: string[] = [];
    const { result } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: looped,
      act: async ({ agent, handle, clock }) => {
        const result = await clock.runUntil(handle.result);
        const { hash } = approvalOf(result, "s1", 0);
        for (const iteration of [undefined, 1, 3]) {
          const { result } = agent.approve(handle.runId, { kind: "step", stepId: "s1", hash, iteration });
          await clock.runUntil(result).catch(({ code }) => codes.push(code));
        }
      },
    }));
    expect(codes).toEqual(Array.from({ length: 6 }, () => "run-conflict"));
    expect(result.pending).toMatchObject([{ iteration: 0 }, { iteration: 1 }, { iteration: 2 }]);
  });

  it("are rejected one by one: the run fails, and the others are skipped", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: looped,
      executions: [
        ({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1", 0)),
        ({ another, runId, result }) => another().reject(runId, approvalOf(result, "s1", 1)),
      ],
    }));
    expect(result.error).toMatchObject({ code: "approval-rejected", details: { stepId: "s1", iteration: 1 } });
    expect(statuses(result)).toEqual(["s1 completed", "s1 skipped", "s1 skipped"]);
    expect(events.filter(({ type }) => type === "step-skip")).toMatchObject([
      { iteration: 1, reason: "approval-rejected" },
      { iteration: 2, reason: "run-ended" },
    ]);
  });

  it("are undone one by one, if they were completed", async () => {
    const keys: string[] = [];
    const { result } = await runScenario(() => {
      keys.length = 0;
      const undo = (_done: unknown, { idempotencyKey }: { idempotencyKey: string }) => keys.push(idempotencyKey);
      return {
        isResumable: false,
        tools: [{ ...askingTool("B"), undo }],
        plan: looped,
        options: { undoOnFailure: true },
        executions: [
          ({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1", 2)),
          ({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1", 0)),
          ({ another, runId, result }) => another().reject(runId, approvalOf(result, "s1", 1)),
        ],
      };
    });
    expect(keys).toEqual([`${result.runId}/s1[0]/undo`, `${result.runId}/s1[2]/undo`]);
    expect(statuses(result)).toEqual(["s1 undone", "s1 skipped", "s1 undone"]);
  });

  it("are approved from a listener while others wait", async () => {
    const { result } = await runScenario(() => ({
      tools: [askingTool("B", { outcomes: [{ returns: 1 }] })],
      plan: looped,
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind !== "step" || event.iteration === undefined) return;
          agent.approve(event.runId, event);
        });
      },
    }));
    expect(result.status).toBe("completed");
  });
});

/** A run that is replanned while the iteration with 20 or 30 waits. */
function revised(waiting: number, answer: PlanStep, onUndo: (key: string) => void = () => {}): Scenario {
  const failing = createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] });
  const tool = {
    ...createFakeTool({ name: "B", outcomes: [{ returns: 1 }] }),
    needsApproval: (input: unknown) => (input as { of: number }).of === waiting,
    undo: (_done: unknown, { idempotencyKey }: { idempotencyKey: string }) => onUndo(idempotencyKey),
  };
  const plan = () => ({ steps: [...looped.steps, step("f", "F", { dependsOn: [] })] });
  return {
    tools: [tool, failing, createFakeTool({ name: "A" })],
    planner: { name: "p", plan, replan: () => ({ steps: [answer] }) },
    request: "Do it",
    options: { maxReplans: 1, replanTools: ["A"], undoOnFailure: true },
  };
}

describe.each([
  [20, 1],
  [30, 2],
])("a loop whose iteration with %i waits as the run is replanned", (waiting, index) => {
  const done = [0, 1, 2].filter((other) => other !== index);
  const loop = (rest: string) => [0, 1, 2].map((other) => (other === index ? "s1 skipped" : `s1 ${rest}`));

  it("keeps its completed iterations, and waits no longer", async () => {
    const { result, events } = await runScenario(() => revised(waiting, step("n1", "A", { dependsOn: [] })));
    expect(result.status).toBe("completed");
    expect(statuses(result)).toEqual([...loop("completed"), "f failed", "n1 completed"]);
    expect(eventTexts(events)).toContain(`step-skip s1[${index}]`);
  });

  it("is undone with the rest", async () => {
    const keys: string[] = [];
    const { result } = await runScenario(() => {
      keys.length = 0;
      const scenario = revised(waiting, step("n1", "F", { dependsOn: [] }), (key) => keys.push(key));
      return { ...scenario, isResumable: false };
    });
    expect(result.status).toBe("failed");
    expect(keys).toEqual([...done].reverse().map((other) => `${result.runId}/s1[${other}]/undo`));
    expect(statuses(result)).toEqual([...loop("undone"), "f failed", "n1 failed"]);
  });

  it("keeps its id reserved", async () => {
    const { events } = await runScenario(() => revised(waiting, step("s1", "A", { dependsOn: [] })));
    expect(events.find(({ type }) => type === "plan-revise")).toMatchObject({
      outcome: { status: "failed", error: { code: "invalid-plan" } },
    });
  });
});
