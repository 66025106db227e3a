import { type Agent, createAgent, createMemoryRunStore, defineTool, type PlanInput, type Tool } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { withMethods } from "../../scenario/two-processes.ts";

const input = z.object({ n: z.number().optional() });

const tool = (name: string, rest: object = {}): Tool =>
  defineTool({
    name,
    description: "Counts",
    inputSchema: input,
    effect: "idempotent",
    execute: ({ n = 0 }) => ({ n: n + 1 }),
    ...rest,
  });

const chain: PlanInput = {
  steps: [
    step("s1", "A", { input: { n: 1 } }),
    step("s2", "A", { input: { n: { $ref: "s1.n" } } }),
    step("s3", "A", { input: { n: { $ref: "s2.n" } } }),
  ],
};

/** Runs a plan; returns what each commit had, without those of the run itself. */
async function commitsOf(
  plan: PlanInput,
  { tools = [tool("A")], concurrency = 1, onCommit = () => {} }: Partial<Committing> = {},
) {
  const commits: string[] = [];
  const memory = createMemoryRunStore();
  let agent: Agent;
  const store = withMethods(memory, {
    append: async (...args) => {
      await memory.append(...args);
      const texts = eventTexts(args[1]);
      commits.push(texts.join(", "));
      onCommit(texts.at(-1) ?? "", agent);
    },
  });
  agent = createAgent({ tools, store, abortGraceMs: 0 });
  const result = await agent.execute(plan as never, { concurrency, runId: "run" });
  return { commits: commits.slice(1, -1), result, store, agent };
}

interface Committing {
  readonly tools: readonly Tool[];
  readonly concurrency: number;
  readonly onCommit: (last: string, agent: Agent) => void;
}

describe("the end of a step", () => {
  it("is recorded together with the start of the next one, which has its output", async () => {
    const { commits, result } = await commitsOf(chain);
    expect(commits).toEqual([
      "step-start s1",
      "step-end s1, step-start s2",
      "step-end s2, step-start s3",
      "step-end s3",
    ]);
    expect(result.output).toEqual({ n: 4 });
  });

  it("is recorded together with the next start that waits for a free slot, the earliest first", async () => {
    const free = (id: string) => step(id, "A", { dependsOn: [] });
    const { commits } = await commitsOf({
      steps: [free("a"), free("b"), step("c", "A", { dependsOn: ["a"] }), free("d")],
    });
    expect(commits).toEqual([
      "step-start a",
      "step-end a, step-start b",
      "step-end b, step-start c",
      "step-end c, step-start d",
      "step-end d",
    ]);
  });

  it("is recorded together with the start of the next iteration", async () => {
    const { commits, result } = await commitsOf({
      steps: [step("s1", "A", { forEach: "[1, 2, 3]", input: { n: { $ref: "item" } } })],
    });
    expect(commits).toHaveLength(4);
    expect(result.output).toEqual([{ n: 2 }, { n: 3 }, { n: 4 }]);
  });

  it("starts the others that depend on it, too, if there is room for them", async () => {
    const needs = (id: string) => step(id, "A", { dependsOn: ["s1"], input: { n: { $ref: "s1.n" } } });
    const { commits, result } = await commitsOf(
      { steps: [step("s1", "A"), needs("s2"), needs("s3"), step("s4", "A", { dependsOn: ["s2", "s3"] })] },
      { concurrency: 4 },
    );
    expect(commits[1]).toBe("step-end s1, step-start s2");
    expect(statuses(result)).toEqual(["s1 completed", "s2 completed", "s3 completed", "s4 completed"]);
  });

  const waiting: Record<string, { step?: object; tool?: object }> = {
    "a limit": { tool: { concurrency: 1 } },
    "an approval that is not needed after all": { tool: { needsApproval: () => false } },
    "a condition": { step: { when: "1 == 1" } },
    "an async schema": { tool: { inputSchema: input.refine(async () => true) } },
  };
  it.each(Object.keys(waiting))("is recorded alone before %s", async (what) => {
    const { step: rest, tool: options } = waiting[what] ?? {};
    const tools = [tool("A"), tool("B", options)];
    const { commits, result } = await commitsOf({ steps: [step("s1", "A"), step("s2", "B", rest)] }, { tools });
    expect(commits).toEqual(["step-start s1", "step-end s1", "step-start s2", "step-end s2"]);
    expect(result.status).toBe("completed");
  });

  it.each(["an approval that is not needed after all", "an async schema"])(
    "is recorded alone before %s, and the next step is skipped if the run is cancelled meanwhile",
    async (what) => {
      const { events, result } = await runScenario(() => ({
        tools: [tool("A"), tool("B", waiting[what]?.tool)],
        plan: planOf("A", "B"),
        act: ({ agent, handle }) => {
          agent.on("step-end", () => handle.cancel("enough"));
        },
      }));
      expect(statuses(result)).toEqual(["s1 completed", "s2 skipped"]);
      expect(eventTexts(events)).not.toContain("step-start s2");
    },
  );

  it("is recorded alone if the step has failed, and the next one does not start", async () => {
    const tools = [createFakeTool({ name: "A", outcomes: [{ throws: { retryable: false } }] }), tool("B")];
    const { commits } = await commitsOf(planOf("A", "B"), { tools });
    expect(commits.slice(0, 2)).toEqual(["step-start s1", "step-end s1"]);
  });
});

describe("a step that starts as another one ends", () => {
  const pay = () => {
    let calls = 0;
    const once = tool("Pay", { effect: "once", execute: () => ({ n: ++calls }) });
    return { tools: [tool("A"), once], calls: () => calls };
  };
  const plan = planOf("A", "Pay");

  it("is cancelled without a call, and not in doubt, if the run is cancelled in between", async () => {
    const { tools, calls } = pay();
    const { result } = await commitsOf(plan, {
      tools,
      onCommit: (last, agent) => {
        if (last === "step-start s2") void agent.cancel("run", "enough");
      },
    });
    expect(statuses(result)).toEqual(["s1 completed", "s2 cancelled"]);
    expect(result.steps[1]).toMatchObject({ attempts: 0 });
    expect(calls()).toBe(0);
  });

  it("is interrupted without a call if the agent is closed in between, and is called once it is resumed", async () => {
    const { tools, calls } = pay();
    const { result, store } = await commitsOf(plan, {
      tools,
      onCommit: (last, agent) => {
        if (last === "step-start s2") void agent.close();
      },
    });
    expect(result.status).toBe("interrupted");
    expect(result.steps[1]).toMatchObject({ status: "interrupted", attempts: 0 });
    expect(calls()).toBe(0);
    const resumed = await createAgent({ tools, store }).resume(result.runId);
    expect(statuses(resumed)).toEqual(["s1 completed", "s2 completed"]);
    expect(calls()).toBe(1);
  });

  it("is emitted after that end, both once they are recorded", async () => {
    const { events } = await runScenario(() => ({ tools: [tool("A")], plan: chain }));
    expect(eventTexts(events)).toEqual([
      "run-start",
      "step-start s1",
      "step-end s1",
      "step-start s2",
      "step-end s2",
      "step-start s3",
      "step-end s3",
      "run-end",
    ]);
  });

  it("fails without a call if its input does not fit", async () => {
    const tools = [tool("A"), tool("B", { inputSchema: z.object({ n: z.string() }) })];
    const { result } = await commitsOf(
      { steps: [step("s1", "A"), step("s2", "B", { input: { n: { $ref: 's1["n"]' } } })] },
      { tools },
    );
    expect(result.steps[1]).toMatchObject({ status: "failed", attempts: 0, error: { code: "invalid-tool-input" } });
  });
});
