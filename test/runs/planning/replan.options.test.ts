import { describe, expect, it } from "vitest";
import { approvalOf, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import {
  added,
  failing,
  failingScenario,
  replanner,
  revisions,
  steps,
  works,
} from "../../scenario/scripted-replanner.ts";

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
