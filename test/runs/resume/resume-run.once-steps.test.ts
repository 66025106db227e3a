import { defineTool, type Tool } from "planwright";
import { createFakeTool, type FakeOutcome, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { type Resume, record, resumeFrom } from "../../scenario/resume-from.ts";
import type { Scenario } from "../../scenario/run-scenario.ts";

/** A tool that must run only once, and its calls. */
interface Payment {
  readonly tool: Tool;
  readonly calls: unknown[];
}

type Paying = (attempt: number, signal: AbortSignal) => unknown;

/** Pays; its effect is fixed or depends on the input. */
function payment(pay: Paying, effect: "once" | "by-input" = "once"): Payment {
  const calls: unknown[] = [];
  const tool = defineTool({
    name: "Pay",
    description: "Pays",
    inputSchema: z.looseObject({}),
    outputSchema: z.looseObject({ paid: z.boolean() }),
    effect: effect === "once" ? "once" : () => "once",
    retry: { maxAttempts: 2 },
    timeoutMs: 50,
    execute: async (input, { attempt, signal }) => {
      calls.push(input);
      return (await pay(attempt, signal)) as { paid: boolean };
    },
  });
  return { tool, calls };
}

const lost = () => {
  throw new Error("the answer was lost");
};
const declined = () => {
  throw Object.assign(new Error("declined"), { retryable: false });
};
const paid = () => ({ paid: true });
const nothingHappened = () => {
  throw Object.assign(new Error("busy"), { retryable: true });
};

const after = (outcome: FakeOutcome = { returns: 1 }) => createFakeTool({ name: "A", outcomes: [outcome] });

/** Lets a run fail at its payment, and resumes it in another process, where the payment would succeed. */
async function failedThen(pay: Paying, resume?: Resume, rest: Partial<Scenario> & { effect?: "by-input" } = {}) {
  const { effect, ...scenario } = rest;
  const first = payment(pay, effect);
  const played = await record(() => ({
    tools: [first.tool, after()],
    plan: planOf("Pay", "A"),
    ...scenario,
  }));
  let second = payment(paid, effect);
  const create = (_clock: ManualClock) => {
    second = payment(paid, effect);
    return { tools: [second.tool, after()] };
  };
  const resumed = await resumeFrom(played.recorded, create, resume);
  return { failed: played.result, resumed, calls: () => second.calls.length };
}

const outcome = (error: object) => ({
  status: "suspended",
  pending: [{ kind: "outcome", stepId: "s1", error }],
  steps: [{ status: "unknown", attempts: 1 }, { status: "pending" }],
});

describe("a run that has failed at a once step", () => {
  it.each<[string, Paying, string]>([
    ["threw, so that its answer may be lost", lost, "tool-failed"],
    ["threw an error that is not retryable", declined, "tool-failed"],
    ["returned an output that is not valid", () => ({ paid: "yes" }), "invalid-tool-output"],
    ["returned an output that is not JSON", () => ({ paid: true, at: 1n }), "invalid-tool-output"],
  ])("whose tool %s waits for its outcome when it is resumed", async (_name, pay, code) => {
    for (const effect of [undefined, "by-input"] as const) {
      const { failed, resumed, calls } = await failedThen(pay, undefined, { ...(effect && { effect }) });
      expect(failed).toMatchObject({ status: "failed", error: { code } });
      expect(statuses(failed)).toEqual(["s1 failed", "s2 skipped"]);
      expect(resumed.result).toMatchObject(outcome({ code }));
      expect(eventTexts(resumed.events)).toEqual(["run-resume", "run-suspend"]);
      expect(calls()).toBe(0);
    }
  });

  it("runs it again if somebody allows it, with the next attempt number", async () => {
    const { resumed, calls } = await failedThen(lost, async ({ agent, runId }) => {
      await agent.resume(runId);
      expect((await agent.resume(runId)).status).toBe("suspended");
      return agent.settle(runId, "s1", { retry: true }).result;
    });
    expect(resumed.result).toMatchObject({ status: "completed", steps: [{ attempts: 2 }, { attempts: 1 }] });
    expect(calls()).toBe(1);
  });

  it("continues with the outcome that somebody reports", async () => {
    const { resumed, calls } = await failedThen(lost, async ({ agent, runId }) => {
      await agent.resume(runId);
      return agent.settle(runId, "s1", { output: { paid: true } }).result;
    });
    expect(resumed.result).toMatchObject({ status: "completed", steps: [{ output: { paid: true } }, {}] });
    expect(calls()).toBe(0);
  });

  it("fails again if somebody reports that it failed, and resumeAll does not resume it", async () => {
    const { resumed, calls } = await failedThen(lost, async ({ agent, runId }) => {
      await agent.resume(runId);
      expect((await agent.settle(runId, "s1", { failed: "no such payment" }).result).status).toBe("failed");
      expect(await agent.resumeAll()).toEqual([]);
      return agent.resume(runId);
    });
    expect(resumed.result).toMatchObject(outcome({ message: "no such payment" }));
    expect(calls()).toBe(0);
  });

  it("runs it again if its last error states that nothing happened", async () => {
    const { failed, resumed, calls } = await failedThen(nothingHappened);
    expect(failed).toMatchObject({ status: "failed", steps: [{ attempts: 2 }, {}] });
    expect(resumed.result).toMatchObject({ status: "completed", steps: [{ attempts: 3 }, {}] });
    expect(calls()).toBe(1);
  });

  it("runs it again if it timed out and its tool states that nothing happened", async () => {
    const slow: Paying = (_attempt, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(Object.assign(new Error("not sent"), { retryable: true }))),
      );
    const { failed, resumed } = await failedThen(slow);
    expect(failed).toMatchObject({ status: "failed", error: { code: "timeout", cause: { message: "not sent" } } });
    expect(resumed.result).toMatchObject({ status: "completed", steps: [{ attempts: 3 }, {}] });
  });

  it("runs it if it never reached its tool", async () => {
    const scenario = { options: { budget: { toolCalls: 1 } }, plan: planOf("A", "Pay") } as const;
    const { failed, resumed, calls } = await failedThen(paid, undefined, scenario);
    expect(failed).toMatchObject({ error: { code: "limit-exceeded" }, steps: [{}, { attempts: 0 }] });
    // The budget is still used up: it fails again, and waits for nobody.
    expect(resumed.result).toMatchObject({ status: "failed", error: { code: "limit-exceeded" } });
    expect(calls()).toBe(0);
  });

  it("does not run it again when its deadline passes while its tool throws", async () => {
    const late: Paying = (_attempt, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("lost")), { once: true }),
      );
    const { failed, resumed, calls } = await failedThen(late, undefined, { options: { timeoutMs: 20 } });
    expect(failed).toMatchObject({ status: "failed", steps: [{ status: "unknown" }, {}] });
    expect(resumed.result.status).toBe("suspended");
    expect(calls()).toBe(0);
  });

  it("waits for each iteration that failed this way, and runs the others", async () => {
    const pay = (_attempt: number, _signal: AbortSignal) => lost();
    const steps = [step("s1", "Pay", { forEach: "[1, 2]" }), step("s2", "A")];
    const scenario = { plan: { steps }, options: { onStepFailure: "continue" } } as const;
    const { failed, resumed, calls } = await failedThen(
      pay,
      async ({ agent, runId }) => {
        const first = await agent.resume(runId);
        expect(first.pending).toMatchObject([{ iteration: 0 }, { iteration: 1 }]);
        expect((await agent.settle(runId, "s1", { iteration: 0, output: { paid: true } }).result).status).toBe(
          "suspended",
        );
        return agent.settle(runId, "s1", { iteration: 1, retry: true }).result;
      },
      scenario,
    );
    expect(statuses(failed)).toEqual(["s1 failed", "s1 failed", "s2 skipped"]);
    expect(statuses(resumed.result)).toEqual(["s1 completed", "s1 completed", "s2 completed"]);
    expect(resumed.result.status).toBe("completed");
    expect(calls()).toBe(1);
  });

  it("waits for the one iteration that failed this way, before the iterations that were left", async () => {
    const steps = [step("s1", "Pay", { forEach: "[1, 2, 3]" }), step("s2", "A")];
    const { failed, resumed, calls } = await failedThen(
      lost,
      async ({ agent, runId }) => {
        expect((await agent.resume(runId)).pending).toMatchObject([{ iteration: 0 }]);
        return agent.settle(runId, "s1", { iteration: 0, output: { paid: true } }).result;
      },
      { plan: { steps } },
    );
    expect(statuses(failed)).toEqual(["s1 failed", "s1 skipped", "s1 skipped", "s2 skipped"]);
    expect(resumed.result.status).toBe("completed");
    expect(calls()).toBe(2);
  });

  it("is in doubt when it is to be undone", async () => {
    const { failed } = await failedThen(lost, undefined, { options: { undoOnFailure: true } });
    expect(failed.notUndone).toEqual([{ stepId: "s1", tool: "Pay", reason: "unknown" }]);
  });
});
