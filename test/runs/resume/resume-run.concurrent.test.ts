import { type AgentEvent, createAgent } from "planwright";
import { createFakeTool, createManualClock, type FakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { answerLater } from "../../scenario/answer-later.ts";
import { eventTexts } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { baseOptions, record, resumeFrom, storeOf, until } from "../../scenario/resume-from.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";

const works = (name = "A") => createFakeTool({ name, outcomes: [{ returns: name }] });
const pay = (name = "Pay") => createFakeTool({ name, effect: "once", outcomes: [{ returns: name }] });
const create = () => ({ tools: [works(), works("B")], plan: planOf("A", "B") });

/** A run that was cut off in its second step. */
async function cutOff(): Promise<readonly AgentEvent[]> {
  const { recorded } = await record(create);
  return until(recorded, "step-start s2");
}

const codeOf = (result: Promise<unknown>) =>
  result.then(
    (value) => (value as { status: string }).status,
    (error: { code: string }) => error.code,
  );

describe("a run that is resumed more than once in one agent", () => {
  it("resumes once, for all callers", async () => {
    const { events, result } = await resumeFrom(
      await cutOff(),
      () => ({ tools: create().tools }),
      async ({ agent, runId }) => {
        const [one, other, third] = await Promise.all([1, 2, 3].map(() => agent.resume(runId)));
        expect(other).toEqual(one);
        expect(third).toEqual(one);
        return one as never;
      },
    );
    expect(result.status).toBe("completed");
    expect(eventTexts(events).filter((one) => one === "run-resume")).toHaveLength(1);
  });

  it("is joined while it is executing", async () => {
    const { events, result } = await resumeFrom(
      await cutOff(),
      () => ({ tools: create().tools }),
      async ({ agent, runId }) => {
        const joined: Promise<unknown>[] = [];
        agent.on("step-start", () => joined.push(agent.resume(runId)));
        const first = await agent.resume(runId);
        expect(await Promise.all(joined)).toEqual([first]);
        return first;
      },
    );
    expect(result.status).toBe("completed");
    expect(eventTexts(events).filter((one) => one === "run-resume")).toHaveLength(1);
  });

  it("is resumed even if the store could not read it the first time", async () => {
    const { store, runId } = await storeOf(await cutOff());
    let reads = 0;
    const failing = withMethods(store, {
      read: (...args) => {
        if (++reads === 1) throw new Error("not now");
        return store.read(...args);
      },
    });
    const clock = createManualClock();
    const agent = createAgent({ ...baseOptions(clock), tools: create().tools, store: answerLater(failing) });
    const codes = await clock.runUntil(Promise.all([1, 2, 3].map(() => codeOf(agent.resume(runId)))));
    expect(codes).toEqual(["store-failed", "completed", "completed"]);
    expect(eventTexts(await store.read(runId)).filter((one) => one === "run-resume")).toHaveLength(1);
  });

  it("is also resumed by starting its id", async () => {
    const { recorded } = await record(() => ({ ...create(), options: { runId: "r" } }));
    const { store } = await storeOf(until(recorded, "step-start s2"));
    const clock = createManualClock();
    const agent = createAgent({ ...baseOptions(clock), tools: create().tools, store: answerLater(store) });
    const started = codeOf(agent.start(planOf("A", "B") as never, { runId: "r" }).result);
    const resumed = codeOf(agent.resume("r"));
    expect(await clock.runUntil(Promise.all([started, resumed]))).toEqual(["completed", "completed"]);
    expect(eventTexts(await store.read("r")).filter((one) => one === "run-resume")).toHaveLength(1);
  });

  it("is joined while it runs for the first time", async () => {
    const clock = createManualClock();
    const agent = createAgent({ ...baseOptions(clock), tools: create().tools });
    const { runId, result } = agent.start(planOf("A", "B") as never);
    const resumed = agent.resume(runId);
    expect(await clock.runUntil(resumed)).toEqual(await result);
  });
});

describe("settling two steps at once in one agent", () => {
  const payments = () => ({
    tools: [pay(), works()],
    plan: {
      steps: [
        step("s1", "Pay", { dependsOn: [] }),
        step("s2", "Pay", { dependsOn: [] }),
        step("s3", "A", { dependsOn: ["s1", "s2"] }),
      ],
    },
    options: { concurrency: 2 },
  });

  it("takes the first if both are the same step, and refuses the other", async () => {
    const { recorded } = await record(payments);
    const { result } = await resumeFrom(
      until(recorded, "step-start s1"),
      () => ({ tools: payments().tools }),
      async ({ agent, runId }) => {
        await agent.resume(runId);
        const first = agent.settle(runId, "s1", { output: 1 }).result;
        const second = codeOf(agent.settle(runId, "s1", { output: 2 }).result);
        const result = await first;
        expect(await second).toBe("run-conflict");
        return result;
      },
    );
    expect(result).toMatchObject({ status: "completed", steps: [{ output: 1 }, {}, {}] });
  });

  it("settles different steps of one run one after another", async () => {
    const { recorded } = await record(payments);
    const { result, events } = await resumeFrom(
      until(recorded, "step-start s2"),
      () => ({ tools: payments().tools }),
      async ({ agent, runId }) => {
        expect((await agent.resume(runId)).pending).toHaveLength(2);
        const first = agent.settle(runId, "s1", { output: 1 }).result;
        const second = agent.settle(runId, "s2", { output: 2 }).result;
        expect((await first).status).toBe("suspended");
        return second;
      },
    );
    expect(result).toMatchObject({ status: "completed", steps: [{ output: 1 }, { output: 2 }, {}] });
    expect(eventTexts(events).filter((one) => one.startsWith("run-"))).toEqual([
      ...["run-resume", "run-suspend", "run-resume", "run-settle s1", "run-suspend"],
      ...["run-resume", "run-settle s2", "run-end"],
    ]);
  });
});

describe.each([
  ["at once", false],
  ["later", true],
])("a run that is resumed in two processes, with a store that answers %s", (_when, isSlow) => {
  it("resumes in exactly one of them", async () => {
    const used: FakeTool[][] = [];
    const tools = () => {
      const made = [works(), works("B")];
      used.push(made);
      return made;
    };
    const recorded = await cutOff();
    const { clock, process, store } = await share(tools, { isSlow, recorded });
    const runId = recorded[0]?.runId ?? "";
    const [one, other] = [process(), process()];
    const codes = await clock.runUntil(Promise.all([codeOf(one.resume(runId)), codeOf(other.resume(runId))]));
    expect([...codes].sort()).toEqual(["completed", "run-owned-elsewhere"]);
    expect(used.flat().reduce((sum, { name, calls }) => sum + (name === "B" ? calls.length : 0), 0)).toBe(1);
    expect(eventTexts(await store.read(runId)).filter((type) => type === "run-resume")).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("returns its result to the other one later, and is listed as resumable only in between", async () => {
    const recorded = await cutOff();
    const { clock, process } = await share(() => create().tools, { isSlow, recorded });
    const runId = recorded[0]?.runId ?? "";
    const [one, other] = [process(), process()];
    const resumable = async () => (await other.listRuns({ resumable: true })).runs.map((run) => run.runId);
    expect(await resumable()).toEqual([runId]);
    let during: string[] = ["nobody looked"];
    one.on("step-start", async () => {
      during = await resumable();
    });
    const result = await clock.runUntil(one.resume(runId));
    expect(during).toEqual([]);
    expect(await resumable()).toEqual([]);
    expect(await other.resume(runId)).toEqual(result);
  });
});
