import { defineTool, type SettleOptions } from "planwright";
import { createFakeTool, type FakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { type Resume, record, resumeFrom, until } from "../../scenario/resume-from.ts";
import type { Scenario } from "../../scenario/run-scenario.ts";

const paying = (name = "Pay") => createFakeTool({ name, effect: "once", outcomes: [{ returns: { id: 7 } }] });
const plain = () => createFakeTool({ name: "A", outcomes: [{ returns: 1 }] });

/** A step that must run only once, and one that needs its output. */
function pay(): Scenario & { tools: readonly FakeTool[] } {
  return {
    tools: [paying(), plain()],
    plan: { steps: [step("s1", "Pay"), step("s2", "A", { input: { of: { $ref: "s1.id" } } })] },
  };
}

/** Three iterations at once, each of which must run only once. */
const loop = (options: Scenario["options"] = {}): Scenario => ({
  tools: [paying(), plain()],
  plan: { steps: [step("s1", "Pay", { forEach: "[1, 2, 3]", concurrency: 3 }), step("s2", "A")] },
  options,
});

const agentOf = ({ plan: _plan, options: _options, ...rest }: Scenario) => rest;

/** Kills a run at an event, lets it wait and settles a step of it. */
async function settled(
  { create = pay, last = "step-start s1" }: { create?: () => Scenario; last?: string },
  settling: SettleOptions,
  then: Resume = async ({ agent, runId }) => (await agent.getRun(runId)) as never,
) {
  const { recorded } = await record(create);
  let tools: readonly FakeTool[] = [];
  const played = await resumeFrom(
    until(recorded, last),
    () => {
      tools = create().tools as readonly FakeTool[];
      return { tools };
    },
    async (around) => {
      expect((await around.agent.resume(around.runId)).status).toBe("suspended");
      const result = await around.agent.settle(around.runId, "s1", settling).result;
      await then(around);
      return result;
    },
  );
  return { ...played, tools };
}

/** The error with which settling a step is refused. */
async function refusal(settling: SettleOptions & { stepId?: string }, create: () => Scenario = pay) {
  const { recorded } = await record(create);
  const last = eventTexts(recorded).find((one) => one.startsWith("step-start s1")) as string;
  let refused: unknown;
  const { stepId = "s1", ...options } = settling;
  const { events } = await resumeFrom(
    until(recorded, last),
    () => agentOf(create()),
    async ({ agent, runId }) => {
      const waiting = await agent.resume(runId);
      refused = await agent.settle(runId, stepId, options).result.catch((error: unknown) => error);
      return waiting;
    },
  );
  expect(eventTexts(events).at(-1)).toBe("run-suspend");
  return refused;
}

describe("a step in doubt", () => {
  it("is completed with the output it is settled with, and not run", async () => {
    const { result, tools, events } = await settled({}, { output: { id: 9 } });
    expect(result).toMatchObject({ status: "completed", steps: [{ status: "completed", output: { id: 9 } }, {}] });
    expect(tools.map(({ calls }) => calls.length)).toEqual([0, 1]);
    expect(tools[1]?.calls[0]?.input).toEqual({ of: 9 });
    expect(eventTexts(events).slice(3)).toEqual([
      "run-resume",
      "run-settle s1",
      "step-start s2",
      "step-end s2",
      "run-end",
    ]);
    expect(result.steps[0]).not.toHaveProperty("error");
  });

  it("runs again, with the same key, if it is settled with retry", async () => {
    const { result, tools } = await settled({}, { retry: true });
    expect(result).toMatchObject({ status: "completed", steps: [{ output: { id: 7 }, attempts: 2 }, {}] });
    expect(tools[0]?.calls[0]?.context).toMatchObject({ idempotencyKey: `${result.runId}/s1`, attempt: 2 });
  });

  it("fails if it is settled as failed, and so does its run", async () => {
    const { result, tools } = await settled({}, { failed: "the bank has no such payment" });
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "tool-failed", message: "the bank has no such payment", details: { stepId: "s1", tool: "Pay" } },
    });
    expect(statuses(result)).toEqual(["s1 failed", "s2 skipped"]);
    expect(tools.map(({ calls }) => calls.length)).toEqual([0, 0]);
  });

  it("that was settled as failed runs again when the run is resumed and somebody allows it, not before", async () => {
    const { recorded } = await record(pay);
    const { result, events } = await resumeFrom(
      until(recorded, "step-start s1"),
      () => agentOf(pay()),
      async ({ agent, runId }) => {
        await agent.resume(runId);
        expect((await agent.settle(runId, "s1", { failed: "no" }).result).status).toBe("failed");
        const error = { code: "tool-failed", message: "no" };
        expect(await agent.resume(runId)).toMatchObject({ status: "suspended", pending: [{ stepId: "s1", error }] });
        return agent.settle(runId, "s1", { retry: true }).result;
      },
    );
    expect(result).toMatchObject({ status: "completed", steps: [{ output: { id: 7 } }, {}] });
    expect(eventTexts(events).filter((one) => one === "step-start s1")).toHaveLength(1);
  });

  it("may be in doubt again, when the process dies again", async () => {
    const { recorded } = await settled({}, { retry: true });
    const again = recorded.slice(0, eventTexts(recorded).lastIndexOf("step-start s1") + 1);
    const { result } = await resumeFrom(again, () => agentOf(pay()));
    expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "s1" }] });
  });

  it("needs no second settling if its process died right after it was settled", async () => {
    const { recorded } = await settled({}, { output: { id: 9 } });
    const { result } = await resumeFrom(until(recorded, "run-settle s1"), () => agentOf(pay()));
    expect(result).toMatchObject({ status: "completed", steps: [{ output: { id: 9 } }, {}] });
  });

  it("is settled as null with an output that is undefined", async () => {
    const create = () => ({ tools: [paying(), plain()], plan: planOf("Pay", "A") });
    const { result } = await settled({ create }, { output: undefined } as SettleOptions);
    expect(result.steps[0]).toMatchObject({ status: "completed", output: null });
  });

  it("may come from a timeout instead of a dead process, and is settled as well", async () => {
    const create = (): Scenario => ({
      tools: [createFakeTool({ name: "Pay", effect: "once", timeoutMs: 10, outcomes: [{ hangs: "until-aborted" }] })],
      plan: planOf("Pay"),
    });
    const { recorded, result } = await record(create);
    expect(result.status).toBe("suspended");
    const { result: end } = await resumeFrom(
      recorded,
      () => agentOf(create()),
      ({ agent, runId }) => agent.settle(runId, "s1", { output: 1 }).result,
    );
    expect(end).toMatchObject({ status: "completed", output: 1 });
  });
});

describe("an iteration in doubt", () => {
  it("is settled by its number, one after another", async () => {
    const { recorded } = await record(() => loop());
    const { result, events } = await resumeFrom(
      until(recorded, "step-start s1[2]"),
      () => agentOf(loop()),
      async ({ agent, runId }) => {
        const { pending } = await agent.resume(runId);
        expect(pending).toMatchObject([0, 1, 2].map((iteration) => ({ kind: "outcome", stepId: "s1", iteration })));
        const one = await agent.settle(runId, "s1", { iteration: 1, output: "one" }).result;
        expect(one.pending).toMatchObject([0, 2].map((iteration) => ({ kind: "outcome", stepId: "s1", iteration })));
        const two = await agent.settle(runId, "s1", { iteration: 2, retry: true }).result;
        expect(two.pending).toMatchObject([{ kind: "outcome", stepId: "s1", iteration: 0 }]);
        return agent.settle(runId, "s1", { iteration: 0, output: "zero" }).result;
      },
    );
    expect(result.status).toBe("completed");
    expect(result.steps.map(({ output }) => output)).toEqual(["zero", "one", { id: 7 }, 1]);
    // With one in doubt, no other iteration of the loop starts.
    expect(eventTexts(events).filter((one) => one.startsWith("step-start"))).toEqual([
      "step-start s1[2]",
      "step-start s2",
    ]);
  });

  it.each([
    ["stop", ["s1 failed", "s1 completed", "s1 completed", "s2 skipped"]],
    ["continue", ["s1 failed", "s1 completed", "s1 completed", "s2 skipped"]],
  ] as const)("that has failed fails its loop: %s", async (onStepFailure, expected) => {
    const create = () => loop({ onStepFailure });
    const { recorded } = await record(create);
    const { result } = await resumeFrom(
      until(recorded, "step-start s1[2]"),
      () => agentOf(create()),
      async ({ agent, runId }) => {
        await agent.resume(runId);
        await agent.settle(runId, "s1", { iteration: 2, output: 2 }).result;
        await agent.settle(runId, "s1", { iteration: 0, failed: "no" }).result;
        return agent.settle(runId, "s1", { iteration: 1, output: 1 }).result;
      },
    );
    expect(result).toMatchObject({ status: "failed", error: { message: "no" } });
    expect(statuses(result)).toEqual(expected);
  });

  it("that is settled as failed leaves unstarted iterations and the loop's dependents skipped", async () => {
    const create = (): Scenario => ({
      tools: [paying(), plain()],
      plan: { steps: [step("s1", "Pay", { forEach: "[1, 2, 3]" }), step("s2", "A")] },
    });
    const { result, events } = await settled({ create, last: "step-start s1[0]" }, { iteration: 0, failed: "no" });
    expect(result).toMatchObject({ status: "failed", error: { message: "no" } });
    const skipped = events.flatMap((event) => (event.type === "step-skip" ? [`${event.stepId} ${event.reason}`] : []));
    expect(skipped).toEqual(["s1 run-ended", "s1 run-ended", "s2 dependency-failed"]);
  });
});

describe("settling is refused", () => {
  it.each([
    [
      "for the second time",
      async () => {
        let refused: unknown;
        await settled({}, { output: { id: 1 } }, async ({ agent, runId }) => {
          refused = await agent.settle(runId, "s1", { output: { id: 2 } }).result.catch((error: unknown) => error);
          return (await agent.getRun(runId)) as never;
        });
        return refused;
      },
      'the status of step "s1" is completed, not unknown',
    ],
    ["for a step that does not exist", () => refusal({ stepId: "s9", output: 1 }), 'it has no step "s9"'],
    ["for a step that is not in doubt", () => refusal({ stepId: "s2", output: 1 }), "is pending, not unknown"],
    ["for an iteration of a step that has none", () => refusal({ iteration: 0, output: 1 }), 'it has no step "s1[0]"'],
    ["for a loop as a whole", () => refusal({ output: 1 }, () => loop()), "has iterations"],
    [
      "for an iteration that does not exist",
      () => refusal({ iteration: 3, output: 1 }, () => loop()),
      'it has no step "s1[3]"',
    ],
  ])("%s", async (_what, refuse, message) => {
    expect(await refuse()).toMatchObject({ code: "run-conflict", message: expect.stringContaining(message) });
  });

  it("for a run that does not exist", async () => {
    const { recorded } = await record(pay);
    await resumeFrom(
      recorded,
      () => agentOf(pay()),
      async ({ agent, runId }) => {
        const { result } = agent.settle("nobody", "s1", { retry: true });
        await expect(result).rejects.toMatchObject({ code: "run-not-found" });
        return agent.resume(runId);
      },
    );
  });

  it("before the run has been resumed, as nothing is in doubt yet", async () => {
    const { recorded } = await record(pay);
    await resumeFrom(
      until(recorded, "step-start s1"),
      () => agentOf(pay()),
      async ({ agent, runId }) => {
        const { result } = agent.settle(runId, "s1", { retry: true });
        await expect(result).rejects.toMatchObject({ code: "run-conflict" });
        return agent.resume(runId);
      },
    );
  });

  it.each([
    ["not JSON", { output: 1n }],
    ["too large", { output: "x".repeat(2_000) }],
  ])("with an output that is %s", async (_what, settling) => {
    const refused = await refusal(settling as SettleOptions, () => ({ ...pay(), maxOutputBytes: 1_000 }));
    expect(refused).toMatchObject({ code: "invalid-tool-output", details: { stepId: "s1", tool: "Pay" } });
  });

  it.each([
    ["at once", z.object({ id: z.number() })],
    ["later", z.object({ id: z.number() }).refine(async () => true)],
  ])(
    "with an output that fails its tool's schema, checked %s; valid output is stored as parsed",
    async (_when, outputSchema) => {
      const tool = () =>
        defineTool({
          name: "Pay",
          description: "x",
          inputSchema: z.looseObject({}),
          outputSchema,
          effect: "once",
          execute: () => ({ id: 7 }),
        });
      const create = (): Scenario => ({ tools: [tool(), plain()], plan: planOf("Pay", "A") });
      expect(await refusal({ output: { id: "seven" } }, create)).toMatchObject({
        code: "invalid-tool-output",
        details: { stepId: "s1", tool: "Pay", issues: [{ path: ["id"] }] },
      });
      const { result } = await settled({ create }, { output: { id: 1, more: 2 } } as SettleOptions);
      expect(result.steps[0]).toMatchObject({ output: { id: 1 } });
    },
  );
});
