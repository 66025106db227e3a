import { createMemoryTodos, type TodoStorage } from "planwright";
import { describe, expect, it } from "vitest";
import { callsOf } from "./todo-calls.ts";

describe("a second attempt with the same key", () => {
  it("does not add a todo twice, even after a restart of the process", async () => {
    const storage = createMemoryTodos();
    const first = await callsOf({ storage }).call({ operation: "add", title: "a" }, { key: "r/s1" });
    const restarted = callsOf({ storage, createId: () => "other" });
    expect(await restarted.call({ operation: "add", title: "a" }, { key: "r/s1" })).toEqual(first);
    expect(await restarted.call({ operation: "list" })).toMatchObject({ count: 1 });
    await restarted.call({ operation: "add", title: "a" }, { key: "r/s2" });
    expect(await restarted.call({ operation: "list" })).toMatchObject({ count: 2 });
  });

  it("does not delete another todo of the same title", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "milk" });
    const deleted = await call({ operation: "delete", title: "milk" }, { key: "r/s1" });
    expect(await call({ operation: "delete", title: "milk" }, { key: "r/s1" })).toEqual(deleted);
    await call({ operation: "add", title: "milk" });
    expect(await call({ operation: "delete", title: "milk" }, { key: "r/s1" })).toEqual(deleted);
    expect(await call({ operation: "list" })).toMatchObject({ count: 1 });
  });

  it("does not use a position twice", async () => {
    const { call } = callsOf();
    for (const title of ["a", "b"]) await call({ operation: "add", title });
    await call({ operation: "delete", index: 1 }, { key: "r/s1" });
    await call({ operation: "delete", index: 1 }, { key: "r/s1" });
    expect(await call({ operation: "list" })).toMatchObject({ count: 1, todos: [{ title: "b" }] });
  });

  it("does not clear twice, and returns the same count", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a" });
    expect(await call({ operation: "clear" }, { key: "r/s1" })).toEqual({ cleared: 1 });
    await call({ operation: "add", title: "b" });
    expect(await call({ operation: "clear" }, { key: "r/s1" })).toEqual({ cleared: 1 });
    expect(await call({ operation: "list" })).toMatchObject({ count: 1 });
  });

  it("does not complete a todo that was reopened since", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a" });
    const done = await call({ operation: "complete", title: "a" }, { key: "r/s1" });
    await call({ operation: "reopen", title: "a" });
    expect(await call({ operation: "complete", title: "a" }, { key: "r/s1" })).toEqual(done);
    expect(await call({ operation: "list" })).toMatchObject({ pending: 1 });
  });

  it("succeeds even if the first attempt ends while the second searches for its todo", async () => {
    const memory = createMemoryTodos();
    const storage: TodoStorage = {
      ...memory,
      // The other attempt's write lands between this one's look at the key and its search.
      async find(scope, query) {
        const change = { type: "remove", id: "t1" } as const;
        await memory.apply(scope, { key: "r/s1", operation: "delete", change });
        return memory.find(scope, query);
      },
    };
    await callsOf({ storage: memory }).call({ operation: "add", title: "a" });
    const { call } = callsOf({ storage });
    expect(await call({ operation: "delete", title: "a" }, { key: "r/s1" })).toMatchObject({ id: "t1" });
  });
});

describe("a key", () => {
  it("cannot be used for two operations", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a" }, { key: "k" });
    await expect(call({ operation: "delete", title: "a" }, { key: "k" })).rejects.toMatchObject({
      code: "todo-key-reused",
      details: { idempotencyKey: "k", operation: "delete", earlier: "add" },
    });
  });

  it("is required by every change", async () => {
    const { call } = callsOf();
    await expect(call({ operation: "add", title: "a" }, { key: "" })).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("context.idempotencyKey"),
    });
    expect(await call({ operation: "list" }, { key: "" })).toMatchObject({ count: 0 });
  });
});

describe("createTodoStore", () => {
  it("never overwrites a todo when an id is repeated", async () => {
    const { call } = callsOf({ createId: () => "same" });
    await call({ operation: "add", title: "a" });
    await expect(call({ operation: "add", title: "b" })).rejects.toMatchObject({ code: "todo-id-taken" });
    expect(await call({ operation: "list" })).toMatchObject({ todos: [{ title: "a" }] });
  });

  it("refuses an empty id", async () => {
    const { call } = callsOf({ createId: () => "" });
    await expect(call({ operation: "add", title: "a" })).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("reports that a todo was deleted in the meantime", async () => {
    const memory = createMemoryTodos();
    await callsOf({ storage: memory }).call({ operation: "add", title: "a" });
    const { call } = callsOf({ storage: { ...memory, apply: async () => undefined } });
    const input = { operation: "complete", title: "a" } as const;
    await expect(call(input, { key: "k" })).rejects.toMatchObject({ code: "todo-not-found" });
    await expect(call({ operation: "clear" }, { key: "l" })).rejects.toMatchObject({ code: "todo-not-found" });
  });

  it("passes on errors of the storage, after which a retry works", async () => {
    const memory = createMemoryTodos();
    let failures = 1;
    const storage: TodoStorage = {
      ...memory,
      apply(scope, write) {
        if (failures-- > 0) throw new Error("disk full");
        return memory.apply(scope, write);
      },
    };
    const { call } = callsOf({ storage });
    await expect(call({ operation: "add", title: "a" }, { key: "k" })).rejects.toThrow("disk full");
    expect(await call({ operation: "add", title: "a" }, { key: "k" })).toMatchObject({ title: "a" });
  });
});
