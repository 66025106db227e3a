import { describe, expect, it } from "vitest";
import { createMemoryTodos } from "../../../src/tools/todo-store/memory-todos.ts";
import type { TodoStorage } from "../../../src/tools/todo-store/todo-storage.ts";
import { callsOf } from "./todo-calls.ts";

describe("a second attempt with the same key", () => {
  it("does not add again, even where the process ended in between", async () => {
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

  it("takes a position only once", async () => {
    const { call } = callsOf();
    for (const title of ["a", "b"]) await call({ operation: "add", title });
    await call({ operation: "delete", index: 1 }, { key: "r/s1" });
    await call({ operation: "delete", index: 1 }, { key: "r/s1" });
    expect(await call({ operation: "list" })).toMatchObject({ count: 1, todos: [{ title: "b" }] });
  });

  it("clears once and gives the same count", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a" });
    expect(await call({ operation: "clear" }, { key: "r/s1" })).toEqual({ cleared: 1 });
    await call({ operation: "add", title: "b" });
    expect(await call({ operation: "clear" }, { key: "r/s1" })).toEqual({ cleared: 1 });
    expect(await call({ operation: "list" })).toMatchObject({ count: 1 });
  });

  it("does not complete what was reopened since", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a" });
    const done = await call({ operation: "complete", title: "a" }, { key: "r/s1" });
    await call({ operation: "reopen", title: "a" });
    expect(await call({ operation: "complete", title: "a" }, { key: "r/s1" })).toEqual(done);
    expect(await call({ operation: "list" })).toMatchObject({ pending: 1 });
  });

  it("succeeds where the first one ends while it is looking for its todo", async () => {
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

describe("keys", () => {
  it("serve one operation", async () => {
    const { call } = callsOf();
    await call({ operation: "add", title: "a" }, { key: "k" });
    await expect(call({ operation: "delete", title: "a" }, { key: "k" })).rejects.toMatchObject({
      code: "todo-key-reused",
      details: { idempotencyKey: "k", operation: "delete", earlier: "add" },
    });
  });

  it("are required to change something", async () => {
    const { call } = callsOf();
    await expect(call({ operation: "add", title: "a" }, { key: "" })).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("context.idempotencyKey"),
    });
    expect(await call({ operation: "list" }, { key: "" })).toMatchObject({ count: 0 });
  });
});

describe("what the storage cannot do", () => {
  it("does not overwrite a todo whose id comes again", async () => {
    const { call } = callsOf({ createId: () => "same" });
    await call({ operation: "add", title: "a" });
    await expect(call({ operation: "add", title: "b" })).rejects.toMatchObject({ code: "todo-id-taken" });
    expect(await call({ operation: "list" })).toMatchObject({ todos: [{ title: "a" }] });
  });

  it("refuses an id that is none", async () => {
    const { call } = callsOf({ createId: () => "" });
    await expect(call({ operation: "add", title: "a" })).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("says that a todo went away in the meantime", async () => {
    const memory = createMemoryTodos();
    await callsOf({ storage: memory }).call({ operation: "add", title: "a" });
    const { call } = callsOf({ storage: { ...memory, apply: async () => undefined } });
    const input = { operation: "complete", title: "a" } as const;
    await expect(call(input, { key: "k" })).rejects.toMatchObject({ code: "todo-not-found" });
    await expect(call({ operation: "clear" }, { key: "l" })).rejects.toMatchObject({ code: "todo-not-found" });
  });

  it("passes on its failures, which may be tried again", async () => {
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
