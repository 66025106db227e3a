import { type AgentEvent, createAgent, createMemoryRunStore, type RunStore, type Tool } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { drivers, newPath, openStore } from "../../adapters/sqlite/sqlite-files.ts";
import { answerLater } from "../../scenario/answer-later.ts";
import { approvalOf, askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { decideAtOnce } from "../../scenario/decide-at-once.ts";
import { askingAgent, deciderOf } from "../../scenario/deciders.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { checkInvariants, runScenario, type Scenario } from "../../scenario/run-scenario.ts";

const sideBySide = { steps: [step("s1", "B", { dependsOn: [] }), step("s2", "B", { dependsOn: [] })] };

const stores: [string, (store: RunStore) => RunStore][] = [
  ["at once", (store) => store],
  ["later", answerLater],
];

/** A run that is suspended with two waiting steps, in a store that two agents share. */
async function suspended(wrap: (store: RunStore) => RunStore, tools: readonly Tool[], plan: object = sideBySide) {
  const memory = createMemoryRunStore();
  const store = wrap(memory);
  const make = () => createAgent({ tools, store });
  const result = await make().execute(plan as never);
  expect(result.status).toBe("suspended");
  return { memory, store, make, result, runId: result.runId };
}

describe.each(stores)("decisions at the same time, with a store that answers %s", (_when, wrap) => {
  it("about different steps in one agent are both taken", async () => {
    const tool = askingTool("B");
    const { make, result, runId, memory } = await suspended(wrap, [tool]);
    const agent = make();
    const handles = ["s1", "s2"].map((id) => agent.approve(runId, approvalOf(result, id)));
    const ends = await Promise.all(handles.map((handle) => handle.result));
    expect(ends.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(tool.calls).toHaveLength(2);
    const recorded = await memory.read(runId);
    expect(eventTexts(recorded).filter((text) => text.startsWith("run-"))).toEqual([
      "run-start",
      "run-suspend",
      "run-resume",
      "run-end",
    ]);
    checkInvariants({ events: recorded, recorded, result: ends[0] as never });
  });

  it("count as one if they agree: both callers see how the run ends", async () => {
    const tool = askingTool("B");
    const { make, result, runId, memory } = await suspended(wrap, [tool], planOf("B"));
    const agent = make();
    const handles = [1, 2].map(() => agent.approve(runId, approvalOf(result, "s1")));
    const ends = await Promise.allSettled(handles.map((handle) => handle.result));
    expect(ends).toMatchObject([
      { status: "fulfilled", value: { status: "completed" } },
      { status: "fulfilled", value: { status: "completed" } },
    ]);
    expect(tool.calls).toHaveLength(1);
    const recorded = await memory.read(runId);
    expect(eventTexts(recorded).filter((text) => text === "approval-end s1")).toHaveLength(1);
  });

  it("take only the first if one approves and one rejects", async () => {
    const tool = askingTool("B");
    const { make, result, runId, memory } = await suspended(wrap, [tool], planOf("B"));
    const agent = make();
    const handles = [agent.approve(runId, approvalOf(result, "s1")), agent.reject(runId, approvalOf(result, "s1"))];
    const ends = await Promise.allSettled(handles.map((handle) => handle.result));
    expect(ends).toMatchObject([{ value: { status: "completed" } }, { reason: { code: "run-conflict" } }]);
    expect(eventTexts(await memory.read(runId)).filter((text) => text === "approval-end s1")).toHaveLength(1);
  });

  it("in two agents resume the run in exactly one; the other gets its end, and the tool runs once", async () => {
    const tool = askingTool("B", { effect: "once" });
    const { make, result, runId, memory } = await suspended(wrap, [tool], planOf("B"));
    const handles = [make(), make()].map((agent) => agent.approve(runId, approvalOf(result, "s1")));
    const ends = await Promise.allSettled(handles.map((handle) => handle.result));
    expect(ends).toMatchObject([{ value: { status: "completed" } }, { value: { status: "completed" } }]);
    expect(tool.calls).toHaveLength(1);
    const recorded = await memory.read(runId);
    expect(recorded.map(({ sequence }) => sequence)).toEqual(recorded.map((_event, index) => index + 1));
    expect(eventTexts(recorded).filter((text) => text === "approval-end s1")).toHaveLength(1);
  });

  it("with a wrong hash leave the stored run unchanged", async () => {
    const { make, result, runId, memory } = await suspended(wrap, [askingTool("B")], planOf("B"));
    const before = await memory.read(runId);
    const agent = make();
    const wrong = agent.approve(runId, { kind: "step", stepId: "s1", hash: "0".repeat(64) });
    await expect(wrong.result).rejects.toMatchObject({ code: "run-conflict" });
    await expect(agent.approve(runId, { ...approvalOf(result, "s1"), stepId: "s9" }).result).rejects.toMatchObject({
      code: "run-conflict",
    });
    expect(await memory.read(runId)).toEqual(before);
    const end = await agent.approve(runId, approvalOf(result, "s1")).result;
    expect(end.status).toBe("completed");
  });

  it("work together with a start of the same run id", async () => {
    const tool = askingTool("B");
    const memory = createMemoryRunStore();
    const agent = createAgent({ tools: [tool], store: wrap(memory) });
    const plan = planOf("B") as never;
    const result = await agent.execute(plan, { runId: "r" });
    const again = agent.start(plan, { runId: "r" });
    const approving = agent.approve("r", approvalOf(result, "s1"));
    const another = agent.start(plan, { runId: "r" });
    expect((await approving.result).status).toBe("completed");
    expect(["suspended", "completed"]).toContain((await again.result).status);
    expect(["suspended", "completed"]).toContain((await another.result).status);
    expect((await agent.execute(plan, { runId: "r" })).status).toBe("completed");
    expect(tool.calls).toHaveLength(1);
  });
});

describe("a decision while a step with unknown outcome keeps the run suspended", () => {
  const once = () => createFakeTool({ name: "A", effect: "once", timeoutMs: 10, outcomes: [{ hangs: "forever" }] });

  it("is taken, and the run is suspended again", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [once(), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      executions: [({ another, result }) => another().approve(result.runId, approvalOf(result, "b"))],
    }));
    expect(statuses(result)).toEqual(["b waiting", "a unknown"]);
    expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "a" }] });
    expect(events.at(-1)?.type).toBe("run-suspend");
  });
});

describe("a decision that comes when the run is about to be suspended", () => {
  it.each(["step-end", "step-start", "approval-request"] as const)("in a listener of %s counts", async (type) => {
    const { result } = await runScenario(() => ({
      tools: [askingTool("B"), createFakeTool({ name: "A" })],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      act: ({ agent }) => {
        let asked: AgentEvent | undefined;
        agent.on("approval-request", (event) => {
          asked = event;
        });
        agent.on(type, () => {
          if (asked?.type === "approval-request" && asked.kind === "step") agent.approve(asked.runId, asked);
        });
      },
    }));
    expect(result.status).toBe("completed");
  });
});

const three: Scenario["plan"] = { steps: ["s1", "s2", "s3"].map((id) => step(id, "B", { dependsOn: [] })) };

describe("several waiting steps", () => {
  it.each([[["s1", "s2", "s3"]], [["s3", "s1", "s2"]], [["s2", "s3", "s1"]]])(
    "are approved one by one, as %j",
    async (order) => {
      const open: string[][] = [];
      const { result, events } = await runScenario(() => {
        open.length = 0;
        return {
          isResumable: false,
          tools: [askingTool("B", { effect: "once" })],
          plan: three,
          executions: order.map((id) => ({ another, runId, result }) => {
            open.push((result.pending ?? []).map((item) => ("stepId" in item ? item.stepId : "")));
            return another().approve(runId, approvalOf(result, id));
          }),
        };
      });
      expect(result.status).toBe("completed");
      expect(open).toEqual([["s1", "s2", "s3"], ["s1", "s2", "s3"].filter((id) => id !== order[0]), [order[2]]]);
      expect(eventTexts(events).filter((text) => text.startsWith("step-start"))).toEqual(
        order.map((id) => `step-start ${id}`),
      );
    },
  );

  it("may be approved first and rejected later: the run fails, and completed steps stay", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: three,
      executions: [
        ({ another, runId, result }) => another().approve(runId, approvalOf(result, "s1")),
        ({ another, runId, result }) => another().reject(runId, approvalOf(result, "s2"), { reason: "too much" }),
      ],
    }));
    const details = { stepId: "s2", reason: "too much" };
    expect(result).toMatchObject({ status: "failed", error: { code: "approval-rejected", details } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 skipped", "s3 skipped"]);
    expect(events.filter(({ type }) => type === "step-skip")).toMatchObject([
      { stepId: "s2", reason: "approval-rejected" },
      { stepId: "s3", reason: "run-ended" },
    ]);
  });

  it("continue after a rejection if failures do not stop the run, except for its dependents", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B"), createFakeTool({ name: "A" })],
      plan: {
        steps: [
          step("no", "B", { dependsOn: [] }),
          step("after", "A", { dependsOn: ["no"] }),
          step("yes", "B", { dependsOn: [] }),
        ],
      },
      options: { onStepFailure: "continue" },
      executions: [
        ({ another, runId, result }) => another().reject(runId, approvalOf(result, "no")),
        ({ another, runId, result }) => another().approve(runId, approvalOf(result, "yes")),
      ],
    }));
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "approval-rejected", details: { stepId: "no", reason: "no reason given" } },
    });
    expect(statuses(result)).toEqual(["no skipped", "after skipped", "yes completed"]);
    expect(events.filter(({ type }) => type === "step-skip")).toMatchObject([
      { stepId: "no", reason: "approval-rejected" },
      { stepId: "after", reason: "dependency-failed" },
    ]);
  });
});

// Those of several processes with SQLite and PostgreSQL are with the adapters.
const storesOfOneProcess: readonly (readonly [string, number, () => RunStore])[] = [
  ["memory", 200, () => createMemoryRunStore()],
  ["memory, answering later", 200, () => answerLater(createMemoryRunStore())],
  ...drivers.map((driver) => [`SQLite by ${driver}`, 20, () => openStore(newPath(), { driver })] as const),
];

describe.each(storesOfOneProcess)("with %s, %d times", (_name, count, createStore) => {
  it.each([2, 3])("one of %d people who decide at once decides", async (people) => {
    const store = createStore();
    const deciders = Array.from({ length: people }, () => deciderOf(askingAgent(store)));
    await decideAtOnce(store, deciders, count);
  });
});
