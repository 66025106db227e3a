import { createAgent, createTodoStore, type PlanInput, type Todo } from "planwright";
import { createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import { createFakeTool, createFaultyRunStore } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { newPath } from "../../adapters/sqlite/sqlite-files.ts";
import { statuses } from "../../scenario/ask-for-approval.ts";

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
