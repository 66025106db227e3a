import { createFakeTool, type FakeOutcome, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { record, resumeFrom, until } from "../../scenario/resume-from.ts";
import type { Scenario } from "../../scenario/run-scenario.ts";
import { added, replanner, revisions, steps } from "../../scenario/scripted-replanner.ts";

const fake = (name: string, ...outcomes: FakeOutcome[]) => createFakeTool({ name, outcomes });
const works = (name = "A") => fake(name, { returns: name });
const broken = { throws: { message: "broken", retryable: false } } as const;
const hangs = (name = "H") => fake(name, { hangs: "until-aborted" });

const agentOf = ({
  plan: _plan,
  request: _request,
  options: _options,
  act: _act,
  executions: _legs,
  ...rest
}: Scenario) => rest;

/** A run of independent steps that is cancelled after 10 ms. */
const cancelled = (...tools: string[]): Scenario => ({
  tools: [works(), hangs(), createFakeTool({ name: "Pay", effect: "once", outcomes: [{ hangs: "forever" }] })],
  plan: { steps: tools.map((tool, index) => step(`s${index + 1}`, tool, { dependsOn: [] })) },
  options: { onStepFailure: "continue" },
  act: async ({ handle, clock }) => {
    await clock.advance(10);
    handle.cancel("enough");
  },
});

describe("a run that was about to be cancelled when its process died", () => {
  it("is cancelled for that reason and starts nothing, even if failures do not stop it", async () => {
    const create = () => cancelled("A", "H", "A");
    const { recorded, result } = await record(create);
    for (const last of ["step-end s2", "step-skip s3"]) {
      const resumed = await resumeFrom(until(recorded, last), () => agentOf(create()));
      expect(resumed.result).toMatchObject({
        status: "cancelled",
        error: { code: "cancelled", message: result.error?.message },
      });
      expect(statuses(resumed.result)).toEqual(["s1 completed", "s2 cancelled", "s3 skipped"]);
    }
  });

  it("is cancelled, too, if only a skipped step shows it", async () => {
    const create = (): Scenario => ({
      tools: [works()],
      // With its condition, a step does not start in the turn in which the one before it ends.
      plan: { steps: [step("s1", "A"), step("s2", "A", { when: "true" }), step("s3", "A")] },
      act: ({ agent, handle }) => {
        agent.on("step-end", () => handle.cancel("enough"));
      },
    });
    const { recorded, result } = await record(create);
    expect(statuses(result)).toEqual(["s1 completed", "s2 skipped", "s3 skipped"]);
    const resumed = await resumeFrom(until(recorded, "step-skip s2"), () => agentOf(create()));
    expect(resumed.result).toMatchObject({
      status: "cancelled",
      error: { code: "cancelled", details: { reason: "the process died while the run was ending" } },
    });
    expect(statuses(resumed.result)).toEqual(statuses(result));
  });

  it("is cancelled beside a step that has failed, if failures do not stop it", async () => {
    const create = (): Scenario => ({
      tools: [fake("F", broken), works()],
      plan: {
        steps: ["F", "A", "A"].map((tool, index) => step(`s${index + 1}`, tool, { dependsOn: [], when: "true" })),
      },
      options: { onStepFailure: "continue" },
      act: ({ agent, handle }) => {
        agent.on("step-end", ({ stepId }) => stepId === "s2" && handle.cancel("enough"));
      },
    });
    const { recorded, result } = await record(create);
    expect(statuses(result)).toEqual(["s1 failed", "s2 completed", "s3 skipped"]);
    const resumed = await resumeFrom(until(recorded, "step-skip s3"), () => agentOf(create()));
    expect(resumed.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(statuses(resumed.result)).toEqual(statuses(result));
  });

  it.each([{ timeoutMs: 50 }, {}])("is ended by the cause that ended its replan: %j", async ({ timeoutMs }) => {
    const create = (): Scenario => ({
      tools: [fake("F", broken), works()],
      planner: { ...replanner({ steps: [step("s1", "F")] } as never, []), replan: () => new Promise(() => {}) },
      request: "Do it",
      options: { maxReplans: 1, ...(timeoutMs && { timeoutMs }) },
      act: async ({ clock, handle }) => {
        await clock.advance(10);
        if (timeoutMs === undefined) handle.cancel("enough");
      },
    });
    const { recorded, result } = await record(create);
    const resumed = await resumeFrom(until(recorded, "plan-revise"), () => agentOf(create()));
    expect(resumed.result).toMatchObject({ status: result.status, error: result.error });
    expect(result).toMatchObject({ error: { code: timeoutMs === undefined ? "cancelled" : "timeout" } });
    expect(statuses(resumed.result)).toEqual(statuses(result));
  });

  it("stays cancelled with a step in doubt", async () => {
    const create = (): Scenario => ({
      ...cancelled("Pay"),
      plan: { steps: [step("s1", "Pay"), step("s2", "A", { dependsOn: ["s1"] })] },
    });
    const { recorded, result } = await record(create);
    expect(statuses(result)).toEqual(["s1 unknown", "s2 skipped"]);
    const resumed = await resumeFrom(until(recorded, "step-skip s2"), () => agentOf(create()));
    expect(resumed.result).toMatchObject({ status: "cancelled" });
    expect(statuses(resumed.result)).toEqual(statuses(result));
  });

  it("resumes if nothing was recorded of that", async () => {
    const create = () => cancelled("A", "H", "A");
    const { recorded } = await record(create);
    const resumed = await resumeFrom(until(recorded, "step-start s2"), () => ({
      tools: [works(), works("H"), ...create().tools.slice(2)],
    }));
    expect(resumed.result.status).toBe("completed");
  });
});

describe("a run that was about to end at its deadline when its process died", () => {
  it("fails with it", async () => {
    const create = (): Scenario => ({
      tools: [works(), hangs()],
      plan: { steps: [step("s1", "H"), step("s2", "A", { dependsOn: [] })] },
      options: { timeoutMs: 50, onStepFailure: "continue" },
    });
    const { recorded, result } = await record(create);
    const resumed = await resumeFrom(until(recorded, "step-end s1"), () => agentOf(create()));
    expect(resumed.result).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
    expect(statuses(resumed.result)).toEqual(statuses(result));
  });

  it.each(["undo-start s1", "undo-end s1", "step-skip s3"])(
    "fails with it, with a step in doubt, after %s",
    async (last) => {
      const create = (): Scenario => ({
        tools: [
          { ...works(), undo: async () => {} },
          createFakeTool({ name: "Pay", effect: "once", outcomes: [{ hangs: "forever" }] }),
        ],
        plan: planOf("A", "Pay", "A"),
        options: { timeoutMs: 50, undoOnFailure: true },
      });
      const { recorded, result } = await record(create);
      expect(statuses(result)).toEqual(["s1 undone", "s2 unknown", "s3 skipped"]);
      const resumed = await resumeFrom(until(recorded, last), () => agentOf(create()));
      expect(resumed.result).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
      expect(statuses(resumed.result)).toEqual(statuses(result));
    },
  );
});

describe("a run whose plan was not the approved one", () => {
  it("fails for that, wherever its process died", async () => {
    const planned = () => ({ tools: [works()], planner: replanner(planOf("A", "A"), []) });
    const create = (): Scenario => ({ ...planned(), request: "Do it", options: { approvedHash: "0".repeat(64) } });
    const { recorded } = await record(create);
    for (const last of ["plan-end", "step-skip s1", "step-skip s2"]) {
      const { result } = await resumeFrom(until(recorded, last), planned);
      expect(result).toMatchObject({ status: "failed", error: { code: "plan-not-approved" } });
    }
  });
});

/** Two steps at once: the first fails while the second runs. */
const failing =
  (rest: Partial<Scenario> = {}) =>
  (clock: ManualClock): Scenario => ({
    tools: [
      createFakeTool({ name: "F", outcomes: [{ ...broken, afterMs: 5 }], clock }),
      createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 20 }], clock }),
    ],
    plan: {
      steps: [
        step("s1", "A", { dependsOn: [] }),
        step("s2", "F", { dependsOn: [] }),
        step("s3", "A", { dependsOn: ["s1"] }),
      ],
    },
    options: { concurrency: 2 },
    ...rest,
  });

describe("a run in which a step had failed while another ran", () => {
  it("fails with that, not with the step that was cut off", async () => {
    const { recorded } = await record(failing());
    const { result } = await resumeFrom(until(recorded, "step-end s2"), (clock) => agentOf(failing()(clock)));
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed", details: { stepId: "s2" } } });
    expect(result.steps).toMatchObject([
      { status: "interrupted" },
      { status: "failed" },
      { status: "skipped", reason: "dependency-failed" },
    ]);
  });

  it("runs both again when it is resumed again", async () => {
    const { recorded } = await record(failing());
    const { result } = await resumeFrom(
      until(recorded, "step-end s2"),
      () => ({ tools: [works("F"), works()] }),
      async ({ agent, runId }) => {
        await agent.resume(runId);
        return agent.resume(runId);
      },
    );
    expect(statuses(result)).toEqual(["s1 completed", "s2 completed", "s3 completed"]);
  });

  it("reports that the step that was cut off may have had an effect that is not undone", async () => {
    const create = failing({ options: { concurrency: 2, undoOnFailure: true } });
    const { recorded } = await record(create);
    const { result } = await resumeFrom(until(recorded, "step-end s2"), (clock) => agentOf(create(clock)));
    expect(result.notUndone).toEqual([{ stepId: "s1", tool: "A", reason: "unknown" }]);
  });

  it("runs the step that was cut off, if failures do not stop it", async () => {
    const create = failing({ options: { concurrency: 2, onStepFailure: "continue" } });
    const { recorded } = await record(create);
    const { result } = await resumeFrom(until(recorded, "step-end s2"), (clock) => agentOf(create(clock)));
    expect(statuses(result)).toEqual(["s1 completed", "s2 failed", "s3 completed"]);
  });
});

describe("a loop in which an iteration had failed", () => {
  const loop = (rest: Partial<Scenario> = {}): Scenario => ({
    tools: [fake("L", { returns: 0 }, broken), works()],
    plan: { steps: [step("s1", "L", { forEach: "[1, 2, 3]" }), step("s2", "A")] },
    ...rest,
  });
  const again = () => ({ tools: [works("L"), works()] });

  it("starts no other, and its dependents are skipped because of it", async () => {
    const { recorded, result } = await record(() => loop());
    const resumed = await resumeFrom(until(recorded, "step-end s1[1]"), again);
    expect(resumed.result).toMatchObject({ status: "failed", error: result.error });
    const reasons = (one: typeof result) => one.steps.map(({ status, reason }) => `${status} ${reason ?? ""}`);
    expect(reasons(resumed.result)).toEqual(reasons(result));
  });

  it("continues with the others, if failures do not stop it", async () => {
    const { recorded } = await record(() => loop({ options: { onStepFailure: "continue" } }));
    const { result } = await resumeFrom(until(recorded, "step-end s1[1]"), again);
    expect(statuses(result)).toEqual(["s1 completed", "s1 failed", "s1 completed", "s2 skipped"]);
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
  });

  it("fails its run, even if another one was cut off and the loop has not ended", async () => {
    const create = (clock: ManualClock): Scenario => ({
      tools: [
        createFakeTool({
          name: "L",
          outcomes: [
            { returns: 0, afterMs: 20 },
            { ...broken, afterMs: 5 },
          ],
          clock,
        }),
        works(),
      ],
      plan: { steps: [step("s1", "L", { forEach: "[1, 2]", concurrency: 2 }), step("s2", "A")] },
    });
    const { recorded } = await record(create);
    const { result } = await resumeFrom(until(recorded, "step-end s1[1]"), again);
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed", details: { iteration: 1 } } });
    expect(result.steps).toMatchObject([
      { status: "interrupted" },
      { status: "failed" },
      { status: "skipped", reason: "dependency-failed" },
    ]);
  });

  it("can cause a replan", async () => {
    const create = (): Scenario => ({
      tools: loop().tools,
      planner: replanner(loop().plan as never, [steps(added("n1"))]),
      request: "Do it",
      options: { maxReplans: 1 },
    });
    const { recorded, result } = await record(create);
    const resumed = await resumeFrom(until(recorded, "step-end s1[1]"), () => ({
      ...again(),
      planner: replanner({}, [steps(added("n1"))]),
    }));
    expect(revisions(resumed.events)).toHaveLength(1);
    expect(statuses(resumed.result)).toEqual(statuses(result));
  });
});

describe("undoing that was cut off", () => {
  const create = (): Scenario => ({
    tools: [{ ...works(), undo: async () => {} }, fake("F", broken)],
    plan: planOf("A", "A", "F"),
    options: { undoOnFailure: true },
  });

  it.each(["step-end s3", "undo-start s2", "undo-end s2", "undo-start s1", "undo-end s1"])(
    "continues after %s",
    async (last) => {
      const { recorded, result } = await record(create);
      const resumed = await resumeFrom(until(recorded, last), () => agentOf(create()));
      expect(resumed.result).toMatchObject({ status: "failed", error: result.error });
      expect(statuses(resumed.result)).toEqual(["s1 undone", "s2 undone", "s3 failed"]);
      expect(resumed.result).not.toHaveProperty("notUndone");
    },
  );

  it("closes what was started, and starts it again", async () => {
    const { recorded } = await record(create);
    const { events } = await resumeFrom(until(recorded, "undo-start s2"), () => agentOf(create()));
    expect(eventTexts(events)).toEqual([
      ...["run-resume", "undo-end s2", "undo-start s2", "undo-end s2", "undo-start s1", "undo-end s1", "run-end"],
    ]);
    expect(events[1]).toMatchObject({ outcome: { status: "failed", error: { code: "interrupted" } } });
  });
});
