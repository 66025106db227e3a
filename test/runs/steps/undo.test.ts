import {
  type AgentEvent,
  createAgent,
  createMemoryRunStore,
  createTodoStore,
  defineTool,
  type PlanInput,
  type RunStore,
  type Todo,
  type Tool,
  type ToolContext,
} from "planwright";
import { createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import { createFakeTool, createFaultyRunStore, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod/v4";
import type { FakeToolOptions } from "../../../src/testing/fake-tool.ts";
import { newPath } from "../../adapters/sqlite/sqlite-files.ts";
import { answerLater } from "../../scenario/answer-later.ts";
import { approvalOf, askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

type Undo = (done: { input: unknown; output: unknown }, context: ToolContext) => unknown;

/** A fake tool that can undo its work. */
function undoable(name: string, undo: Undo = () => {}, rest: Omit<FakeToolOptions, "name"> = {}): Tool {
  return { ...createFakeTool({ name, ...rest }), undo };
}

const failing = (name = "F") => createFakeTool({ name, outcomes: [{ throws: { retryable: false } }] });
const undoing = (events: readonly AgentEvent[]) => eventTexts(events).filter((text) => text.startsWith("undo-"));
const options = { undoOnFailure: true } as const;

describe("undoing a run that failed", () => {
  it("undoes the completed steps, the last first, with the recorded values", async () => {
    const calls: unknown[] = [];
    const undo: Undo = (done, { idempotencyKey, attempt, stepId, metadata }) => {
      calls.push({ ...done, idempotencyKey, attempt, stepId, metadata });
      return "not looked at";
    };
    const { result, events } = await runScenario(() => {
      calls.length = 0;
      return {
        isResumable: false,
        tools: [undoable("A", undo, { outcomes: [{ returns: { at: new Date(0), gone: undefined } }] }), failing()],
        plan: { steps: [step("s1", "A", { input: { n: 1 } }), step("s2", "A", { input: { n: 2 } }), step("s3", "F")] },
        options: { ...options, metadata: { user: "u1" } },
      };
    });
    const output = { at: "1970-01-01T00:00:00.000Z" };
    const rest = { output, attempt: 1, metadata: { user: "u1" } };
    expect(calls).toEqual([
      { ...rest, input: { n: 2 }, stepId: "s2", idempotencyKey: `${result.runId}/s2/undo` },
      { ...rest, input: { n: 1 }, stepId: "s1", idempotencyKey: `${result.runId}/s1/undo` },
    ]);
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(statuses(result)).toEqual(["s1 undone", "s2 undone", "s3 failed"]);
    expect(result).not.toHaveProperty("notUndone");
    expect(result).not.toHaveProperty("output");
    expect(undoing(events)).toEqual(["undo-start s2", "undo-end s2", "undo-start s1", "undo-end s1"]);
    expect(events.find(({ type }) => type === "undo-end")).toMatchObject({
      tool: "A",
      attempts: 1,
      outcome: { status: "completed" },
    });
  });

  it("follows the order in which the steps ended, not that of the plan", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [
        undoable("Slow", undefined, { outcomes: [{ returns: 1, afterMs: 100 }], clock }),
        undoable("Quick", undefined, { outcomes: [{ returns: 1, afterMs: 10 }], clock }),
        failing(),
      ],
      plan: {
        steps: [
          step("a", "Slow", { dependsOn: [] }),
          step("b", "Quick", { dependsOn: [] }),
          step("c", "Quick", { dependsOn: ["b"] }),
          step("f", "F", { dependsOn: ["a", "c"] }),
        ],
      },
      options: { ...options, concurrency: 3 },
    }));
    expect(undoing(events).filter((text) => text.startsWith("undo-start"))).toEqual([
      "undo-start a",
      "undo-start c",
      "undo-start b",
    ]);
  });

  it("passes each a freshly parsed input", async () => {
    const inputs: unknown[] = [];
    const tool = defineTool({
      name: "A",
      description: "x",
      inputSchema: z.object({ n: z.number().transform((n) => n * 2), unit: z.string().default("m") }),
      effect: "idempotent",
      execute: (input) => {
        input.n = 0;
        return null;
      },
      undo: ({ input }) => void inputs.push(input),
    });
    await runScenario(() => ({
      isResumable: false,
      tools: [tool, failing()],
      plan: { steps: [step("s1", "A", { input: { n: 4 } }), step("s2", "F")] },
      options,
    }));
    expect(inputs).toEqual([
      { n: 8, unit: "m" },
      { n: 8, unit: "m" },
    ]);
  });

  it("names the steps that could not be undone, with the reason, and continues", async () => {
    const { result, events } = await runScenario((clock) => ({
      isResumable: false,
      tools: [
        undoable("A"),
        createFakeTool({ name: "None" }),
        undoable("Bad", () => {
          throw Object.assign(new Error("it is stuck"), { retryable: false });
        }),
        createFakeTool({ name: "Pure", effect: "pure" }),
        undoable("PureToo", undefined, { effect: "pure" }),
        createFakeTool({ name: "Once", effect: "once", outcomes: [{ hangs: "forever" }], clock }),
      ],
      plan: planOf("A", "None", "Bad", "Pure", "PureToo", "A", "Once"),
      options: { ...options, timeoutMs: 5_000 },
    }));
    const notUndone = [
      { stepId: "s7", tool: "Once", reason: "unknown" },
      { stepId: "s3", tool: "Bad", reason: "failed" },
      { stepId: "s2", tool: "None", reason: "no-undo" },
    ];
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout" } });
    expect(result.notUndone).toEqual(notUndone);
    expect(events.at(-1)).toMatchObject({ type: "run-end", notUndone });
    expect(statuses(result)).toEqual([
      "s1 undone",
      "s2 completed",
      "s3 completed",
      "s4 completed",
      "s5 completed",
      "s6 undone",
      "s7 unknown",
    ]);
    expect(events.find((event) => event.type === "undo-end" && event.stepId === "s3")).toMatchObject({
      attempts: 1,
      outcome: { status: "failed", error: { code: "tool-failed" } },
    });
  });

  it("retries by the tool's policy, whatever the effect", async () => {
    const attempts: number[] = [];
    const { result, events } = await runScenario(() => ({
      isResumable: false,
      tools: [
        undoable(
          "A",
          (_done, { attempt }) => {
            attempts.push(attempt);
            if (attempt < 3) throw new Error("busy");
          },
          { effect: "once", retry: { maxAttempts: 3, minDelayMs: 50 } },
        ),
        failing(),
      ],
      plan: planOf("A", "F"),
      options,
    }));
    expect(attempts).toEqual([1, 2, 3, 1, 2, 3]);
    expect(result.steps[0]).toMatchObject({ status: "undone", attempts: 1 });
    expect(events.filter(({ type }) => type === "step-retry")).toMatchObject([
      { stepId: "s1", undo: true, attempt: 1, delayMs: 50, error: { message: "busy" } },
      { stepId: "s1", undo: true, attempt: 2, delayMs: 100 },
    ]);
    expect(events.find(({ type }) => type === "undo-end")).toMatchObject({ attempts: 3 });
  });

  it("gives each attempt the tool's time limit", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [
        undoable(
          "A",
          (_done, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
            }),
          { timeoutMs: 100, retry: { maxAttempts: 2 } },
        ),
        failing(),
      ],
      plan: planOf("A", "F"),
      options,
    }));
    expect(result.notUndone).toEqual([{ stepId: "s1", tool: "A", reason: "failed" }]);
    expect(events.find(({ type }) => type === "undo-end")).toMatchObject({
      attempts: 2,
      outcome: { status: "failed", error: { code: "timeout", details: { scope: "step" } } },
    });
  });
});

describe("a run that ends", () => {
  const slow = () => createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] });

  it("is undone if it was cancelled, and cancelling again changes nothing", async () => {
    const { result, events } = await runScenario((clock) => ({
      tools: [undoable("A", () => new Promise<void>((resolve) => clock.setTimeout(resolve, 50))), slow()],
      plan: planOf("A", "A", "Slow"),
      options,
      act: async ({ handle, clock }) => {
        await clock.advance(10);
        handle.cancel("enough");
        await clock.advance(60);
        handle.cancel("at once");
      },
    }));
    expect(result).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
    expect(statuses(result)).toEqual(["s1 undone", "s2 undone", "s3 cancelled"]);
    expect(events.at(-1)).toMatchObject({ outcome: { status: "cancelled" } });
  });

  it("is undone at its deadline, which does not limit the undoing", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [undoable("A", () => new Promise<void>((resolve) => clock.setTimeout(resolve, 5_000))), slow()],
      plan: planOf("A", "Slow"),
      options: { ...options, timeoutMs: 100 },
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout" } });
    expect(statuses(result)).toEqual(["s1 undone", "s2 failed"]);
  });

  it("is undone after a rejection, in the execution that gets it", async () => {
    const { result } = await runScenario(() => ({
      tools: [undoable("A"), askingTool("B")],
      plan: planOf("A", "B"),
      options,
      executions: [
        ({ another, runId, result }) => {
          expect(statuses(result)).toEqual(["s1 completed", "s2 waiting"]);
          expect(result).not.toHaveProperty("notUndone");
          return another().reject(runId, approvalOf(result, "s2"));
        },
      ],
    }));
    expect(result.error?.code).toBe("approval-rejected");
    expect(statuses(result)).toEqual(["s1 undone", "s2 skipped"]);
  });

  it.each([
    ["completed", { plan: planOf("A"), options }, "s1 completed"],
    ["failed without the option", { plan: planOf("A", "F") }, "s1 completed"],
  ] as const)("is not undone if it %s", async (_how, scenario, first) => {
    const { result, events } = await runScenario(() => ({ tools: [undoable("A"), failing()], ...scenario }));
    expect(statuses(result)[0]).toBe(first);
    expect(undoing(events)).toEqual([]);
    expect(result).not.toHaveProperty("notUndone");
  });

  it("is not undone if nothing was done, as the plan failed", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [undoable("A")],
      planner: createScriptedPlanner([new Error("no idea")]),
      request: "Do it",
      options,
    }));
    expect(result.status).toBe("failed");
    expect(undoing(events)).toEqual([]);
  });

  it("is undone in the end if failures do not stop it, including the steps after the failure", async () => {
    const { result } = await runScenario(() => ({
      tools: [undoable("A"), failing()],
      plan: { steps: [step("f", "F", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      options: { ...options, onStepFailure: "continue" },
    }));
    expect(statuses(result)).toEqual(["f failed", "a undone"]);
  });
});

describe.each([
  ["at once", (store: RunStore) => store],
  ["later", answerLater],
])("a store that fails while a run is undone, answering %s", (_when, wrap) => {
  it.each(["undo-start", "undo-end"] as const)("at %s stops it", async (type) => {
    const memory = createMemoryRunStore();
    const store = Object.assign(Object.create(memory) as RunStore, {
      append: (...[runId, events, rest]: Parameters<RunStore["append"]>) => {
        if (events.some((event) => event.type === type)) throw new Error("disk full");
        return memory.append(runId, events, rest);
      },
    });
    const undone: string[] = [];
    const tool = undoable("A", (_done, { stepId }) => undone.push(stepId));
    const agent = createAgent({ tools: [tool, failing()], store: wrap(store) });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const result = await agent.execute(planOf("A", "A", "F") as never, options);
    expect(result).toMatchObject({ status: "failed", error: { code: "store-failed" } });
    expect(undone).toEqual(type === "undo-start" ? [] : ["s2"]);
    expect(statuses(result)).toEqual(["s1 completed", "s2 completed", "s3 failed"]);
    // A start that listeners have received also ends for them.
    expect(undoing(events)).toEqual(type === "undo-start" ? [] : ["undo-start s2", "undo-end s2"]);
    expect(events.at(-1)?.type).toBe("run-end");
  });
});

const plan: PlanInput = {
  steps: [
    { id: "add", tool: "TodoStore", input: { operation: "add", title: "pay {rent}", priority: "high" } },
    { id: "done", tool: "TodoStore", input: { operation: "complete", id: { $ref: "add.id" } } },
    { id: "rename", tool: "TodoStore", input: { operation: "update", title: "milk", newTitle: "tea" } },
    { id: "gone", tool: "TodoStore", input: { operation: "delete", title: "eggs" } },
    { id: "fail", tool: "F", input: {} },
  ],
};

/** A process of its own on a file, as far as it can die. */
function openProcess(path: string, work?: () => Promise<never>) {
  const runs = createSqliteRunStore({ path });
  const storage = createSqliteTodos({ path });
  onTestFinished(() => {
    storage.close();
    runs.close();
  });
  const store = createFaultyRunStore(runs);
  const failing = createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] });
  const killing = {
    ...failing,
    execute() {
      store.crash();
      return work?.();
    },
  };
  const tool = work === undefined ? failing : killing;
  const agent = createAgent({ tools: [createTodoStore({ storage }), tool], store });
  const sorted = async () => (await storage.find("default", { sort: "title", limit: 9 })).todos;
  return { agent, store, storage, sorted };
}

function addTodos({ storage }: ReturnType<typeof openProcess>): readonly Todo[] {
  return ["eggs", "milk"].map((title) => {
    const todo: Todo = {
      id: title,
      title,
      completed: false,
      list: "todos",
      createdAt: "2026-11-22T10:00:00.000Z",
      tags: [],
    };
    storage.apply("default", { key: title, operation: "add", change: { type: "insert", todo } });
    return todo;
  });
}

describe("todos of a run that failed", () => {
  it("are as before, even if the process was killed and another one undoes", async () => {
    const path = newPath();
    const first = openProcess(path, () => new Promise(() => {}));
    const before = addTodos(first);
    first.agent.start(plan, { runId: "r", undoOnFailure: true });
    await first.store.crashed;
    expect((await first.sorted()).map(({ title }) => title)).toEqual(["pay {rent}", "tea"]);
    const { agent, sorted } = openProcess(path);
    const result = await agent.resume("r");
    expect(result.status).toBe("failed");
    expect(statuses(result)).toEqual(["add undone", "done undone", "rename undone", "gone undone", "fail failed"]);
    expect(await sorted()).toEqual(before);
  });

  it("stay if somebody has changed them, and the run lists these", async () => {
    const path = newPath();
    const process = openProcess(path);
    addTodos(process);
    process.agent.on("step-start", ({ stepId }) => {
      if (stepId !== "fail") return;
      const change = { type: "patch", id: "milk", fields: { title: "coffee" } } as const;
      process.storage.apply("default", { key: "other", operation: "update", change });
    });
    const { notUndone, runId } = await process.agent.execute(plan, { undoOnFailure: true });
    expect(notUndone).toEqual([{ stepId: "rename", tool: "TodoStore", reason: "failed" }]);
    expect((await process.sorted()).map(({ title }) => title)).toEqual(["coffee", "eggs"]);
    const run = await process.agent.getRun(runId);
    expect(run?.steps.find(({ stepId }) => stepId === "rename")).toMatchObject({ status: "completed" });
  });
});
