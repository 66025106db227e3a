import { setImmediate as turn } from "node:timers/promises";
import { createFakeTool, type FakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { record, resumeFrom, until } from "../../scenario/resume-from.ts";
import type { Scenario } from "../../scenario/run-scenario.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";

const returning = (name: string, value: unknown) => createFakeTool({ name, outcomes: [{ returns: value }] });
const paying = () => createFakeTool({ name: "Pay", effect: "once", outcomes: [{ returns: "paid" }] });

/** Three steps, of which the second refers to the first. */
function chain(): Scenario & { tools: readonly FakeTool[] } {
  return {
    tools: [returning("A", { value: 1 }), returning("B", 2), returning("C", 3)],
    plan: { steps: [step("s1", "A"), step("s2", "B", { input: { of: { $ref: "s1.value" } } }), step("s3", "C")] },
  };
}

const agentOf = ({ plan: _plan, request: _request, options: _options, ...rest }: Scenario) => rest;

describe("a run whose process died", () => {
  it("runs no recorded step again, and runs the step that was cut off again with the same key", async () => {
    const { recorded } = await record(chain);
    let tools: readonly FakeTool[] = [];
    const resumed = await resumeFrom(until(recorded, "step-start s2"), () => {
      const scenario = chain();
      tools = scenario.tools;
      return agentOf(scenario);
    });
    expect(resumed.result).toMatchObject({ status: "completed", output: 3 });
    expect(tools.map(({ calls }) => calls.length)).toEqual([0, 1, 1]);
    const { runId } = resumed.result;
    expect(tools[1]?.calls[0]).toMatchObject({
      input: { of: 1 },
      context: { attempt: 2, idempotencyKey: `${runId}/s2` },
    });
    expect(eventTexts(resumed.events)).toEqual([
      "run-resume",
      "step-end s2",
      "step-start s2",
      "step-end s2",
      "step-start s3",
      "step-end s3",
      "run-end",
    ]);
    expect(resumed.events[1]).toMatchObject({
      outcome: { status: "interrupted", error: { code: "interrupted", retryable: true } },
      attempts: 1,
    });
  });

  it("starts its next execution and ends the last one in one append", async () => {
    const { recorded } = await record(chain);
    const appended: string[][] = [];
    await resumeFrom(
      until(recorded, "step-start s2"),
      () => agentOf(chain()),
      async ({ agent, runId, store }) => {
        const { append } = store;
        store.append = (id, events, options) => {
          appended.push([...eventTexts(events)]);
          return append.call(store, id, events, options);
        };
        return agent.resume(runId);
      },
    );
    expect(appended[0]).toEqual(["run-resume", "step-end s2"]);
  });

  it.each([
    ["before its first step", "run-start", ["run-resume", "step-start s1"]],
    ["between two steps", "step-end s1", ["run-resume", "step-start s2"]],
    ["before its end was recorded", "step-end s3", ["run-resume", "run-end"]],
  ])("resumes %s", async (_when, last, first) => {
    const { recorded, result } = await record(chain);
    const resumed = await resumeFrom(until(recorded, last), () => agentOf(chain()));
    expect(eventTexts(resumed.events).slice(0, 2)).toEqual(first);
    expect(resumed.result).toMatchObject({ status: "completed", output: result.output });
  });

  it("keeps context, metadata and options, and accepts resources and signal again", async () => {
    const options = { context: "at home", metadata: { user: "u1" }, concurrency: 3, resources: 1 };
    const { recorded } = await record(() => ({ ...chain(), options }));
    const tool = returning("B", 2);
    const [a, , c] = chain().tools;
    const { signal } = new AbortController();
    const resumed = await resumeFrom(
      until(recorded, "step-start s2"),
      () => ({ tools: [a as FakeTool, tool, c as FakeTool] }),
      ({ agent, runId }) => agent.resume(runId, { resources: 2, signal }),
    );
    expect(resumed.result.status).toBe("completed");
    expect(tool.calls[0]?.context).toMatchObject({ metadata: { user: "u1" }, resources: 2 });
    expect(resumed.recorded.filter(({ type }) => type === "run-start")).toMatchObject([{ context: "at home" }]);
  });

  it("is cancelled by the signal of the process that resumes it, and throws if requested", async () => {
    const { recorded } = await record(chain);
    const prefix = until(recorded, "step-start s2");
    const signal = AbortSignal.abort("enough");
    const { result } = await resumeFrom(
      prefix,
      () => agentOf(chain()),
      ({ agent, runId }) => agent.resume(runId, { signal }),
    );
    expect(result).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 interrupted", "s3 skipped"]);
    await resumeFrom(
      prefix,
      () => agentOf(chain()),
      async ({ agent, runId }) => {
        const thrown = await agent.resume(runId, { signal, throwOnFailure: true }).catch((error: unknown) => error);
        expect(thrown).toMatchObject({ code: "cancelled" });
        return agent.resume(runId);
      },
    );
  });

  it("has a new deadline", async () => {
    const create = (): Scenario => ({
      tools: [returning("A", 1), createFakeTool({ name: "B", outcomes: [{ hangs: "until-aborted" }] })],
      plan: planOf("A", "B"),
      options: { timeoutMs: 100 },
    });
    const { recorded } = await record(create);
    const { result, clock, events } = await resumeFrom(until(recorded, "step-start s2"), () => agentOf(create()));
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
    expect(clock.now() - Date.parse(events[0]?.timestamp ?? "")).toBe(100);
  });

  it("can die in each of its executions", async () => {
    const { recorded } = await record(chain);
    const second = await resumeFrom(until(recorded, "step-start s2"), () => agentOf(chain()));
    const cut = second.recorded.length - 4;
    expect(eventTexts(second.recorded.slice(0, cut)).at(-1)).toBe("step-start s2");
    const third = await resumeFrom(second.recorded.slice(0, cut), () => agentOf(chain()));
    expect(third.result.status).toBe("completed");
    expect(eventTexts(third.recorded).filter((one) => one === "step-end s2")).toHaveLength(3);
  });
});

describe("a step that must run only once", () => {
  const create = () => ({ tools: [paying(), returning("A", 1)], plan: planOf("Pay", "A") });

  it("is unknown when the process died while it ran: the run waits for its outcome", async () => {
    const { recorded } = await record(create);
    const { result, events } = await resumeFrom(until(recorded, "step-start s1"), () => agentOf(create()));
    expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "s1" }] });
    expect(statuses(result)).toEqual(["s1 unknown", "s2 pending"]);
    expect(eventTexts(events)).toEqual(["run-resume", "step-end s1", "run-suspend"]);
    expect(events[1]).toMatchObject({ outcome: { status: "unknown", error: { code: "outcome-unknown" } } });
  });

  it("keeps waiting when it is resumed again", async () => {
    const { recorded } = await record(create);
    const { events, result } = await resumeFrom(
      until(recorded, "step-start s1"),
      () => agentOf(create()),
      async ({ agent, runId }) => {
        const first = await agent.resume(runId);
        expect(await agent.resume(runId)).toEqual(first);
        return first;
      },
    );
    expect(events).toHaveLength(3);
    expect(result.status).toBe("suspended");
  });

  it("runs if it had not started, and does not run again once it has ended", async () => {
    const { recorded } = await record(create);
    for (const [last, calls] of [
      ["run-start", 1],
      ["step-end s1", 0],
    ] as const) {
      let pay = paying();
      const { result } = await resumeFrom(until(recorded, last), () => {
        pay = paying();
        return { tools: [pay, returning("A", 1)] };
      });
      expect(result.status).toBe("completed");
      expect(pay.calls).toHaveLength(calls);
    }
  });

  it("leaves steps beside it to run when its outcome is known", async () => {
    const together = () => ({
      tools: [paying(), returning("A", 1)],
      plan: { steps: [step("s1", "Pay", { dependsOn: [] }), step("s2", "A", { dependsOn: [] })] },
      options: { concurrency: 2 },
    });
    const { recorded } = await record(together);
    const { result, events } = await resumeFrom(
      until(recorded, "step-start s2"),
      () => agentOf(together()),
      async ({ agent, runId }) => {
        expect(statuses(await agent.resume(runId))).toEqual(["s1 unknown", "s2 interrupted"]);
        return agent.settle(runId, "s1", { output: "paid" }).result;
      },
    );
    expect(result).toMatchObject({ status: "completed", steps: [{ output: "paid" }, { output: 1 }] });
    expect(eventTexts(events)).toEqual([
      ...["run-resume", "step-end s1", "step-end s2", "run-suspend"],
      ...["run-resume", "run-settle s1", "step-start s2", "step-end s2", "run-end"],
    ]);
  });
});

describe("resuming a run with nothing left to do", () => {
  it("resolves to its result, and emits no event", async () => {
    const { recorded, result } = await record(chain);
    const resumed = await resumeFrom(recorded, () => agentOf(chain()));
    expect(resumed.result).toEqual(result);
    expect(resumed.events).toEqual([]);
  });

  it("leaves it cancelled if it was cancelled", async () => {
    const create = (): Scenario => ({ ...chain(), act: ({ handle }) => handle.cancel("enough") });
    const { recorded, result } = await record(create);
    const resumed = await resumeFrom(recorded, () => agentOf(chain()));
    expect(resumed.result).toEqual(result);
    expect(resumed.events).toEqual([]);
  });

  it("rejects if it does not exist", async () => {
    const { recorded } = await record(chain);
    await resumeFrom(
      recorded,
      () => agentOf(chain()),
      async ({ agent, runId }) => {
        await expect(agent.resume("nobody")).rejects.toMatchObject({
          code: "run-not-found",
          details: { runId: "nobody" },
        });
        return agent.resume(runId);
      },
    );
  });
});

it("has given the run back when it rejects, though the store takes its time", async () => {
  const tool = createFakeTool({ name: "A" });
  const plan = { steps: [{ id: "s1", tool: "A", input: {} }] };
  const { recorded } = await record(() => ({ tools: [tool], plan }));
  const { process } = await share(() => [tool], { recorded: until(recorded, "step-start s1") });
  const strict = { ...tool, inputSchema: z.object({ to: z.string() }) };
  const other = process({ tools: [strict as never] }, (store) =>
    withMethods(store, {
      release: async (...args) => {
        await turn();
        await store.release(...args);
      },
    }),
  );
  const runId = recorded[0]?.runId ?? "";
  await expect(other.resume(runId)).rejects.toMatchObject({ code: "resume-mismatch" });
  expect(await process().resume(runId)).toMatchObject({ status: "completed" });
});
