import type { PlanDraft, ReplanRequest } from "planwright";
import { createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import {
  type Answer,
  added,
  failing,
  failingScenario,
  replanner,
  revisions,
  steps,
  works,
} from "../../scenario/scripted-replanner.ts";

describe("replanning", () => {
  it("replaces the steps that are not done, and keeps the others", async () => {
    const requests: ReplanRequest[] = [];
    const { result, events } = await runScenario(() => {
      requests.length = 0;
      const planner = replanner(
        planOf("A", "F", "A"),
        [steps(added("n1", "A", { input: { of: { $ref: "s1.value" } } }), step("n2", "A"))],
        requests,
      );
      return failingScenario([], { context: "at home" }, { planner, isResumable: false });
    });
    expect(result).toMatchObject({ status: "completed", output: { value: 7 } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "n1 completed", "n2 completed"]);
    expect(result.steps[2]).toMatchObject({ input: { of: 7 } });
    expect(result.plan?.steps.map(({ id }) => id)).toEqual(["s1", "n1", "n2"]);
    expect(result).not.toHaveProperty("error");
    expect(eventTexts(events).filter((text) => text === "step-start s1")).toHaveLength(1);
    expect(requests).toMatchObject([
      {
        request: "Do it",
        context: "at home",
        replan: 1,
        error: { code: "tool-failed" },
        plan: { steps: [{ id: "s1" }, { id: "s2" }, { id: "s3" }] },
        steps: [
          { stepId: "s1", status: "completed", output: { value: 7 } },
          { stepId: "s2", status: "failed" },
          { stepId: "s3", status: "pending" },
        ],
      },
    ]);
    expect(revisions(events)).toMatchObject([
      { planner: "scripted", replan: 1, cause: { code: "tool-failed" }, outcome: { status: "completed" } },
    ]);
    expect(eventTexts(events).slice(-7)).toEqual([
      "step-end s2",
      "plan-revise",
      "step-start n1",
      "step-end n1",
      "step-start n2",
      "step-end n2",
      "run-end",
    ]);
  });

  it("is not done by default", async () => {
    const { result, events } = await runScenario(() => failingScenario([steps(added("n1"))], { maxReplans: 0 }));
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(revisions(events)).toEqual([]);
  });

  it("is not done in a later execution by an agent whose planner cannot replan", async () => {
    const plan = steps(added("b", "B"), added("f", "F", { dependsOn: ["b"] }));
    const unable = createScriptedPlanner([planOf("A") as PlanDraft]);
    const { result, events } = await runScenario(() =>
      failingScenario(
        [],
        {},
        {
          isResumable: false,
          planner: replanner(plan, [steps(added("n1"))]),
          executions: [
            ({ another, runId, result }) => another({ planner: unable }).approve(runId, approvalOf(result, "b")),
          ],
        },
      ),
    );
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(revisions(events)).toEqual([]);
  });

  it("is not done for a run that does not fail", async () => {
    const { events } = await runScenario(() =>
      failingScenario([], {}, { planner: replanner(planOf("A", "A"), [steps(added("n1"))]) }),
    );
    expect(revisions(events)).toEqual([]);
  });

  it("is done for a given plan, too", async () => {
    const { result } = await runScenario(() => {
      const { request, ...rest } = failingScenario([steps(added("n1"))]);
      expect(request).toBe("Do it");
      return { ...rest, plan: planOf("A", "F") };
    });
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "n1 completed"]);
    expect(result.status).toBe("completed");
  });

  it("is done as often as allowed, each time for the latest failure", async () => {
    const requests: ReplanRequest[] = [];
    const { result, events } = await runScenario(() => {
      requests.length = 0;
      const answers = ["n1", "n2", "n3", "n4"].map((id) => steps(added(id, "F")));
      const planner = replanner(planOf("A", "F"), answers, requests);
      return failingScenario([], { maxReplans: 3 }, { planner, isResumable: false });
    });
    expect(result).toMatchObject({ status: "failed", error: { details: { stepId: "n3" } } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "n1 failed", "n2 failed", "n3 failed"]);
    expect(requests.map(({ replan }) => replan)).toEqual([1, 2, 3]);
    expect(requests.map(({ error }) => error.details)).toMatchObject([
      { stepId: "s2" },
      { stepId: "n1" },
      { stepId: "n2" },
    ]);
    expect(revisions(events).map(({ outcome }) => outcome.status)).toEqual(["completed", "completed", "completed"]);
  });

  it("may return no steps, if something is done", async () => {
    const { result } = await runScenario(() => failingScenario([steps()]));
    expect(result).toMatchObject({ status: "completed", output: { value: 7 } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed"]);
  });

  it("may use the ids of steps that have not started", async () => {
    const { result } = await runScenario(() => failingScenario([steps(added("s3", "A", { input: { again: true } }))]));
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "s3 completed"]);
    expect(result.steps[2]).toMatchObject({ input: { again: true } });
  });
});

describe("an invalid answer", () => {
  const answers: [string, Answer, string][] = [
    ["the id of a step that is done", steps(added("s1")), "invalid-plan"],
    ["the id of the step that failed", steps(added("s2")), "invalid-plan"],
    ["an id twice", steps(added("n1"), added("n1")), "invalid-plan"],
    ["a tool that does not exist", steps(added("n1", "Nothing")), "invalid-plan"],
    ["a reference to the step that failed", steps(added("n1", "A", { input: { of: { $ref: "s2" } } })), "invalid-plan"],
    ["a reference to a step that is gone", steps(added("n1", "A", { dependsOn: ["s3"] })), "invalid-plan"],
    ["a key that does not exist", steps({ ...added("n1"), what: 1 } as never), "invalid-plan"],
    ["no list of steps", { steps: "none" }, "invalid-plan"],
    ["a list with nothing in it", { steps: [null] }, "invalid-plan"],
    ["no plan", undefined, "planning-failed"],
    ["text", "do something else", "planning-failed"],
    ["something that throws", new Error("no idea"), "planning-failed"],
    [
      "steps that cannot be read",
      Object.defineProperty({}, "steps", {
        get: () => {
          throw new Error("no");
        },
      }),
      "planning-failed",
    ],
  ];

  it.each(answers)("with %s ends the run with its first failure", async (_what, answer, code) => {
    const { result, events } = await runScenario(() => failingScenario([answer], { maxReplans: 5 }));
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed", details: { stepId: "s2" } } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "s3 skipped"]);
    expect(revisions(events)).toMatchObject([{ replan: 1, outcome: { status: "failed", error: { code } } }]);
  });

  it("reports all problems with the ids", async () => {
    const { events } = await runScenario(() => failingScenario([steps(added("s2"), added("n1"), added("s1"))]));
    expect(revisions(events)[0]?.outcome).toMatchObject({
      error: {
        message: expect.stringContaining(
          '"s2" has already started. Leave out finished steps, and give each step to be retried a new id.',
        ),
        details: {
          issues: [
            { code: "duplicate-id", path: ["steps", 1, "id"] },
            { code: "duplicate-id", path: ["steps", 3, "id"] },
          ],
        },
      },
    });
  });

  it("has more steps than the run may have, including those that have ended", async () => {
    const { result, events } = await runScenario(() =>
      failingScenario([steps(added("n1"), added("n2"))], { maxSteps: 3 }),
    );
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(revisions(events)[0]?.outcome).toMatchObject({
      error: { code: "limit-exceeded", details: { limit: "steps", max: 3, used: 4 } },
    });
  });
});

describe("a planner that does not answer", () => {
  const never = () => new Promise(() => {});

  it("is limited by plannerTimeoutMs, and the run ends with its first failure", async () => {
    const { result, events } = await runScenario(() => failingScenario([never], {}, { plannerTimeoutMs: 200 }));
    expect(result.error?.code).toBe("tool-failed");
    expect(revisions(events)[0]?.outcome).toMatchObject({
      status: "failed",
      error: { code: "timeout", details: { scope: "planner" } },
    });
  });

  it("does not block a run that is cancelled", async () => {
    const signals: AbortSignal[] = [];
    const { result, events } = await runScenario(() =>
      failingScenario(
        [
          ({ signal }: ReplanRequest) => {
            signals.push(signal);
            return never();
          },
        ],
        {},
        {
          act: async ({ handle, clock }) => {
            await clock.advance(50);
            handle.cancel("enough");
          },
        },
      ),
    );
    expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(revisions(events)[0]?.outcome).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("does not block a run that has timed out", async () => {
    const { result, events } = await runScenario(() => failingScenario([never], { timeoutMs: 300 }));
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
    expect(revisions(events)[0]?.outcome).toMatchObject({ status: "failed", error: { code: "timeout" } });
  });
});

describe("replanning together with other options", () => {
  it("does not happen after a rejection, which is final", async () => {
    const { result, events } = await runScenario(() =>
      failingScenario(
        [steps(added("n1"))],
        {},
        { planner: replanner(planOf("B"), [steps(added("n1"))]), requestApproval: async () => "reject" },
      ),
    );
    expect(result.error?.code).toBe("approval-rejected");
    expect(revisions(events)).toEqual([]);
  });

  it("undoes new steps like the old ones, and only in the end", async () => {
    const undone: string[] = [];
    const undoable = () => ({
      ...works(),
      undo: (_done: unknown, { stepId }: { stepId: string }) => undone.push(stepId),
    });
    const { result } = await runScenario(() => {
      undone.length = 0;
      return failingScenario(
        [steps(added("n1"), step("n2", "F"))],
        { undoOnFailure: true },
        { tools: [undoable(), failing()], isResumable: false },
      );
    });
    expect(undone).toEqual(["n1", "s1"]);
    expect(statuses(result)).toEqual(["s1 undone", "s2 failed", "n1 undone", "n2 failed"]);
  });

  it("happens when nothing else can be done, if failures do not stop the run", async () => {
    const { result, events } = await runScenario(() =>
      failingScenario(
        [],
        { onStepFailure: "continue" },
        {
          planner: replanner(steps(added("f", "F"), added("after", "A", { dependsOn: ["f"] }), added("a")), [
            steps(added("n1")),
          ]),
        },
      ),
    );
    expect(eventTexts(events).indexOf("plan-revise")).toBeGreaterThan(eventTexts(events).indexOf("step-end a"));
    expect(statuses(result)).toEqual(["f failed", "a completed", "n1 completed"]);
    expect(result.status).toBe("completed");
  });

  it("does not happen while something waits, but in the execution that gets the decision", async () => {
    const planner = () => replanner(steps(added("f", "F"), added("b", "B")), [steps(added("n1"))]);
    const { result, events } = await runScenario(() =>
      failingScenario(
        [],
        { onStepFailure: "continue" },
        {
          planner: planner(),
          executions: [
            ({ another, runId, result }) => another({ planner: planner() }).approve(runId, approvalOf(result, "b")),
          ],
        },
      ),
    );
    expect(result.status).toBe("completed");
    expect(statuses(result)).toEqual(["f failed", "b completed", "n1 completed"]);
    expect(eventTexts(events).indexOf("plan-revise")).toBeGreaterThan(eventTexts(events).indexOf("run-resume"));
  });

  it("withdraws waiting steps if failures stop the run, and their approval no longer counts", async () => {
    const { result } = await runScenario(() =>
      failingScenario([], {}, { planner: replanner(steps(added("b", "B"), added("f", "F")), [steps(added("n1"))]) }),
    );
    expect(result.status).toBe("completed");
    expect(statuses(result)).toEqual(["f failed", "n1 completed"]);
  });

  it("may add steps that need approval in their turn", async () => {
    const { result } = await runScenario(() =>
      failingScenario(
        [steps(added("n1", "B"))],
        {},
        {
          executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "n1"))],
        },
      ),
    );
    expect(result.status).toBe("completed");
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "n1 completed"]);
  });
});
