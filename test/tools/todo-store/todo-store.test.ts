import { createMemoryTodos, createTodoStore } from "planwright";
import { describe, expect, it } from "vitest";
import { toJsonSchema } from "../../../src/core/schema.ts";
import { callsOf } from "./todo-calls.ts";
import { testTodoStorage, todoWith } from "./todo-storage-contract.ts";

const titles = (page: { todos: readonly { title: string }[] }) => page.todos.map((todo) => todo.title);

describe("an operation", () => {
  it("adds a todo, and returns it", async () => {
    const { call } = callsOf();
    const todo = await call({
      operation: "add",
      title: "  Buy milk ",
      list: "my Shopping list",
      dueDate: "2026-11-23",
      priority: "high",
      tags: ["Food", "food", "cheap"],
    });
    expect(todo).toEqual({
      id: "t1",
      title: "Buy milk",
      completed: false,
      list: "Shopping",
      createdAt: "2026-11-22T10:00:00.000Z",
      dueDate: "2026-11-23",
      priority: "high",
      tags: ["food", "cheap"],
    });
    expect(await call({ operation: "get", id: "t1" })).toEqual(todo);
    expect(await call({ operation: "add", title: "Read" })).toMatchObject({ list: "todos", tags: [] });
  });

  it("accepts any text as a title, and treats it as plain text", async () => {
    const { call } = callsOf();
    const texts = ["use ${HOME}", '{"$ref":"s1"}', "${s1.value}", "__proto__", "'; DROP TABLE todos; --", "👍", "!!!"];
    for (const title of texts) await call({ operation: "add", title });
    expect(titles(await call({ operation: "list" }))).toEqual(texts);
    for (const title of texts) expect(await call({ operation: "delete", title })).toMatchObject({ title });
  });

  it("lists with counts, filters, order and pages", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "b", list: "Work", dueDate: "2026-11-22", tags: ["x"] });
    await call({ operation: "add", title: "a", list: "work", priority: "low" });
    await call({ operation: "add", title: "c", dueDate: "2026-11-24T09:00:00+01:00" });
    await call({ operation: "complete", title: "a" });
    expect(await call({ operation: "list" })).toMatchObject({ count: 3, completed: 1, pending: 2 });
    expect(titles(await call({ operation: "list", list: "WORK list" }))).toEqual(["b", "a"]);
    expect(titles(await call({ operation: "list", status: "pending" }))).toEqual(["b", "c"]);
    expect(titles(await call({ operation: "list", status: "completed" }))).toEqual(["a"]);
    expect(titles(await call({ operation: "list", tag: "X" }))).toEqual(["b"]);
    expect(titles(await call({ operation: "list", priority: "low" }))).toEqual(["a"]);
    expect(titles(await call({ operation: "list", dueOn: "2026-11-22" }))).toEqual(["b"]);
    expect(titles(await call({ operation: "list", dueBefore: "2026-11-24" }))).toEqual(["b"]);
    expect(titles(await call({ operation: "list", dueAfter: "2026-11-22" }))).toEqual(["c"]);
    expect(titles(await call({ operation: "list", sort: "title", reverse: true, limit: 2 }))).toEqual(["c", "b"]);
    const page = await call({ operation: "list", sort: "title", offset: 1, limit: 1 });
    expect(page).toMatchObject({ todos: [{ title: "b" }], count: 3 });
  });

  it("completes or reopens a todo, and changes nothing the second time", async () => {
    let now = 0;
    const { call } = callsOf({ now: () => now });
    await call({ operation: "add", title: "Wash the car" });
    now = 1_000;
    const done = await call({ operation: "complete", title: "wash the car!" });
    expect(done).toMatchObject({ completed: true, completedAt: "1970-01-01T00:00:01.000Z" });
    now = 2_000;
    expect(await call({ operation: "complete", id: "t1" })).toEqual({ ...done, unchanged: true });
    const open = await call({ operation: "reopen", title: "Wash the car" });
    expect(open).toMatchObject({ completed: false });
    expect(open).not.toHaveProperty("completedAt");
    expect(await call({ operation: "reopen", id: "t1" })).toEqual({ ...open, unchanged: true });
  });

  it("updates the given fields only", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "Plants", dueDate: "2026-11-22", priority: "low", tags: ["a"] });
    const updated = await call({ operation: "update", title: "plants", newTitle: "Water the plants", newList: "Home" });
    expect(updated).toMatchObject({ title: "Water the plants", list: "Home", dueDate: "2026-11-22", tags: ["a"] });
    const bare = await call({ operation: "update", id: "t1", dueDate: null, priority: null, tags: [] });
    expect(bare).not.toHaveProperty("dueDate");
    expect(bare).not.toHaveProperty("priority");
    expect(bare.tags).toEqual([]);
  });

  it("has a day or a time to be done by, not both", async () => {
    const { call } = callsOf();
    const dueAt = "2026-11-24T17:00:00-08:00";
    expect(await call({ operation: "add", title: "dentist", dueAt })).toMatchObject({ dueAt });
    await call({ operation: "add", title: "rent", dueDate: "2026-11-24" });
    const list = (filter: object) => call({ operation: "list", ...filter });
    expect(titles(await list({ dueOn: "2026-11-24", sort: "due" }))).toEqual(["dentist", "rent"]);
    // It is the 25th in UTC, but not there.
    expect(titles(await list({ dueBefore: "2026-11-24T17:00:01-08:00" }))).toEqual(["dentist"]);
    expect(titles(await list({ dueBefore: "2026-11-25T00:00:00-08:00" }))).toEqual(["dentist", "rent"]);

    const timed = await call({ operation: "update", title: "rent", dueAt });
    expect([timed.dueAt, "dueDate" in timed]).toEqual([dueAt, false]);
    const none = await call({ operation: "update", title: "dentist", dueDate: null });
    expect(["dueDate" in none, "dueAt" in none]).toEqual([false, false]);
    const whole = await call({ operation: "update", title: "dentist", dueDate: "2026-11-25" });
    expect([whole.dueDate, "dueAt" in whole]).toEqual(["2026-11-25", false]);
  });

  it("keeps its time, with its offset, when it moves to another day", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "dentist", dueAt: "2026-10-22T15:00:00+02:00" });
    const moved = await call({ operation: "update", title: "dentist", dueDate: "2026-11-27" });
    expect([moved.dueAt, "dueDate" in moved]).toEqual(["2026-11-27T15:00:00+02:00", false]);
    const same = await call({ operation: "update", title: "dentist", dueDate: "2026-11-27" });
    expect(same).toEqual({ ...moved, unchanged: true });
    const replaced = await call({ operation: "update", title: "dentist", dueAt: "2026-11-28T09:30Z" });
    expect(replaced.dueAt).toBe("2026-11-28T09:30Z");
    expect(await call({ operation: "update", title: "dentist", dueAt: null })).not.toHaveProperty("dueAt");
  });

  it("adds and removes tags, and leaves the others", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "ink", tags: ["office", "cheap"] });
    const changed = await call({
      operation: "update",
      title: "ink",
      addTags: ["Now", "office"],
      removeTags: ["CHEAP"],
    });
    expect(changed.tags).toEqual(["office", "now"]);
    expect(changed).not.toHaveProperty("unchanged");
    expect(await call({ operation: "update", title: "ink", removeTags: ["offce"] })).toEqual({
      ...changed,
      unchanged: true,
    });
  });

  it("loses no tag if many calls change them at once", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "ink", tags: ["old"] });
    const tags = Array.from({ length: 12 }, (_, index) => `t${index}`);
    await Promise.all([
      ...tags.map((tag) => call({ operation: "update", title: "ink", addTags: [tag] })),
      call({ operation: "update", title: "ink", removeTags: ["old"] }),
      call({ operation: "complete", title: "ink" }),
    ]);
    const ink = await call({ operation: "get", title: "ink" });
    expect([ink.tags.toSorted(), ink.completed]).toEqual([tags.toSorted(), true]);
  });

  it("takes a time in dueDate for the dueAt", async () => {
    const { call } = callsOf();
    const todo = await call({ operation: "add", title: "dentist", dueDate: "2026-11-24T17:00Z" });
    expect([todo.dueAt, "dueDate" in todo]).toEqual(["2026-11-24T17:00Z", false]);
  });

  it("deletes a todo, or clears todos", async () => {
    const { call } = callsOf();
    for (const title of ["a", "b", "c"]) await call({ operation: "add", title });
    await call({ operation: "complete", title: "c" });
    expect(await call({ operation: "delete", title: "A" })).toMatchObject({ id: "t1", title: "a" });
    expect(await call({ operation: "clear", onlyCompleted: true })).toEqual({ cleared: 1 });
    expect(await call({ operation: "clear" })).toEqual({ cleared: 1 });
    expect(await call({ operation: "clear" })).toEqual({ cleared: 0 });
  });

  it("finds todos with all words, ignoring case and punctuation", async () => {
    const { call } = callsOf();
    for (const title of ["Buy oat-milk", "buy eggs", "Milkshake"]) await call({ operation: "add", title });
    expect(titles(await call({ operation: "search", query: "MILK" }))).toEqual(["Buy oat-milk", "Milkshake"]);
    expect(titles(await call({ operation: "search", query: "milk, buy" }))).toEqual(["Buy oat-milk"]);
    expect(await call({ operation: "search", query: "milk", limit: 1 })).toMatchObject({ count: 2, pending: 2 });
    expect(await call({ operation: "search", query: "milk", list: "other" })).toMatchObject({ count: 0, todos: [] });
  });
});

describe("clear without a list", () => {
  it("is refused if there are several lists, unless allLists is set", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a", list: "Work" });
    await call({ operation: "add", title: "b", list: "Home" });
    await expect(call({ operation: "clear" })).rejects.toMatchObject({
      code: "todo-list-ambiguous",
      details: { lists: ["Work", "Home"] },
    });
    expect(await call({ operation: "clear", list: "home" })).toEqual({ cleared: 1 });
    expect(await call({ operation: "clear" })).toEqual({ cleared: 1 });
  });

  it("clears every list with allLists", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a", list: "Work" });
    await call({ operation: "add", title: "b" });
    expect(await call({ operation: "clear", allLists: true })).toEqual({ cleared: 2 });
  });

  it("finds a second list even after many todos of the first", async () => {
    const { call } = callsOf();
    for (let index = 0; index < 1_001; index++) await call({ operation: "add", title: "a" });
    await call({ operation: "add", title: "b", list: "Work" });
    await expect(call({ operation: "clear" })).rejects.toMatchObject({ code: "todo-list-ambiguous" });
    await call({ operation: "delete", title: "b" });
    expect(await call({ operation: "clear" })).toEqual({ cleared: 1_001 });
  });
});

describe("clear of a list without a todo", () => {
  it("is refused with the lists that there are", async () => {
    const { call } = callsOf();
    expect(await call({ operation: "clear", list: "chore" })).toEqual({ cleared: 0 });
    await call({ operation: "add", title: "sweep", list: "chores" });
    await expect(call({ operation: "clear", list: "chore" })).rejects.toMatchObject({
      code: "todo-not-found",
      message: 'The list "chore" has no todos to clear. Lists with todos include "chores".',
      details: { wanted: "chore", near: [{ title: "sweep", list: "chores" }] },
    });
    expect(await call({ operation: "clear", list: "chores", onlyCompleted: true })).toEqual({ cleared: 0 });
  });
});

describe("the size of a page", () => {
  it("is 100 by default", async () => {
    const { call } = callsOf();
    for (let index = 0; index < 101; index++) await call({ operation: "add", title: `t${index}` });
    const page = await call({ operation: "list" });
    expect([page.todos.length, page.count]).toEqual([100, 101]);
  });

  it("stays below 512 KiB of JSON, however long the titles are", async () => {
    const { call } = callsOf();
    const title = "\u0001".repeat(999);
    for (let index = 0; index < 200; index++) await call({ operation: "add", title: `${title}x` });
    const page = await call({ operation: "list", limit: 1_000 });
    expect(page.count).toBe(200);
    expect(page.todos.length).toBeGreaterThan(80);
    expect(JSON.stringify(page).length).toBeLessThanOrEqual(512 * 1_024 + 100);
  });
});

describe("the tool", () => {
  it("is pure when it reads and idempotent when it writes", () => {
    const { tool } = callsOf();
    const effect = (operation: string) => tool.effect({ operation });
    expect(["list", "get", "search"].map(effect)).toEqual(["pure", "pure", "pure"]);
    const writes = ["add", "complete", "reopen", "update", "delete", "clear"];
    expect(new Set(writes.map(effect))).toEqual(new Set(["idempotent"]));
    expect(tool.declaredEffect).toBe("by-input");
  });

  it("describes its output by a schema", async () => {
    const schema = await toJsonSchema(createTodoStore().outputSchema ?? expect.fail(), "output");
    const keys = schema.anyOf?.map((part) => Object.keys(part.properties ?? {}).join(" "));
    expect(keys).toEqual([
      "id title completed list createdAt completedAt dueDate dueAt priority tags unchanged",
      "todos count completed pending",
      "cleared",
    ]);
  });

  it("creates ids and times by default", async () => {
    const { call } = callsOf({ createId: undefined, now: undefined, storage: createMemoryTodos() });
    const before = new Date().toISOString();
    const todo = await call({ operation: "add", title: "a" });
    const after = new Date().toISOString();
    expect(todo.id).toMatch(/^[\da-f-]{36}$/);
    expect([before, todo.createdAt, after].toSorted()).toEqual([before, todo.createdAt, after]);
  });

  it("refuses wrong options", () => {
    const make = (options: unknown) => () => createTodoStore(Object(options));
    expect(make({ storage: {} })).toThrow("todoStore.storage");
    expect(make({ storage: null })).toThrow("todoStore.storage");
    expect(make({ scope: "me" })).toThrow("todoStore.scope");
    expect(make({ now: 5 })).toThrow("todoStore.now");
    expect(make({ createId: "x" })).toThrow("todoStore.createId");
    expect(make({ file: "x" })).toThrow("todoStore.file");
  });

  it("does nothing once its signal is aborted", async () => {
    const { tool, call } = callsOf();
    const context = { signal: AbortSignal.abort(new Error("stop")), idempotencyKey: "k" };
    await expect(tool.execute({ operation: "add", title: "a" }, Object(context))).rejects.toThrow("stop");
    expect(await call({ operation: "list" })).toMatchObject({ count: 0 });
  });
});

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
