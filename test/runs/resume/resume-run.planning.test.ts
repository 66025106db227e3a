import { AgentError, type ApprovalQuestion, createOrchestrator, hashPlan } from "planwright";
import { createFakeTool, createScriptedPlanner, type FakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, eventTexts, planHashOf, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { record, resumeFrom, until } from "../../scenario/resume-from.ts";
import type { Scenario } from "../../scenario/run-scenario.ts";
import { replanner, steps } from "../../scenario/scripted-replanner.ts";
import { share } from "../../scenario/two-processes.ts";

const works = () => createFakeTool({ name: "A", outcomes: [{ returns: 1 }] });
const planned = () => ({ tools: [works()], planner: createScriptedPlanner([planOf("A", "A") as never]) });
const create = (): Scenario => ({ ...planned(), request: "Do it" });
const noPlan = () =>
  new AgentError("cannot-plan", "I cannot.", { details: { reason: "not-understood", examples: [] } });
const unable = (): Scenario => ({ tools: [works()], planner: createScriptedPlanner([noPlan()]), request: "Do it" });
const askForPlan = ({ kind }: ApprovalQuestion) => kind === "plan";

describe("a run whose process died around planning", () => {
  it("is planned again if it died during planning", async () => {
    const { recorded } = await record(create);
    const { result, events } = await resumeFrom(until(recorded, "plan-start"), planned);
    expect(result.status).toBe("completed");
    expect(eventTexts(events).slice(0, 4)).toEqual(["run-resume", "plan-end", "plan-start", "plan-end"]);
    expect(events[1]).toMatchObject({ outcome: { status: "failed", error: { code: "interrupted" } } });
  });

  it("is planned if it died before planning", async () => {
    const { recorded } = await record(create);
    const { result, events } = await resumeFrom(until(recorded, "run-start"), planned);
    expect(result.status).toBe("completed");
    expect(eventTexts(events).slice(0, 3)).toEqual(["run-resume", "plan-start", "plan-end"]);
  });

  it("keeps its plan if it died after planning", async () => {
    const { recorded, result } = await record(create);
    const resumed = await resumeFrom(until(recorded, "plan-end"), () => ({ ...planned(), planner: unable().planner }));
    expect(resumed.result).toMatchObject({ status: "completed", plan: result.plan });
  });

  it("fails as it would have if planning had failed", async () => {
    const { recorded, result } = await record(unable);
    const resumed = await resumeFrom(until(recorded, "plan-end"), planned);
    expect(resumed.result).toEqual(result);
    expect(eventTexts(resumed.events)).toEqual(["run-resume", "run-end"]);
  });

  it("is planned again when it is resumed after it has failed", async () => {
    const { recorded } = await record(unable);
    const { result, events } = await resumeFrom(recorded, planned);
    expect(result.status).toBe("completed");
    expect(eventTexts(events).slice(0, 3)).toEqual(["run-resume", "plan-start", "plan-end"]);
    expect(events[0]).toMatchObject({ retriesFailed: true });
  });

  it("cannot resume without a planner, and reports that", async () => {
    const { recorded } = await record(create);
    const { process, store, clock } = await share(() => [works()], { recorded: until(recorded, "plan-start") });
    const runId = recorded[0]?.runId ?? "";
    const orchestrator = createOrchestrator({ tools: [works()], store, clock });
    await expect(orchestrator.resume(runId)).rejects.toMatchObject({
      code: "resume-mismatch",
      message: expect.stringContaining("there is no planner"),
    });
    const { pending } = (await orchestrator.getRun(runId)) ?? {};
    expect(pending).toMatchObject([{ kind: "mismatch", reason: expect.stringContaining("there is no planner") }]);
    expect(await process(planned()).resume(runId)).toMatchObject({ status: "completed" });
  });

  it("keeps its earlier model usage", async () => {
    const { recorded } = await record(unable);
    const usage = { modelCalls: 2, inputTokens: 5, outputTokens: 5 } as never;
    const counted = recorded.map((event) => (event.type === "plan-end" ? { ...event, usage } : event));
    const { result } = await resumeFrom(counted, planned);
    expect(result.usage).toEqual(usage);
  });
});

describe("the plan of a run whose process died", () => {
  const asking = (): Scenario => ({ ...create(), needsApproval: askForPlan });
  const { request: _request, ...agent } = asking();
  const again = () => ({ ...agent, ...planned() });

  it("needs approval if it was not requested yet", async () => {
    const { recorded, result: waiting } = await record(asking);
    for (const last of ["run-start", "plan-start", "plan-end"]) {
      const { result } = await resumeFrom(until(recorded, last), again);
      expect(result).toMatchObject({ status: "suspended", pending: waiting.pending });
    }
  });

  it("needs approval if it was given, too", async () => {
    const given = () => ({ tools: [works()], plan: planOf("A"), needsApproval: askForPlan });
    const { recorded } = await record(given);
    const { result } = await resumeFrom(until(recorded, "run-start"), () => ({
      tools: [works()],
      needsApproval: askForPlan,
    }));
    expect(statuses(result)).toEqual(["s1 pending"]);
    expect(result.pending).toMatchObject([{ kind: "plan-approval" }]);
  });

  it("keeps waiting, and can be approved then", async () => {
    const { recorded } = await record(asking);
    const { result, events } = await resumeFrom(
      until(recorded, "approval-request"),
      again,
      async ({ agent, runId }) => {
        const waiting = await agent.resume(runId);
        return agent.approve(runId, { kind: "plan", hash: planHashOf(waiting) }).result;
      },
    );
    expect(result.status).toBe("completed");
    expect(eventTexts(events).slice(0, 4)).toEqual(["run-resume", "run-suspend", "run-resume", "approval-end"]);
  });

  it("needs no approval again once it runs", async () => {
    const { recorded } = await record(create);
    const { result } = await resumeFrom(until(recorded, "step-end s1"), again);
    expect(result.status).toBe("completed");
  });

  it("needs approval after a replan, too", async () => {
    const revised = (): Scenario => ({
      tools: [works(), createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] })],
      planner: replanner(planOf("F"), [steps(step("n1", "A", { dependsOn: [] }))]),
      request: "Do it",
      options: { maxReplans: 1 },
    });
    const { recorded } = await record(revised);
    const { result } = await resumeFrom(until(recorded, "plan-revise"), () => {
      const { request: _, options: _options, ...rest } = revised();
      return { ...rest, needsApproval: askForPlan };
    });
    expect(result.pending).toMatchObject([{ kind: "plan-approval", hash: await hashPlan(result.plan as never) }]);
    expect(statuses(result)).toEqual(["s1 failed", "n1 pending"]);
  });

  it("must be the one that was approved by its hash", async () => {
    const approvedHash = "0".repeat(64);
    const other = (): Scenario => ({ ...create(), options: { approvedHash } });
    const { recorded, result: refused } = await record(other);
    expect(refused.error?.code).toBe("plan-not-approved");
    for (const prefix of [until(recorded, "plan-end"), recorded]) {
      let tools: readonly FakeTool[] = [];
      const { result } = await resumeFrom(prefix, () => {
        const one = planned();
        tools = one.tools;
        return one;
      });
      expect(result).toMatchObject({ status: "failed", error: { code: "plan-not-approved" } });
      expect(tools[0]?.calls).toEqual([]);
    }
  });

  it("resumes if it is that one, and is not planned again", async () => {
    const plan = { version: 1, request: "Do it", steps: planOf("A", "A").steps } as const;
    const approvedHash = await hashPlan(plan);
    const approved = (): Scenario => ({ ...create(), options: { approvedHash } });
    const { recorded } = await record(approved);
    const { result } = await resumeFrom(until(recorded, "step-end s1"), planned);
    expect(result.status).toBe("completed");
  });
});

describe("approvals of a run whose process died", () => {
  const both = (): Scenario => ({
    tools: [works(), askingTool("B")],
    plan: {
      steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] }), step("c", "B", { dependsOn: [] })],
    },
  });
  const tools = () => ({ tools: both().tools });

  it("keep waiting while other steps run", async () => {
    const { recorded } = await record(both);
    const { result } = await resumeFrom(until(recorded, "approval-request b"), tools);
    expect(statuses(result)).toEqual(["b waiting", "a completed", "c waiting"]);
    expect(result.pending).toMatchObject([{ stepId: "b" }, { stepId: "c" }]);
  });

  it("remain valid if they were given", async () => {
    const approve = (): Scenario => ({
      ...both(),
      executions: [
        ({ another, runId, result }) => another().approve(runId, approvalOf(result, "b")),
        ({ another, runId, result }) => another().approve(runId, approvalOf(result, "c")),
      ],
    });
    const { recorded } = await record(approve);
    for (const last of ["approval-end c", "step-start c"]) {
      const { result, events } = await resumeFrom(until(recorded, last), tools);
      expect(result.status).toBe("completed");
      expect(eventTexts(events)).not.toContain("approval-request c");
    }
  });

  it("remain valid if they were refused", async () => {
    const reject = (): Scenario => ({
      ...both(),
      executions: [({ another, runId, result }) => another().reject(runId, approvalOf(result, "b"))],
    });
    const { recorded } = await record(reject);
    const { result } = await resumeFrom(until(recorded, "approval-end b"), tools);
    expect(result).toMatchObject({ status: "failed", error: { code: "approval-rejected" } });
    expect(statuses(result)).toEqual(["b skipped", "a completed", "c skipped"]);
  });

  it("are requested again if the input has changed by then", async () => {
    const create = (value: number): Scenario => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: value }] }), askingTool("B")],
      plan: { steps: [step("a", "A"), step("b", "B", { input: { of: { $ref: "a" } } })] },
    });
    const { recorded } = await record(() => ({
      ...create(1),
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "b"))],
    }));
    // A store that was edited by hand: the approved input is not the one that would run.
    const other = until(recorded, "approval-end b").map((event) =>
      event.type === "step-end" && event.outcome.status === "completed"
        ? { ...event, outcome: { ...event.outcome, output: 2 } }
        : event,
    );
    const { result } = await resumeFrom(other, () => ({ tools: create(1).tools }));
    expect(result).toMatchObject({ status: "suspended", pending: [{ stepId: "b", input: { of: 2 } }] });
  });
});
