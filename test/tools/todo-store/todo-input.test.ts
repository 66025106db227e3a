import { createTodoStore, describeCall, type TodoStoreInput } from "planwright";
import { describe, expect, it } from "vitest";
import { toJsonSchema } from "../../../src/core/schema.ts";
import { createTodoInputSchema } from "../../../src/tools/todo-store/todo-input.ts";

const todoInputSchema = createTodoInputSchema();
const messageOf = (input: unknown) => {
  const { error } = todoInputSchema.safeParse(input);
  return error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
};

describe("the input schema", () => {
  it("accepts every input of its type", () => {
    const target = { title: "a", list: "l" };
    const inputs: TodoStoreInput[] = [
      { operation: "add", title: "a", list: "l", dueDate: "2026-11-22", priority: "low", tags: ["t"] },
      { operation: "add", title: "a", dueAt: "2026-11-22T17:00:00+01:00" },
      { operation: "update", id: "x", dueAt: null },
      { operation: "list", list: "l", status: "all", dueBefore: "2026-11-22", dueAfter: "2026-11-22T10:00Z" },
      { operation: "list", dueOn: "2026-11-22", tag: "t", priority: "high", sort: "due", reverse: true },
      { operation: "list", offset: 0, limit: 1 },
      { operation: "get", id: "x" },
      { operation: "complete", ...target },
      { operation: "reopen", index: -1 },
      { operation: "delete", index: 1, list: "l" },
      { operation: "update", ...target, newTitle: "b", newList: "m", dueDate: null, priority: null, tags: [] },
      { operation: "update", id: "x", addTags: ["a"], removeTags: ["b"] },
      { operation: "clear", list: "l", onlyCompleted: true },
      { operation: "clear", allLists: true },
      { operation: "search", query: "q", list: "l", offset: 1, limit: 1_000 },
    ];
    for (const input of inputs) expect(messageOf(input)).toBeUndefined();
  });

  it.each([
    [{ operation: "add" }, "title"],
    [{ operation: "add", title: " \n " }, "title"],
    [{ operation: "add", title: "x".repeat(1_001) }, "title"],
    [{ operation: "add", title: 5 }, "title"],
    [{ operation: "add", title: "a", due: "2026-11-22" }, "due"],
    [{ operation: "add", title: "a", dueDate: "tomorrow" }, "dueDate: must be an ISO 8601 date"],
    [{ operation: "add", title: "a", dueDate: "2026-02-30" }, "that exists"],
    [{ operation: "add", title: "a", dueAt: "2026-11-22" }, "dueAt: must be an ISO 8601 date and time with offset"],
    [{ operation: "add", title: "a", dueAt: "2026-11-22T17:00" }, "dueAt"],
    [{ operation: "add", title: "a", dueDate: "2026-11-22", dueAt: "2026-11-22T17:00Z" }, "give dueDate or dueAt"],
    [{ operation: "update", id: "x", dueDate: null, dueAt: "2026-11-22T17:00Z" }, "give dueDate or dueAt"],
    [{ operation: "add", title: "a", list: " " }, "list"],
    [{ operation: "add", title: "a", priority: "urgent" }, "priority"],
    [{ operation: "add", title: "a", tags: Array(21).fill("x") }, "tags"],
    [{ operation: "list", dueOn: "2026-11-22T10:00Z" }, "dueOn"],
    [{ operation: "list", limit: 0 }, "limit"],
    [{ operation: "list", limit: 1_001 }, "limit"],
    [{ operation: "complete" }, "exactly one of id, title and index"],
    [{ operation: "complete", id: "x", title: "a" }, "exactly one"],
    [{ operation: "delete", index: 0 }, "positions count from 1"],
    [{ operation: "delete", index: 1.5 }, "index"],
    [{ operation: "update", id: "x", title: "new" }, "a new title goes into newTitle"],
    [{ operation: "update", id: "x" }, "give at least one of newTitle"],
    [{ operation: "update", id: "x", tags: ["a"], addTags: ["b"] }, "give tags, which replaces all, or addTags"],
    [{ operation: "update", id: "x", addTags: ["A"], removeTags: ["a"] }, "not in both"],
    [{ operation: "update", id: "x", addTags: [] }, "addTags"],
    [{ operation: "add", title: "a", addTags: ["b"] }, "addTags"],
    [{ operation: "clear", list: "l", allLists: true }, "not both"],
    [{ operation: "clear", tag: "x", dueOn: "2026-11-22" }, "clear takes no tag, dueOn: it clears a whole list"],
    [{ operation: "clear", status: "completed" }, "onlyCompleted; to remove some, list them with the filter"],
    [{ operation: "search", query: "" }, "query"],
    [{ operation: "archive" }, "operation"],
    [{ title: "a" }, "operation"],
  ])("refuses %j", (input, message) => {
    expect(messageOf(input)).toContain(message);
  });

  it("is described to models as one schema for each operation", async () => {
    const schema = await toJsonSchema(todoInputSchema, "input");
    const branches = schema.oneOf ?? schema.anyOf ?? [];
    const operations = branches.map((branch) => branch.properties?.operation?.const);
    expect(operations).toEqual(["add", "list", "get", "complete", "reopen", "update", "delete", "clear", "search"]);
    expect(branches[0]?.required).toEqual(["operation", "title"]);
    expect(JSON.stringify(branches[0]?.properties?.dueDate)).toContain("A date (2026-11-22)");
  });
});

it.each<[TodoStoreInput, string]>([
  [
    { operation: "add", title: "call Ann", dueDate: "2026-12-04", tags: ["a", "b"] },
    'add the todo "call Ann", due date: 2026-12-04, tags: ["a","b"]',
  ],
  [{ operation: "list" }, "show the todos"],
  [{ operation: "search", query: "milk", list: "shopping" }, "search the todos, query: milk, list: shopping"],
  [{ operation: "update", index: 2, dueAt: null }, "change the todo, index: 2, due at: null"],
  [{ operation: "clear", allLists: true }, "clear the todos, all lists: true"],
])("%j is said to whoever approves it", (input, said) => {
  expect(describeCall({ tool: "TodoStore", input: { ...input } }, { tools: [createTodoStore()] })).toContain(said);
});
