import type { ReplanRequest } from "planwright";
import { createFakeTool, type FakeOutcome, type FakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { runTimeout } from "../../../src/runs/run/run-errors.ts";
import { approvalOf, askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { type ResumeScenario, record, resumeFrom, until } from "../../scenario/resume-from.ts";
import type { Scenario } from "../../scenario/run-scenario.ts";
import { added, replanner, revisions, steps } from "../../scenario/scripted-replanner.ts";

const fake = (name: string, ...outcomes: FakeOutcome[]) => createFakeTool({ name, outcomes });
const works = (name = "A") => fake(name, { returns: name });
const broken = { throws: { message: "broken", retryable: false } } as const;
const fails = (name = "F") => fake(name, broken);
const mended = (name = "F") => fake(name, { returns: "mended" });

/** A tool that requires more than the plan provides. */
const strict = (name: string) => ({ ...works(name), inputSchema: z.object({ to: z.string() }) as never });

/** Lets a run fail, and resumes it with tools of the same names. */
async function failedThen(
  create: () => Scenario,
  tools: () => readonly FakeTool[],
  rest: Partial<ResumeScenario> = {},
) {
  const { recorded, result } = await record(create);
  expect(result.status).toBe("failed");
  let used: readonly FakeTool[] = [];
  const resumed = await resumeFrom(recorded, () => {
    used = tools();
    return { ...rest, tools: used };
  });
  return { ...resumed, failed: result, calls: () => used.map(({ calls }) => calls.length) };
}

describe("a run that has failed", () => {
  it("resumes with the step that failed, and the steps that waited for it", async () => {
    const { result, events, calls } = await failedThen(
      () => ({ tools: [works(), fails()], plan: planOf("A", "F", "A") }),
      () => [works(), mended()],
    );
    expect(result).toMatchObject({ status: "completed", output: "A" });
    expect(result).not.toHaveProperty("error");
    expect(calls()).toEqual([1, 1]);
    expect(events[0]).toMatchObject({ type: "run-resume", retriesFailed: true });
    expect(eventTexts(events).slice(1)).toEqual([
      "step-start s2",
      "step-end s2",
      "step-start s3",
      "step-end s3",
      "run-end",
    ]);
    for (const one of result.steps) expect(one).not.toHaveProperty("reason");
  });

  it("fails because a step was rejected, even if its deadline passed first", async () => {
    const create = (): Scenario => ({
      tools: [askingTool("A")],
      plan: planOf("A"),
      requestApproval: async () => "reject",
      options: { timeoutMs: 10 },
    });
    const { recorded } = await record(create);
    const error = runTimeout(10).toJSON();
    const outOfTime = recorded.map((event) => {
      if (event.type === "step-skip") return { ...event, reason: "run-ended" } as const;
      return event.type === "run-end" ? ({ ...event, outcome: { status: "failed", error } } as const) : event;
    });
    const { result } = await resumeFrom(outOfTime, () => ({ tools: create().tools }));
    const refusal = { code: "approval-rejected" };
    expect(result).toMatchObject({ status: "failed", error: refusal, steps: [{ status: "skipped", error: refusal }] });
  });

  it("fails again if nothing was fixed, as often as it is resumed", async () => {
    const create = () => ({ tools: [works(), fails()], plan: planOf("A", "F", "A") });
    const { recorded, result } = await record(create);
    const resumed = await resumeFrom(
      recorded,
      () => ({ tools: create().tools }),
      async ({ agent, runId }) => {
        const first = await agent.resume(runId);
        expect(statuses(first)).toEqual(statuses(result));
        return agent.resume(runId);
      },
    );
    expect(resumed.result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(eventTexts(resumed.events).filter((one) => one === "step-start s2")).toHaveLength(2);
  });

  it("retries all failed steps at once, if failures do not stop it", async () => {
    const create = (): Scenario => ({
      tools: [works(), fails(), fails("G")],
      plan: {
        steps: [
          step("f", "F", { dependsOn: [] }),
          step("g", "G", { dependsOn: [] }),
          step("a", "A", { dependsOn: [] }),
          step("b", "A", { dependsOn: ["f", "g"] }),
        ],
      },
      options: { concurrency: 3, onStepFailure: "continue" },
    });
    const { result, calls, failed } = await failedThen(create, () => [works(), mended(), mended("G")]);
    expect(statuses(failed)).toEqual(["f failed", "g failed", "a completed", "b skipped"]);
    expect(result.status).toBe("completed");
    expect(calls()).toEqual([1, 1, 1]);
  });

  it("retries the iterations that failed, runs those that were left, and no others", async () => {
    const create = (): Scenario => ({
      tools: [fake("L", { returns: 0 }, broken), works()],
      plan: { steps: [step("s1", "L", { forEach: "[1, 2, 3]" }), step("s2", "A")] },
    });
    const { result, calls, failed, events } = await failedThen(create, () => [
      fake("L", { returns: "again" }),
      works(),
    ]);
    expect(statuses(failed)).toEqual(["s1 completed", "s1 failed", "s1 skipped", "s2 skipped"]);
    expect(result.steps.map(({ output }) => output)).toEqual([0, "again", "again", "A"]);
    expect(calls()).toEqual([2, 1]);
    expect(eventTexts(events).filter((one) => one.startsWith("step-start s1"))).toEqual([
      "step-start s1[1]",
      "step-start s1[2]",
    ]);
  });

  it("retries a loop that could not start", async () => {
    const create = (value: unknown): Scenario => ({
      tools: [fake("L", { returns: value }), works()],
      plan: { steps: [step("s1", "L"), step("s2", "A", { forEach: "s1.list" })] },
    });
    const { failed, result } = await failedThen(
      () => create({}),
      () => [fake("L", { returns: { list: [1] } }), works()],
    );
    // Its list is unchanged: completed iterations do not run again.
    expect(statuses(result)).toEqual(statuses(failed));
  });

  it("does not run steps that a condition has skipped", async () => {
    const create = (): Scenario => ({
      tools: [works(), fails()],
      plan: { steps: [step("s1", "A", { when: "false" }), step("s2", "F")] },
    });
    const { result } = await failedThen(create, () => [works(), mended()]);
    expect(result.steps).toMatchObject([{ status: "skipped", reason: "condition" }, { status: "completed" }]);
  });

  it("resumes after its deadline, with the step that it cut off", async () => {
    const create = (): Scenario => ({
      tools: [works(), fake("H", { hangs: "until-aborted" })],
      plan: planOf("A", "H", "A"),
      options: { timeoutMs: 100 },
    });
    const { result, failed } = await failedThen(create, () => [works(), mended("H")]);
    expect(failed.error?.code).toBe("timeout");
    expect(statuses(result)).toEqual(["s1 completed", "s2 completed", "s3 completed"]);
  });

  it("needs no new approval for an input that was approved", async () => {
    const create = (): Scenario => ({
      tools: [askingTool("B", { outcomes: [broken] })],
      plan: planOf("B"),
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1"))],
    });
    const { result, events } = await failedThen(create, () => [askingTool("B", { outcomes: [{ returns: 1 }] })]);
    expect(result.status).toBe("completed");
    expect(eventTexts(events)).not.toContain("approval-request s1");
  });

  describe.each<[string, () => Scenario, readonly FakeTool[]]>([
    [
      "the step that failed",
      () => ({ tools: [works(), fails()], plan: planOf("A", "F", "A") }),
      [works(), strict("F")],
    ],
    ["a later step", () => ({ tools: [works(), fails()], plan: planOf("F", "A") }), [strict("A"), mended()]],
    [
      "what is left of a loop",
      () => ({
        tools: [works(), fails()],
        plan: { steps: [step("s1", "F", { forEach: "[1, 2]" }), step("s2", "A")] },
      }),
      [works(), strict("F")],
    ],
  ])("whose tools have changed so that %s no longer fits", (_what, create, tools) => {
    it("does not resume, and nothing is recorded or called", async () => {
      const { recorded, result } = await record(create);
      let thrown: unknown;
      const { recorded: after } = await resumeFrom(
        recorded,
        () => ({ tools }),
        async ({ agent, runId }) => {
          thrown = await agent.resume(runId).catch((error: unknown) => error);
          return result;
        },
      );
      expect(thrown).toMatchObject({ code: "resume-mismatch" });
      expect(after).toHaveLength(recorded.length);
      for (const { calls } of tools) expect(calls).toEqual([]);
    });
  });

  it("stays within its budget, over all its executions and tries", async () => {
    const create = (): Scenario => ({
      tools: [works(), fails()],
      plan: planOf("A", "F", "A"),
      options: { budget: { toolCalls: 4 } },
    });
    const { recorded } = await record(create);
    const { result } = await resumeFrom(
      recorded,
      () => ({ tools: create().tools }),
      async ({ agent, runId }) => {
        for (const code of ["tool-failed", "tool-failed"]) expect((await agent.resume(runId)).error?.code).toBe(code);
        return agent.resume(runId);
      },
    );
    expect(result.error).toMatchObject({ code: "limit-exceeded", details: { max: 4, used: 5 } });
  });
});

describe("a run that has failed for good", () => {
  it.each([
    [
      "by a rejection",
      (): Scenario => ({
        tools: [works(), askingTool("B")],
        plan: planOf("A", "B"),
        executions: [({ another, runId, result }) => another().reject(runId, approvalOf(result, "s2"))],
      }),
    ],
    [
      "as its steps were undone",
      (): Scenario => ({
        tools: [{ ...works(), undo: async () => {} }, fails()],
        plan: planOf("A", "F"),
        options: { undoOnFailure: true },
      }),
    ],
  ])("%s resolves to its result", async (_how, create) => {
    const { recorded, result } = await record(create);
    const { plan: _plan, options: _options, executions: _legs, ...rest } = create();
    const resumed = await resumeFrom(recorded, () => rest);
    expect(resumed.result).toEqual(JSON.parse(JSON.stringify(result)));
    expect(resumed.events).toEqual([]);
  });
});

const F = (id: string) => step(id, "F", { dependsOn: [] });

describe("a run that replans", () => {
  it("fails, is resumed, and may use its remaining replans", async () => {
    const create = (): Scenario => ({
      tools: [works(), fails()],
      planner: replanner(planOf("A", "F"), [new Error("no idea")]),
      request: "Do it",
      options: { maxReplans: 2 },
    });
    const { recorded } = await record(create);
    const requests: ReplanRequest[] = [];
    const { result, events } = await resumeFrom(recorded, () => ({
      tools: [works(), fails()],
      planner: replanner({}, [steps(added("n1"))], requests),
    }));
    expect(result.status).toBe("completed");
    const [request] = requests;
    expect(request?.replan).toBe(2);
    expect(request?.steps.map(({ status }) => status)).toEqual(["completed", "failed"]);
    expect(revisions(events)).toMatchObject([{ replan: 2 }]);
  });

  it("does not repeat a replan that returned no valid plan", async () => {
    const create = (): Scenario => ({
      tools: [works(), fails()],
      planner: replanner(planOf("A", "F", "A"), [new Error("no idea"), steps(added("n1"))]),
      request: "Do it",
      options: { maxReplans: 2 },
    });
    const { recorded, result } = await record(create);
    const requests: ReplanRequest[] = [];
    const resumed = await resumeFrom(until(recorded, "plan-revise"), () => ({
      tools: [works(), fails()],
      planner: replanner({}, [steps(added("n1"))], requests),
    }));
    expect(requests).toEqual([]);
    expect(resumed.result).toMatchObject({ status: "failed", error: result.error });
  });

  it("replans again if its process died before the answer", async () => {
    const create = (): Scenario => ({
      tools: [works(), fails()],
      planner: replanner(planOf("A", "F"), [steps(added("n1"))]),
      request: "Do it",
      options: { maxReplans: 1 },
    });
    const { recorded } = await record(create);
    const { result, events } = await resumeFrom(until(recorded, "step-end s2"), () => ({
      tools: [works(), fails()],
      planner: replanner({}, [steps(added("n1"))]),
    }));
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "n1 completed"]);
    expect(revisions(events)).toMatchObject([{ replan: 1, outcome: { status: "completed" } }]);
  });

  it("keeps the ids, and so the keys, of steps that run again", async () => {
    const { recorded, result } = await record(() => ({
      tools: [works(), fails()],
      planner: replanner(steps(F("f1"), F("f2")), [new Error("no")]),
      request: "Do it",
      options: { maxReplans: 2, concurrency: 2 },
    }));
    expect(statuses(result)).toEqual(["f1 failed", "f2 failed"]);
    // The second try of f1 fails before that of f2 starts.
    const again = recorded.map((event) =>
      event.type === "run-start" ? { ...event, options: { ...event.options, concurrency: 1 } } : event,
    );
    const resumed = await resumeFrom(again, () => ({
      tools: [works(), fails()],
      planner: replanner({}, [steps(added("f2", "A"))]),
    }));
    expect(revisions(resumed.events)).toMatchObject([
      {
        outcome: { status: "failed", error: { code: "invalid-plan", details: { issues: [{ code: "duplicate-id" }] } } },
      },
    ]);
  });
});

describe("a run that replans while its process ends", () => {
  it("keeps its number of remaining replans", async () => {
    const planner = (answer: unknown) => ({ ...replanner(planOf("A", "F"), [answer]), name: "planner" });
    const create = (): Scenario => ({
      tools: [works(), fails()],
      planner: planner(() => new Promise(() => {})),
      request: "Do it",
      options: { maxReplans: 1 },
      act: async ({ agent, clock }) => {
        await clock.advance(10);
        await clock.runUntil(agent.close({ timeoutMs: 10 }));
      },
    });
    const { recorded, result } = await record(create);
    expect(result.status).toBe("interrupted");
    expect(revisions(recorded)).toMatchObject([{ replan: 1, outcome: { error: { code: "interrupted" } } }]);
    const resumed = await resumeFrom(recorded, () => ({
      tools: [works(), fails()],
      planner: planner(steps(added("n1"))),
    }));
    expect(resumed.result.status).toBe("completed");
    expect(revisions(resumed.events)).toMatchObject([{ replan: 1, outcome: { status: "completed" } }]);
  });
});
