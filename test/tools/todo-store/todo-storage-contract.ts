import type { Todo, TodoStorage } from "planwright";
import type * as vitest from "vitest";
import type { TodoChange } from "../../../src/tools/todo-store/todo-storage.ts";
import { testExpectations } from "./todo-storage-contract-expected.ts";
import { testTodoOrder } from "./todo-storage-contract-order.ts";
import { type TodoStorageHelpers, testTodoQueries } from "./todo-storage-contract-queries.ts";

/** The functions of the test runner that a contract suite needs. */
export type ContractRunner = Pick<typeof vitest, "describe" | "it" | "expect">;

/** A todo with an id and what matters in a test. */
export function todoWith(fields: Partial<Todo> & { id: string }): Todo {
  return {
    title: `Title of ${fields.id}`,
    completed: false,
    list: "todos",
    createdAt: "2026-11-22T10:00:00.000Z",
    tags: [],
    ...fields,
  };
}

/**
 * What every {@link TodoStorage} must do. `create` makes a new, empty one; `orders` is how many random lists are sorted,
 * which takes long where each change is a round trip.
 */
export function testTodoStorage(
  { describe, it, expect }: ContractRunner,
  create: () => TodoStorage | Promise<TodoStorage>,
  { orders = 40 }: { readonly orders?: number } = {},
): void {
  const filled = async (...todos: (Partial<Todo> & { id: string })[]) => {
    const storage = await create();
    for (const todo of todos) {
      const change: TodoChange = { type: "insert", todo: todoWith(todo) };
      await storage.apply("a", { key: `insert ${todo.id}`, operation: "add", change });
    }
    return storage;
  };
  const idsOf: TodoStorageHelpers["idsOf"] = async (storage, query = {}, scope = "a") => {
    const { todos } = await storage.find(scope, { limit: 100, ...query });
    return todos.map((todo) => todo.id).join(" ");
  };

  const runner = { describe, it, expect };
  const helpers = { filled, idsOf };
  testChanges(runner, helpers);
  testRemovals(runner, helpers);
  testKeys(runner, helpers);
  testScopes(runner, helpers);
  testTodoQueries(runner, helpers);
  testTodoOrder(runner, helpers, orders);
  testExpectations(runner, helpers);
}

function testChanges({ describe, it, expect }: ContractRunner, { filled, idsOf }: TodoStorageHelpers): void {
  describe("a change", () => {
    it("inserts a todo unchanged", async () => {
      const todo = todoWith({ id: "x", title: '{"$ref":"s1"} ${HOME}', tags: ["b", "a"], priority: "low" });
      const storage = await filled(todo);
      const found = await storage.find("a", { id: "x", limit: 1 });
      expect(found).toEqual({ todos: [todo], count: 1, completed: 0 });
    });

    it("does not insert an existing id", async () => {
      const storage = await filled({ id: "x", title: "first" });
      const change: TodoChange = { type: "insert", todo: todoWith({ id: "x", title: "second" }) };
      expect(await storage.apply("a", { key: "k", operation: "add", change })).toBeUndefined();
      expect(await storage.recall("a", "k")).toBeUndefined();
      expect((await storage.find("a", { limit: 9 })).todos.map((todo) => todo.title)).toEqual(["first"]);
    });

    it("patches the given fields, and removes those set to null", async () => {
      const storage = await filled({ id: "x", dueDate: "2026-11-22", priority: "low" }, { id: "y" });
      const dueAt = "2026-11-22T17:00:00+01:00";
      const completedAt = "2026-11-22T11:00:00.000Z";
      const fields = { completed: true, completedAt, dueDate: null, dueAt, title: "new", list: "Work", tags: ["t"] };
      const write = { key: "k", operation: "update" as const, change: { type: "patch" as const, id: "x", fields } };
      const { dueDate, ...expected } = todoWith({ id: "x", priority: "low", ...fields, dueDate: undefined });
      const record = await storage.apply("a", write);
      const before = todoWith({ id: "x", dueDate: "2026-11-22", priority: "low" });
      expect(record).toStrictEqual({ operation: "update", result: expected, before });
      expect((await storage.find("a", { id: "x", limit: 1 })).todos).toStrictEqual([expected]);
      expect(await idsOf(storage, { titleKey: "new" })).toBe("x");
      expect(await idsOf(storage, { list: "work" })).toBe("x");
      expect(await idsOf(storage)).toBe("x y");
      const undo = { completed: false, completedAt: null, dueAt: null, priority: null };
      await storage.apply("a", { ...write, key: "l", change: { ...write.change, fields: undo } });
      const { completedAt: gone, dueAt: also, priority, ...left } = expected;
      expect((await storage.find("a", { id: "x", limit: 1 })).todos).toStrictEqual([{ ...left, completed: false }]);
    });

    it("cannot be made through given or returned objects", async () => {
      const tags = ["t"];
      const storage = await filled({ id: "x", tags });
      tags.push("u");
      const { todos } = await storage.find("a", { limit: 1 });
      const given: { tags: readonly string[] } | undefined = todos[0];
      try {
        Object.assign(given ?? {}, { title: "changed", tags: [] });
      } catch {
        // A frozen one refuses.
      }
      expect((await storage.find("a", { limit: 1 })).todos).toEqual([todoWith({ id: "x", tags: ["t"] })]);
    });
  });
}

function testRemovals({ describe, it, expect }: ContractRunner, { filled, idsOf }: TodoStorageHelpers): void {
  describe("a removal", () => {
    it("removes a todo, and returns it", async () => {
      const storage = await filled({ id: "x" }, { id: "y" });
      const record = await storage.apply("a", { key: "k", operation: "delete", change: { type: "remove", id: "x" } });
      expect(record).toEqual({ operation: "delete", result: todoWith({ id: "x" }) });
      expect(await idsOf(storage)).toBe("y");
      expect((await storage.find("a", { id: "x", limit: 1 })).count).toBe(0);
    });

    it("ignores an unknown todo, and records nothing", async () => {
      const storage = await filled({ id: "x" });
      const change: TodoChange = { type: "remove", id: "z" };
      expect(await storage.apply("a", { key: "k", operation: "delete", change })).toBeUndefined();
      const patch: TodoChange = { type: "patch", id: "z", fields: { title: "new" } };
      expect(await storage.apply("a", { key: "k", operation: "update", change: patch })).toBeUndefined();
      expect(await storage.recall("a", "k")).toBeUndefined();
      expect(await idsOf(storage)).toBe("x");
    });

    it("clears a list, its completed todos, or everything", async () => {
      const rows = [
        { id: "x", list: "Work" },
        { id: "y", list: "work", completed: true },
        { id: "z", completed: true },
        { id: "w" },
      ];
      const clear = async (fields: { list?: string; onlyCompleted: boolean }) => {
        const storage = await filled(...rows);
        const change: TodoChange = { type: "clear", ...fields };
        const record = await storage.apply("a", { key: "k", operation: "clear", change });
        return [record?.result, await idsOf(storage)];
      };
      expect(await clear({ list: "WORK", onlyCompleted: false })).toEqual([{ cleared: 2 }, "z w"]);
      expect(await clear({ list: "work", onlyCompleted: true })).toEqual([{ cleared: 1 }, "x z w"]);
      expect(await clear({ onlyCompleted: true })).toEqual([{ cleared: 2 }, "x w"]);
      expect(await clear({ onlyCompleted: false })).toEqual([{ cleared: 4 }, ""]);
      expect(await clear({ list: "other", onlyCompleted: false })).toEqual([{ cleared: 0 }, "x y z w"]);
    });
  });
}

function testKeys({ describe, it, expect }: ContractRunner, { filled, idsOf }: TodoStorageHelpers): void {
  describe("a key", () => {
    it("applies its change once, and returns the same record later", async () => {
      const storage = await filled({ id: "x" });
      const again: TodoChange = { type: "insert", todo: todoWith({ id: "other" }) };
      const record = await storage.apply("a", { key: "insert x", operation: "add", change: again });
      expect(record).toEqual({ operation: "add", result: todoWith({ id: "x" }) });
      expect(await storage.recall("a", "insert x")).toEqual(record);
      expect(await idsOf(storage)).toBe("x");
    });

    it("keeps its record, whatever happens to the todo later", async () => {
      const storage = await filled({ id: "x" });
      const change: TodoChange = { type: "patch", id: "x", fields: { title: "new" } };
      await storage.apply("a", { key: "k", operation: "update", change });
      await storage.apply("a", { key: "l", operation: "delete", change: { type: "remove", id: "x" } });
      expect(await storage.recall("a", "insert x")).toEqual({ operation: "add", result: todoWith({ id: "x" }) });
      const removed = await storage.apply("a", { key: "l", operation: "delete", change: { type: "remove", id: "x" } });
      expect(removed).toEqual({ operation: "delete", result: todoWith({ id: "x", title: "new" }) });
    });

    it("records even a patch or a clear that changes nothing", async () => {
      const storage = await filled({ id: "x" });
      await storage.apply("a", { key: "k", operation: "complete", change: { type: "patch", id: "x", fields: {} } });
      const todo = todoWith({ id: "x" });
      expect(await storage.recall("a", "k")).toEqual({ operation: "complete", result: todo, before: todo });
      const change: TodoChange = { type: "clear", list: "none", onlyCompleted: false };
      await storage.apply("a", { key: "l", operation: "clear", change });
      expect(await storage.recall("a", "l")).toEqual({ operation: "clear", result: { cleared: 0 } });
    });
  });
}

function testScopes({ describe, it, expect }: ContractRunner, { filled, idsOf }: TodoStorageHelpers): void {
  describe("a scope", () => {
    it("has its own todos, ids and keys", async () => {
      const storage = await filled({ id: "x" });
      expect(await idsOf(storage, {}, "b")).toBe("");
      expect(await idsOf(storage, { id: "x" }, "b")).toBe("");
      expect(await storage.recall("b", "insert x")).toBeUndefined();
      const remove: TodoChange = { type: "remove", id: "x" };
      expect(await storage.apply("b", { key: "k", operation: "delete", change: remove })).toBeUndefined();
      const insert: TodoChange = { type: "insert", todo: todoWith({ id: "x", title: "of b" }) };
      await storage.apply("b", { key: "insert x", operation: "add", change: insert });
      const clear: TodoChange = { type: "clear", onlyCompleted: false };
      await storage.apply("b", { key: "l", operation: "clear", change: clear });
      expect(await idsOf(storage, {}, "b")).toBe("");
      expect(await idsOf(storage)).toBe("x");
    });

    it("can be any text, as can a key", async () => {
      const storage = await filled();
      const names = ["__proto__", "constructor", "", "a\u0000b", "a", '"', "[", "%", "_", "ä", "\u{1F600}"];
      for (const scope of names) {
        for (const key of names) {
          const change: TodoChange = { type: "insert", todo: todoWith({ id: key || "empty", title: scope }) };
          await storage.apply(scope, { key, operation: "add", change });
        }
      }
      for (const scope of names) {
        const { todos, count } = await storage.find(scope, { limit: 100 });
        expect(count).toBe(names.length);
        expect(todos.every((todo) => todo.title === scope)).toBe(true);
        expect((await storage.recall(scope, "a\u0000b"))?.result).toMatchObject({ id: "a\u0000b", title: scope });
      }
    });
  });
}
