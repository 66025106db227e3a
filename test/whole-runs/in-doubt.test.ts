import type { Planner } from "planwright";
import { createFakeTool, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { eventTexts, statuses } from "../scenario/ask-for-approval.ts";
import { planOf, step } from "../scenario/plans.ts";
import { record, resumeFrom, until } from "../scenario/resume-from.ts";
import { runScenario, type Scenario } from "../scenario/run-scenario.ts";
import { share } from "../scenario/two-processes.ts";

const lost: FakeOutcome = { throws: new Error("the answer was lost") };
const broken: FakeOutcome = { throws: { message: "broken", retryable: false } };
const pay = (outcome: FakeOutcome, timeoutMs?: number) =>
  createFakeTool({ name: "Pay", outcomes: [outcome], effect: "once", timeoutMs });

describe("a call in doubt", () => {
  it("is repeated by a replan only if somebody allows it", async () => {
    const planner: Planner = {
      name: "again",
      plan: () => Promise.reject(new Error("it only plans again")),
      replan: async () => ({ steps: [{ id: "again", tool: "Pay", input: {}, dependsOn: [] }] }),
    };
    let calls: readonly unknown[] = [];
    const { result } = await runScenario(() => {
      const tool = pay(lost);
      calls = tool.calls;
      const options = { maxReplans: 1, replanTools: ["Pay"] };
      return { tools: [tool], planner, plan: planOf("Pay"), options, isResumable: false };
    });
    expect(result).toMatchObject({
      status: "suspended",
      pending: [{ kind: "approval", stepId: "again", reasons: [{ code: "in-doubt", stepId: "s1" }] }],
    });
    expect(calls).toHaveLength(1);
  });

  it("is not in doubt once somebody has settled it as failed: it needs no undoing", async () => {
    const { result } = await runScenario(() => ({
      tools: [pay({ hangs: "until-aborted" }, 50), createFakeTool({ name: "A" })],
      plan: planOf("Pay", "A"),
      options: { undoOnFailure: true },
      isResumable: false,
      executions: [({ another, runId }) => another().settle(runId, "s1", { failed: "no such payment" })],
    }));
    expect(result).toMatchObject({ status: "failed", error: { message: "no such payment" } });
    expect(result).not.toHaveProperty("notUndone");
  });

  it("keeps its run waiting after a kill, even if a loop beside it has failed", async () => {
    const create = (): Scenario => ({
      tools: [pay({ hangs: "until-aborted" }, 50), createFakeTool({ name: "Bad", outcomes: [broken] })],
      plan: {
        steps: [step("u", "Pay", { dependsOn: [] }), step("b", "Bad", { dependsOn: [], forEach: "[1, 2, 3]" })],
      },
      options: { concurrency: 2 },
    });
    const { recorded, result } = await record(create);
    expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "u" }] });
    for (const last of ["step-end u", "step-skip b[2]"]) {
      const { result: resumed } = await resumeFrom(until(recorded, last), () => ({ tools: create().tools }));
      expect(resumed).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "u" }] });
      expect(statuses(resumed)).toEqual(statuses(result));
    }
  });
});

describe("a step that was cut off", () => {
  it("is compared with its tool as it is now, before it is called", async () => {
    const { recorded } = await record(() => ({ tools: [createFakeTool({ name: "A" })], plan: planOf("A") }));
    const cut = until(recorded, "step-start s1");
    const called = createFakeTool({ name: "A" });
    const strict = { ...called, inputSchema: z.object({ to: z.string() }) };
    const { process, store } = await share(() => [createFakeTool({ name: "A" })], { recorded: cut });
    const runId = cut[0]?.runId ?? "";
    const refused = process({ tools: [strict as never] }).resume(runId);
    await expect(refused).rejects.toMatchObject({ code: "resume-mismatch" });
    const ended = ["run-resume", "step-end s1", "run-suspend"];
    expect(eventTexts(await store.read(runId))).toEqual([...eventTexts(cut), ...ended]);
    expect(called.calls).toEqual([]);
    expect(await process().resume(runId)).toMatchObject({ status: "completed" });
  });
});

describe("an error with large details", () => {
  it("is recorded so that its run can be read and resumed", async () => {
    const rule = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, "v".repeat(20)]));
    const details = { rules: Array.from({ length: 10 }, () => rule) };
    const create = (): Scenario => ({
      tools: [
        { ...createFakeTool({ name: "U" }), undo: async () => {} },
        createFakeTool({ name: "A", outcomes: [{ throws: Object.assign(new Error("no"), { details }) }] }),
      ],
      plan: planOf("U", "A"),
      options: { undoOnFailure: true },
    });
    const { result, recorded } = await runScenario(create);
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed", details: { attempts: 3 } } });
    expect(statuses(result)).toEqual(["s1 undone", "s2 failed"]);
    expect(eventTexts(recorded).at(-1)).toBe("run-end");
  });

  it("keeps the step in doubt if not all of its attempts are kept: one of them may have been cut off", async () => {
    const details = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, "v".repeat(2_000)]));
    const large: FakeOutcome = { throws: Object.assign(new Error("no"), { details }) };
    const outcomes: FakeOutcome[] = [...new Array(22).fill(large), { hangs: "until-aborted" }, large];
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes, retry: { maxAttempts: 24 }, timeoutMs: 50, clock })],
      plan: planOf("A"),
      options: { undoOnFailure: true },
      isResumable: false,
    }));
    expect(result).toMatchObject({ status: "failed", error: { details: { attempts: 24 } } });
    expect(result.notUndone).toEqual([{ stepId: "s1", tool: "A", reason: "unknown" }]);
  });
});
