import { createMemoryTodos } from "planwright";
import { describe, expect, it } from "vitest";
import { testTodoStorage, todoWith } from "./todo-storage-contract.ts";

describe("createMemoryTodos", () => {
  testTodoStorage({ describe, it, expect }, createMemoryTodos);

  it("drops the oldest records beyond rememberedWrites, over all scopes", async () => {
    const storage = createMemoryTodos({ rememberedWrites: 3 });
    const write = (scope: string, id: string) =>
      storage.apply(scope, { key: id, operation: "add", change: { type: "insert", todo: todoWith({ id }) } });
    for (const id of ["1", "2"]) await write("a", id);
    for (const id of ["1", "2"]) await write("b", id);
    expect(await storage.recall("a", "1")).toBeUndefined();
    expect(await storage.recall("a", "2")).toBeDefined();
    expect(await storage.recall("b", "1")).toBeDefined();
    expect((await storage.find("a", { limit: 9 })).count).toBe(2);
  });

  it("returns frozen todos", async () => {
    const storage = createMemoryTodos();
    const todo = todoWith({ id: "x", tags: ["t"] });
    await storage.apply("a", { key: "k", operation: "add", change: { type: "insert", todo } });
    const [found] = (await storage.find("a", { limit: 1 })).todos;
    expect(Object.isFrozen(found) && Object.isFrozen(found?.tags)).toBe(true);
  });

  it("keeps todos without a valid date last", async () => {
    const storage = createMemoryTodos();
    const dates = ["2026-11-24", "soon", "2026-11-22", "later", "2026-11-23"];
    for (const [index, dueDate] of dates.entries()) {
      const todo = todoWith({ id: String(index), dueDate });
      await storage.apply("a", { key: todo.id, operation: "add", change: { type: "insert", todo } });
    }
    const { todos } = await storage.find("a", { sort: "due", limit: 9 });
    expect(todos.map(({ id }) => id)).toEqual(["2", "4", "0", "1", "3"]);
  });

  it("refuses wrong options", () => {
    for (const rememberedWrites of [0, Number.NaN, "3"]) {
      const options = JSON.parse(JSON.stringify({ rememberedWrites }));
      expect(() => createMemoryTodos(options)).toThrow("memoryTodos.rememberedWrites");
    }
    expect(() => createMemoryTodos(JSON.parse('{"size":3}'))).toThrow("memoryTodos.size");
  });
});
