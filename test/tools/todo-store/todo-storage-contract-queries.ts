import type { Todo, TodoStorage } from "planwright";
import type { TodoQuery } from "planwright/testing";
import type { TodoChange } from "../../../src/tools/todo-store/todo-storage.ts";
import type { ContractRunner } from "./todo-storage-contract.ts";

/** What the cases of a storage's contract share. All is in the scope `a` unless another is named. */
export interface TodoStorageHelpers {
  /** A new storage with these todos, each of which was inserted under the key `insert ` and its id. */
  filled(...todos: (Partial<Todo> & { id: string })[]): Promise<TodoStorage>;
  /** The ids that a query finds, with a space between. */
  idsOf(storage: TodoStorage, query?: Partial<TodoQuery>, scope?: string): Promise<string>;
}

/** The part of the contract that is about `find`. */
export function testTodoQueries(runner: ContractRunner, helpers: TodoStorageHelpers): void {
  testQueries(runner, helpers);
  testOrder(runner, helpers);
}

function testQueries({ describe, it, expect }: ContractRunner, { filled, idsOf }: TodoStorageHelpers): void {
  describe("a query", () => {
    it("compares fields", async () => {
      const storage = await filled(
        { id: "1", title: "Buy Milk!", list: "Shopping", tags: ["food", "cheap"], priority: "high" },
        { id: "2", title: "buy oat-milk 100%", completed: true, tags: ["food"] },
        { id: "3", title: "ÄPFEL_kaufen", priority: "low" },
      );
      expect(await idsOf(storage, { list: "shopping" })).toBe("1");
      expect(await idsOf(storage, { list: "shop" })).toBe("");
      expect(await idsOf(storage, { titleKey: "buy milk" })).toBe("1");
      expect(await idsOf(storage, { titleKey: "milk" })).toBe("");
      expect(await idsOf(storage, { words: ["milk"] })).toBe("1 2");
      expect(await idsOf(storage, { words: ["ilk", "oat"] })).toBe("2");
      expect(await idsOf(storage, { words: ["100%"] })).toBe("2");
      expect(await idsOf(storage, { words: ["%"] })).toBe("2");
      expect(await idsOf(storage, { words: ["_"] })).toBe("");
      expect(await idsOf(storage, { words: ["milk\nbuy"] })).toBe("");
      expect(await idsOf(storage, { words: ["äpfel"] })).toBe("3");
      expect(await idsOf(storage, { completed: true })).toBe("2");
      expect(await idsOf(storage, { completed: false })).toBe("1 3");
      expect(await idsOf(storage, { tag: "food" })).toBe("1 2");
      expect(await idsOf(storage, { tag: "foo" })).toBe("");
      expect(await idsOf(storage, { tag: "ood" })).toBe("");
      expect(await idsOf(storage, { tag: "" })).toBe("");
      expect(await idsOf(storage, { priority: "low" })).toBe("3");
      expect(await idsOf(storage, { tag: "food", completed: true, words: ["buy"] })).toBe("2");
      expect(await idsOf(storage, { id: "1", completed: true })).toBe("");
    });

    it("accepts any text as a tag", async () => {
      const tags = ['a"b', "b", "c\nd", "d", "\\", "\\n", "\n", "", " "];
      const storage = await filled(...tags.map((tag, index) => ({ id: String(index), tags: [tag, "all"] })));
      for (const [index, tag] of tags.entries()) expect(await idsOf(storage, { tag })).toBe(String(index));
      expect(await idsOf(storage, { tag: "all" })).toBe("0 1 2 3 4 5 6 7 8");
    });

    it("counts all matches, regardless of offset and limit", async () => {
      const storage = await filled({ id: "1" }, { id: "2", completed: true }, { id: "3", list: "Work" }, { id: "4" });
      expect(await storage.find("a", { limit: 0 })).toEqual({ todos: [], count: 4, completed: 1 });
      const { count, completed } = await storage.find("a", { list: "todos", offset: 1, limit: 1 });
      expect([count, completed]).toEqual([3, 1]);
      expect(await idsOf(storage, { list: "todos", offset: 1, limit: 1 })).toBe("2");
      expect(await idsOf(storage, { offset: 9 })).toBe("");
    });

    it("compares due dates by day or by time", async () => {
      const storage = await filled(
        { id: "1", dueDate: "2026-11-22" },
        { id: "2", dueDate: "2026-11-22T01:00:00+02:00" },
        { id: "3", dueAt: "2026-11-22T18:00Z" },
        { id: "4", dueDate: "2026-11-23" },
        { id: "5" },
      );
      expect(await idsOf(storage, { dueOn: "2026-11-22" })).toBe("1 2 3");
      expect(await idsOf(storage, { dueBefore: "2026-11-22" })).toBe("");
      expect(await idsOf(storage, { dueBefore: "2026-11-23" })).toBe("1 2 3");
      expect(await idsOf(storage, { dueAfter: "2026-11-22" })).toBe("4");
      expect(await idsOf(storage, { dueBefore: "2026-11-22T00:00:00Z" })).toBe("2");
      expect(await idsOf(storage, { dueBefore: "2026-11-22T19:00:00.5+01:00" })).toBe("2 3");
      expect(await idsOf(storage, { dueAfter: "2026-11-22T18:00:00Z" })).toBe("1 4");
      expect(await idsOf(storage, { dueAfter: "2026-11-21", dueBefore: "2026-11-22T12:00:00Z" })).toBe("2");
    });
  });
}

function testOrder({ describe, it, expect }: ContractRunner, { filled, idsOf }: TodoStorageHelpers): void {
  describe("the order of todos", () => {
    const rows: (Partial<Todo> & { id: string })[] = [
      { id: "1", title: "b", dueDate: "2026-11-23", priority: "low" },
      { id: "2", title: "C" },
      { id: "3", title: "a", dueDate: "2026-11-22T10:00:00+01:00", priority: "high" },
      { id: "4", title: "B", dueDate: "2026-11-22", priority: "medium" },
      { id: "5", title: "d", priority: "high" },
    ];

    it("depends on the sort key, then on the insertion", async () => {
      const storage = await filled(...rows);
      expect(await idsOf(storage)).toBe("1 2 3 4 5");
      expect(await idsOf(storage, { sort: "title" })).toBe("3 1 4 2 5");
      expect(await idsOf(storage, { sort: "due" })).toBe("3 4 1 2 5");
      expect(await idsOf(storage, { sort: "priority" })).toBe("3 5 4 1 2");
    });

    it("is by the day as it was written, its times before the whole day", async () => {
      const storage = await filled(
        { id: "1", dueDate: "2026-11-23" },
        { id: "2", dueDate: "2026-11-22" },
        { id: "3", dueAt: "2026-11-22T17:00:00-08:00" },
        { id: "4", dueAt: "2026-11-23T08:00:00+09:00" },
        { id: "5", dueAt: "2026-11-22T16:30:00-09:00" },
      );
      expect(await idsOf(storage, { sort: "due" })).toBe("3 5 2 4 1");
      expect(await idsOf(storage, { sort: "due", reverse: true })).toBe("1 4 2 5 3");
    });

    it("can be reversed, with missing values last", async () => {
      const storage = await filled(...rows);
      expect(await idsOf(storage, { reverse: true })).toBe("5 4 3 2 1");
      expect(await idsOf(storage, { sort: "title", reverse: true })).toBe("5 2 4 1 3");
      expect(await idsOf(storage, { sort: "due", reverse: true })).toBe("1 4 3 5 2");
      expect(await idsOf(storage, { sort: "priority", reverse: true })).toBe("1 4 5 3 2");
    });

    it("is that of insertion even in a list to which todos are moved", async () => {
      const storage = await filled({ id: "1" }, { id: "2", list: "Work" }, { id: "3" }, { id: "4", list: "Work" });
      for (const id of ["3", "1"]) {
        const change: TodoChange = { type: "patch", id, fields: { list: "work" } };
        await storage.apply("a", { key: id, operation: "update", change });
      }
      expect(await idsOf(storage, { list: "work" })).toBe("1 2 3 4");
      expect(await idsOf(storage, { list: "todos" })).toBe("");
    });

    it("allows paging without gaps", async () => {
      const many = Array.from({ length: 60 }, (_, index) => ({ id: String(index), title: `t${(index * 37) % 60}` }));
      const storage = await filled(...many);
      for (const sort of ["created", "title"] as const) {
        const all = await idsOf(storage, { sort });
        const pages: string[] = [];
        for (let offset = 0; offset < 60; offset += 7) pages.push(await idsOf(storage, { sort, offset, limit: 7 }));
        expect(pages.join(" ")).toBe(all);
      }
    });
  });
}
