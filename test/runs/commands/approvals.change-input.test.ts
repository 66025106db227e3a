import { type ApprovalAnswer, defineTool, hashPlan } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { approvalOf, planHashOf, requestOf } from "../../scenario/ask-for-approval.ts";
import { step } from "../../scenario/plans.ts";
import { record, resumeFrom, until } from "../../scenario/resume-from.ts";
import { type AroundExecution, runScenario, type Scenario } from "../../scenario/run-scenario.ts";

/** A tool that needs approval, reports its input, and has effect "once" for large sums. */
function payTool(paid: unknown[] = [], rest: object = {}) {
  return defineTool({
    name: "Pay",
    description: "Pays",
    inputSchema: z.object({ euros: z.number().positive(), to: z.string().default("nobody") }),
    effect: ({ euros }) => (euros > 100 ? "once" : "idempotent"),
    needsApproval: true,
    ...rest,
    execute: (input) => {
      paid.push(input);
      return input;
    },
  });
}

const sum = createFakeTool({ name: "Sum", outcomes: [{ returns: 500 }] });
const steps = [step("a", "Sum"), step("s1", "Pay", { input: { euros: { $ref: "a" }, to: "Ada" } })];
const paying = (paid?: unknown[]): Scenario => ({ tools: [sum, payTool(paid)], plan: { steps } });
const smaller = { euros: 5, to: "Ada" };

/** Approves with another input, as a person whose process has the same store would. */
const approveSmaller = ({ another, runId, result }: AroundExecution) =>
  another().approve(runId, approvalOf(result, "s1"), { input: smaller, by: "ada", comment: "less will do" });

describe("an approver", () => {
  it("may give a name and a comment, which appear in the events and in the result", async () => {
    const said = { by: "ada", comment: "fine" };
    const { result, events } = await runScenario(() => ({
      ...paying(),
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1"), said)],
    }));
    const { hash } = requestOf(events);
    expect(events.find(({ type }) => type === "approval-end")).toMatchObject({
      outcome: { status: "approved", ...said },
    });
    expect(result.approvals).toEqual([
      { kind: "step", stepId: "s1", status: "approved", hash, decidedAt: expect.any(String), ...said },
    ]);
  });

  it("rejects a step of a loop, or the plan, for the reason in the comment", async () => {
    const comment = "not today";
    const { result } = await runScenario(() => ({
      tools: [payTool()],
      plan: { steps: [step("s1", "Pay", { forEach: "[1, 2]", input: { euros: { $ref: "item" } } })] },
      executions: [({ another, runId, result }) => another().reject(runId, approvalOf(result, "s1", 1), { comment })],
    }));
    expect(result.error).toMatchObject({ code: "approval-rejected", details: { reason: comment } });
    expect(result.approvals).toMatchObject([{ kind: "step", stepId: "s1", iteration: 1, status: "rejected", comment }]);
    const plan = await runScenario(() => ({
      ...paying(),
      needsApproval: ({ kind }) => kind === "plan",
      executions: [
        ({ another, runId, result }) =>
          another().reject(
            runId,
            { kind: "plan", hash: planHashOf(result) },
            { by: "ada", reason: "too dear", comment },
          ),
      ],
    }));
    expect(plan.result.error).toMatchObject({ details: { reason: "too dear" } });
    expect(plan.result.approvals).toMatchObject([{ kind: "plan", status: "rejected", by: "ada", comment }]);
  });

  it("leaves no trace if nobody has decided", async () => {
    const { result } = await runScenario(() => paying());
    expect(result).not.toHaveProperty("approvals");
  });
});

describe("an approver who changes the input", () => {
  it("has the step run with that input, under its own hash and effect", async () => {
    const paid: unknown[] = [];
    const { result, events } = await runScenario(() => {
      paid.length = 0;
      return { ...paying(paid), executions: [approveSmaller], isResumable: false };
    });
    expect(result).toMatchObject({ status: "completed", output: smaller });
    expect(paid.at(-1)).toEqual(smaller);
    expect(result.steps[1]).toMatchObject({ input: smaller, effect: "idempotent" });
    expect(result.approvals).toMatchObject([{ stepId: "s1", status: "approved", by: "ada", input: smaller }]);
    expect(events.find(({ type }) => type === "approval-request")).toMatchObject({
      input: { euros: 500 },
      effect: "once",
    });
    const end = events.find(({ type }) => type === "approval-end");
    expect(end).toMatchObject({ outcome: { changed: { input: smaller, effect: "idempotent" } } });
    expect(JSON.stringify(end)).not.toContain(requestOf(events).hash);
  });

  it("passes a literal value: nothing in it is a reference", async () => {
    const { result } = await runScenario(() => ({
      ...paying(),
      executions: [
        ({ another, runId, result }) =>
          another().approve(runId, approvalOf(result, "s1"), { input: { euros: 1, to: "${a}" } }),
      ],
    }));
    expect(result.output).toEqual({ euros: 1, to: "${a}" });
  });

  it("can do so while the run is executing, and through the answer of requestApproval", async () => {
    const answer: ApprovalAnswer = { decision: "approve", by: "rule 7", input: smaller };
    const inline = await runScenario(() => ({ ...paying(), requestApproval: async () => answer }));
    expect(inline.result).toMatchObject({ status: "completed", output: smaller, approvals: [{ by: "rule 7" }] });
    const live = await runScenario(() => ({
      ...paying(),
      act: ({ agent }) => {
        agent.on("approval-request", (event) => void agent.approve(event.runId, event, { input: smaller }));
      },
    }));
    expect(live.result).toMatchObject({ status: "completed", output: smaller });
    expect(live.recorded.filter(({ type }) => type === "run-suspend")).toHaveLength(0);
  });

  it("approves the step unchanged by returning its own input", async () => {
    const { result, events } = await runScenario(() => ({
      ...paying(),
      executions: [
        ({ another, runId, result }) => {
          const item = approvalOf(result, "s1");
          return another().approve(runId, item, { input: { to: "Ada", euros: 500 } });
        },
      ],
    }));
    expect(result.output).toMatchObject({ euros: 500 });
    expect(events.find(({ type }) => type === "approval-end")).not.toHaveProperty("outcome.changed");
  });

  it("changes nothing by repeating it; another input, or none, is a conflict", async () => {
    const outcomes: unknown[] = [];
    await runScenario(() => {
      outcomes.length = 0;
      return {
        ...paying(),
        isResumable: false,
        executions: [
          (around) => {
            const handle = approveSmaller(around);
            const item = approvalOf(around.result, "s1");
            const agent = around.another();
            const again = async (input?: object) => {
              await handle.result;
              const { result } = agent.approve(around.runId, item, input && { input });
              return result.then(({ status }) => status).catch(({ code }: { code: string }) => code);
            };
            outcomes.push(again(smaller), again({ ...smaller, euros: 6 }), again());
            return handle;
          },
        ],
      };
    });
    expect(await Promise.all(outcomes)).toEqual(["completed", "run-conflict", "run-conflict"]);
  });

  it.each([
    ["does not fit", { euros: -1 }, "invalid-tool-input", /euros/],
    ["has a key that the tool does not know", { euros: 1, too: "Ben" }, "invalid-tool-input", /no such input/],
  ] as const)("is refused an input that %s, and nothing is recorded", async (_what, input, code, message) => {
    const refused: unknown[] = [];
    const { result } = await runScenario(() => ({
      ...paying(),
      isResumable: false,
      executions: [
        ({ another, runId, result }) => {
          const item = approvalOf(result, "s1");
          const wrong = another().approve(runId, item, { input });
          refused.push(wrong.result.catch((error: unknown) => error));
          const after = wrong.result.catch(() => {}).then(() => another().approve(runId, item).result);
          return { ...wrong, result: after as typeof wrong.result };
        },
      ],
    }));
    for (const error of await Promise.all(refused)) {
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    }
    expect(result).toMatchObject({ status: "completed", output: { euros: 500 } });
  });

  it("is refused under approvedHash, which fixes what runs", async () => {
    const refused: unknown[] = [];
    const { result } = await runScenario(() => ({ ...paying(), isResumable: false }));
    const approvedHash = await hashPlan(result.plan ?? { steps: [] });
    const held = await runScenario(() => ({
      ...paying(),
      plan: result.plan as NonNullable<typeof result.plan>,
      options: { approvedHash },
      isResumable: false,
      executions: [
        ({ another, runId, result }) => {
          const item = approvalOf(result, "s1");
          const wrong = another().approve(runId, item, { input: smaller });
          refused.push(wrong.result.catch((error: unknown) => error));
          return another().approve(runId, item);
        },
      ],
    }));
    expect(held.result.status).toBe("completed");
    for (const error of await Promise.all(refused))
      expect(error).toMatchObject({ code: "run-conflict", message: expect.stringContaining("approvedHash") });
  });

  it("is refused once the tool was called, as the idempotency key stands for the input it had", async () => {
    const free = () => createFakeTool({ name: "B", outcomes: [{ returns: 1 }] });
    const { recorded } = await record(() => ({ tools: [free()], plan: { steps: [step("s1", "B")] } }));
    const errors: unknown[] = [];
    const { result } = await resumeFrom(
      until(recorded, "step-start s1"),
      () => ({ tools: [free()], needsApproval: ({ kind }) => kind === "step" }),
      async ({ agent, runId, clock }) => {
        const item = approvalOf(await clock.runUntil(agent.resume(runId)), "s1");
        errors.push(await agent.approve(runId, item, { input: { other: 1 } }).result.catch((error: unknown) => error));
        return agent.approve(runId, item).result;
      },
    );
    expect(result).toMatchObject({ status: "completed", steps: [{ attempts: 2, input: {} }] });
    for (const error of errors)
      expect(error).toMatchObject({ code: "run-conflict", message: expect.stringContaining("idempotencyKey") });
  });

  it("makes the step fail if the tool no longer accepts that input", async () => {
    const { recorded } = await record(() => ({ ...paying(), executions: [approveSmaller] }));
    const picky = () => payTool([], { inputSchema: z.object({ euros: z.number().min(10), to: z.string() }) });
    const { result } = await resumeFrom(until(recorded, "approval-end s1"), () => ({ tools: [sum, picky()] }));
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid-tool-input" } });
    expect(result.steps[1]).toMatchObject({ input: smaller, attempts: 0 });
  });

  it("is asked again if the tool's effect has changed by then", async () => {
    const { recorded } = await record(() => ({ ...paying(), executions: [approveSmaller] }));
    const careful = () => payTool([], { effect: () => "once" });
    const { result } = await resumeFrom(until(recorded, "approval-end s1"), () => ({ tools: [sum, careful()] }));
    expect(result.pending).toMatchObject([{ kind: "approval", stepId: "s1", input: smaller, effect: "once" }]);
  });

  it("is refused if no tool can be checked: its effect throws, or it is gone", async () => {
    const { recorded, result } = await record(() => paying());
    const item = approvalOf(result, "s1");
    const codeOf = async (tools: Scenario["tools"], input: object) => {
      const codes: unknown[] = [];
      await resumeFrom(
        recorded,
        () => ({ tools }),
        async ({ agent, runId }) => {
          codes.push(await agent.approve(runId, item, { input }).result.catch((error: unknown) => error));
          return result;
        },
      );
      return codes;
    };
    const unsure = payTool([], {
      effect: () => {
        throw new Error("no idea");
      },
    });
    for (const error of await codeOf([sum, unsure], smaller)) expect(error).toMatchObject({ code: "tool-failed" });
    for (const error of await codeOf([sum], smaller)) expect(error).toMatchObject({ code: "resume-mismatch" });
  });
});
