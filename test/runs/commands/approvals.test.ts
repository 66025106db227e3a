import { createHash } from "node:crypto";
import { type ApprovalQuestion, createAgent, defineTool } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { approvalOf, askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A tool that needs approval as specified. */
function spender(
  needsApproval: boolean | ((input: { euros: number }) => boolean | Promise<boolean>),
  rest: object = {},
) {
  return defineTool({
    name: "Spend",
    description: "Spends money",
    inputSchema: z.object({ euros: z.number().default(1) }),
    effect: "idempotent",
    needsApproval,
    execute: ({ euros }) => ({ euros }),
    ...rest,
  });
}

const spend = (euros?: number) => ({ steps: [step("s1", "Spend", { input: euros === undefined ? {} : { euros } })] });

describe("the approval of a step", () => {
  it.each([
    ["by a flag", true],
    ["by a function", ({ euros }: { euros: number }) => euros > 10],
    ["by an async function", async ({ euros }: { euros: number }) => euros > 10],
  ] as const)("is required %s", async (_how, needsApproval) => {
    const { result } = await runScenario(() => ({ tools: [spender(needsApproval)], plan: spend(11) }));
    expect(result.status).toBe("suspended");
    expect(statuses(result)).toEqual(["s1 waiting"]);
    expect(result.steps[0]).toMatchObject({ attempts: 0, input: { euros: 11 } });
    expect(result.steps[0]).not.toHaveProperty("startedAt");
  });

  it.each([
    ["by a flag", false],
    ["by a function", ({ euros }: { euros: number }) => euros > 10],
    ["by an async function of its parsed input", async ({ euros }: { euros: number }) => euros !== 1],
  ] as const)("is not required %s", async (_how, needsApproval) => {
    const { result, events } = await runScenario(() => ({ tools: [spender(needsApproval)], plan: spend() }));
    expect(result.status).toBe("completed");
    expect(eventTexts(events)).toEqual(["run-start", "step-start s1", "step-end s1", "run-end"]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no idea");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no idea"))],
  ] as const)("is required if the tool's function %s, with a warning", async (_how, needsApproval) => {
    const { result, warnings } = await runScenario(() => ({ tools: [spender(needsApproval)], plan: spend(1) }));
    expect(result.status).toBe("suspended");
    expect(warnings).toMatchObject([
      { code: "approval-failed", stepId: "s1", runId: result.runId, message: expect.stringContaining("no idea") },
    ]);
  });

  it("is required only for a valid input, as parsed by the schema", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: "many" }] }), spender(true)],
      plan: { steps: [step("a", "A"), step("s1", "Spend", { input: { euros: { $ref: "a" } } })] },
    }));
    expect(result.error?.code).toBe("invalid-tool-input");
    expect(eventTexts(events)).not.toContain("approval-request s1");
  });

  it.each(["pure", "once", "idempotent"] as const)("is required whatever its effect, such as %s", async (effect) => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B", { effect })],
      plan: planOf("B"),
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1"))],
    }));
    expect(result.steps).toMatchObject([{ status: "completed", effect, attempts: 1 }]);
    expect(events.find(({ type }) => type === "approval-request")).toMatchObject({ effect });
  });
});

describe("the agent's policy", () => {
  it("is asked about each step before it starts, with all that is known of it", async () => {
    const questions: ApprovalQuestion[] = [];
    const { result } = await runScenario(() => {
      questions.length = 0;
      return {
        isResumable: false,
        tools: [createFakeTool({ name: "A", effect: "once", outcomes: [{ returns: 7 }] })],
        plan: {
          steps: [step("s1", "A"), step("s2", "A", { input: { of: { $ref: "s1" } }, reasoning: "Because" })],
        },
        needsApproval: (question) => {
          questions.push(question);
          return false;
        },
      };
    });
    expect(result.status).toBe("completed");
    expect(questions).toMatchObject([
      { kind: "plan", runId: result.runId, plan: { steps: [{ id: "s1" }, { id: "s2" }] } },
      { kind: "step", runId: result.runId, stepId: "s1", tool: "A", input: {}, effect: "once" },
      { kind: "step", stepId: "s2", tool: "A", input: { of: 7 }, effect: "once", reasoning: "Because" },
    ]);
  });

  it("asks for steps that the tool does not ask about, and not twice for the others", async () => {
    const asked: string[] = [];
    const { result } = await runScenario(() => {
      asked.length = 0;
      return {
        isResumable: false,
        tools: [createFakeTool({ name: "A" }), askingTool("B")],
        plan: { steps: [step("s1", "A", { dependsOn: [] }), step("s2", "B", { dependsOn: [] })] },
        needsApproval: async (question) => {
          if (question.kind === "step") asked.push(question.stepId);
          return question.kind === "step";
        },
      };
    });
    expect(statuses(result)).toEqual(["s1 waiting", "s2 waiting"]);
    expect(asked).toEqual(["s1"]);
  });

  it("lets nothing through if it fails", async () => {
    const { result, warnings } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      plan: planOf("A"),
      needsApproval: ({ kind }) => {
        if (kind === "plan") return false;
        throw new TypeError("oops");
      },
    }));
    expect(result.pending).toMatchObject([{ kind: "approval", stepId: "s1" }]);
    expect(warnings).toMatchObject([{ code: "approval-failed", stepId: "s1", runId: result.runId }]);
    expect(warnings[0]?.message).toContain(`Run ${result.runId}, step "s1": needsApproval failed`);
  });

  it.each(["tool", "policy"] as const)("does not block a cancelled run if the %s never answers", async (who) => {
    const never = () => new Promise<boolean>(() => {});
    const { result } = await runScenario(() => ({
      tools: [who === "tool" ? spender(never) : createFakeTool({ name: "Spend" })],
      plan: spend(1),
      ...(who === "policy" && { needsApproval: ({ kind }) => (kind === "plan" ? false : never()) }),
      act: async ({ handle, clock }) => {
        await clock.advance(10);
        handle.cancel("enough");
      },
    }));
    expect(result).toMatchObject({ status: "cancelled", steps: [{ status: "skipped", attempts: 0 }] });
  });
});

describe("a request for approval", () => {
  it("comes before the step starts, with the hash of the call as canonical JSON", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: "é" }] }), askingTool("B", { effect: "once" })],
      plan: {
        steps: [step("a", "A"), step("b", "B", { input: { z: 1, a: { $ref: "a" } }, reasoning: "It is asked for" })],
      },
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "b"))],
    }));
    const hash = sha256(`{"effect":"once","input":{"a":"é","z":1},"runId":"${result.runId}","stepId":"b","tool":"B"}`);
    expect(events.find(({ type }) => type === "approval-request")).toMatchObject({
      kind: "step",
      stepId: "b",
      tool: "B",
      input: { z: 1, a: "é" },
      hash,
      effect: "once",
      reasoning: "It is asked for",
    });
    const asked = { stepId: "b", tool: "B", input: { z: 1, a: "é" }, effect: "once", reasoning: "It is asked for" };
    expect(events.find(({ type }) => type === "run-suspend")).toMatchObject({
      pending: [{ kind: "approval", ...asked, hash }],
    });
    expect(eventTexts(events).slice(3)).toEqual([
      "approval-request b",
      "run-suspend",
      "run-resume",
      "approval-end b",
      "step-start b",
      "step-end b",
      "run-end",
    ]);
    expect(result.status).toBe("completed");
  });

  it("does not hold up other steps, except its dependents", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" }), askingTool("B")],
      plan: {
        steps: [
          step("b", "B", { dependsOn: [] }),
          step("after", "A", { dependsOn: ["b"] }),
          step("a1", "A", { dependsOn: [] }),
          step("a2", "A", { dependsOn: ["a1"] }),
        ],
      },
    }));
    expect(statuses(result)).toEqual(["b waiting", "after pending", "a1 completed", "a2 completed"]);
    expect(eventTexts(events).at(-1)).toBe("run-suspend");
  });

  it("is dropped if the run fails: waiting steps are skipped", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: { retryable: false } }] }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
    }));
    expect(result.status).toBe("failed");
    expect(statuses(result)).toEqual(["b skipped", "a failed"]);
  });

  it("is kept if failures do not stop the run, which fails in the end", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: { retryable: false } }] }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      options: { onStepFailure: "continue" },
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "b"))],
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(statuses(result)).toEqual(["b completed", "a failed"]);
  });
});

it("an agent without a run to decide about reports run-not-found", async () => {
  const noHash = "0".repeat(64);
  const agent = createAgent({ tools: [askingTool("B")] });
  const handle = agent.approve("nothing", { kind: "step", stepId: "s1", hash: noHash });
  await expect(handle.result).rejects.toMatchObject({ code: "run-not-found", details: { runId: "nothing" } });
  const rejecting = agent.reject("nothing", { kind: "plan", hash: noHash });
  await expect(rejecting.result).rejects.toMatchObject({ code: "run-not-found" });
  await expect(handle.events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "run-not-found" });
});
