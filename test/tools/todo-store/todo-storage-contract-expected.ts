import type { Todo } from "planwright";
import type { TodoWrite } from "planwright/testing";
import type { TodoChange, TodoPatch } from "../../../src/tools/todo-store/todo-storage.ts";
import { type ContractRunner, todoWith } from "./todo-storage-contract.ts";
import type { TodoStorageHelpers } from "./todo-storage-contract-queries.ts";

/** What a change that must be able to be undone needs of a storage. */
export function testExpectations({ describe, it, expect }: ContractRunner, { filled }: TodoStorageHelpers): void {
  const patch = (key: string, fields: TodoPatch, expected?: Todo): TodoWrite => {
    const change: TodoChange = { type: "patch", id: "x", fields, ...(expected && { expected }) };
    return { key, operation: "undo", change };
  };
  const removal = (key: string, expected: Todo): TodoWrite => {
    return { key, operation: "undo", change: { type: "remove", id: "x", expected } };
  };

  describe("the state of a todo before a change", () => {
    it("is recorded with a patch, and returned with its record", async () => {
      const todo = { id: "x", dueDate: "2026-11-22", tags: ["t"] };
      const storage = await filled(todo);
      const record = await storage.apply("a", { ...patch("k", { title: "new", dueDate: null }), operation: "update" });
      expect(record?.before).toStrictEqual(todoWith(todo));
      await storage.apply("a", patch("l", { title: "newer" }));
      expect(await storage.recall("a", "k")).toStrictEqual(record);
      expect(await storage.apply("a", patch("k", { title: "again" }))).toStrictEqual(record);
    });

    it("is not recorded for inserts and removals", async () => {
      const storage = await filled({ id: "x" });
      expect(await storage.recall("a", "insert x")).not.toHaveProperty("before");
      const record = await storage.apply("a", removal("k", todoWith({ id: "x" })));
      expect(record).toStrictEqual({ operation: "undo", result: todoWith({ id: "x" }) });
    });
  });

  describe("the expected state of a todo", () => {
    const full = todoWith({ id: "x", dueDate: "2026-11-22", priority: "low", tags: ["s", "t"] });
    const others: readonly Partial<Todo>[] = [
      { title: "Title of x " },
      { completed: true },
      { list: "Todos" },
      { createdAt: "2026-11-22T10:00:00.001Z" },
      { completedAt: "2026-11-22T10:00:00.000Z" },
      { dueDate: "2026-11-23" },
      { dueAt: "2026-11-22T17:00:00+01:00" },
      { priority: "high" },
      { tags: ["t", "s"] },
      { tags: ["s,t"] },
    ];

    it("permits a change if the todo is equal, in any order of keys", async () => {
      const backwards = Object.fromEntries(Object.entries(full).reverse()) as unknown as Todo;
      for (const write of [patch("k", { title: "new" }, backwards), removal("k", backwards)]) {
        const storage = await filled(full);
        expect(await storage.apply("a", write)).toBeDefined();
        expect((await storage.find("a", { limit: 9 })).todos.filter(({ title }) => title === full.title)).toEqual([]);
      }
    });

    it("prevents a change and its record if any field differs", async () => {
      const storage = await filled(full);
      for (const fields of others) {
        const expected = { ...full, ...fields };
        expect(await storage.apply("a", patch("k", { title: "new" }, expected))).toBeUndefined();
        expect(await storage.apply("a", removal("k", expected))).toBeUndefined();
      }
      expect(await storage.recall("a", "k")).toBeUndefined();
      expect(await storage.find("a", { limit: 9 })).toEqual({ todos: [full], count: 1, completed: 0 });
    });

    it("is not checked if the key has a record", async () => {
      const storage = await filled(full);
      const record = await storage.apply("a", patch("k", { title: "new" }, full));
      expect(await storage.apply("a", patch("k", { title: "new" }, full))).toStrictEqual(record);
    });
  });
}
