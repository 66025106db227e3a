import fc from "fast-check";
import { createMemoryTodos, type Todo, type TodoStorage, type TodoStoreInput, type ToolContext } from "planwright";
import { createSqliteTodos } from "planwright/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TodoPage, TodosCleared } from "../../../src/tools/todo-store/todo.ts";
import { callsOf } from "./todo-calls.ts";

function createSqlite(options: { rememberedWrites?: number } = {}): TodoStorage {
  const todos = createSqliteTodos({ path: ":memory:", ...options });
  onTestFinished(() => todos.close());
  return todos;
}

const storages = [
  { name: "memory", create: createMemoryTodos },
  { name: "SQLite", create: createSqlite },
];
const everything = { operation: "list", limit: 1_000 } as const;
const refused = (reason: string) => ({ code: "todo-undo-refused", retryable: false, details: { reason } });
type WriteInput = Exclude<TodoStoreInput, { operation: "list" | "search" | "get" }>;

describe.each(storages)("undo with todos in $name", ({ create }) => {
  async function world() {
    const calls = callsOf({ storage: create(), scope: ({ resources }) => resources?.user ?? "all" });
    await calls.call({ operation: "add", title: "milk", dueDate: "2026-11-23", priority: "high", tags: ["food"] });
    await calls.call({ operation: "add", title: "eggs", list: "Shopping" });
    await calls.call({ operation: "add", title: "tea", dueAt: "2026-11-23T16:00:00+01:00" });
    return { ...calls, all: () => calls.call(everything) };
  }

  it.each<WriteInput>([
    { operation: "add", title: "bread" },
    { operation: "complete", title: "milk" },
    { operation: "reopen", title: "milk" },
    { operation: "update", title: "milk", newTitle: "oat milk", newList: "Shopping", dueDate: null, tags: [] },
    { operation: "update", title: "eggs", priority: "low", dueDate: "2026-12-01" },
    { operation: "update", title: "milk", dueAt: "2026-12-01T17:00:00+01:00" },
    { operation: "update", title: "tea", dueDate: "2026-12-01" },
    { operation: "update", title: "milk", addTags: ["now"], removeTags: ["food"] },
  ])("restores the previous state: $operation", async (input) => {
    const { call, undo, all } = await world();
    if (input.operation === "reopen") await call({ operation: "complete", title: "milk" });
    const before = await all();
    const output = await call(input, { key: "r/s1" });
    expect(await all()).not.toEqual(before);
    await undo(input, output, { key: "r/s1" });
    expect(await all()).toEqual(before);
  });

  it("restores a deleted todo as the last one", async () => {
    const { call, undo, all } = await world();
    const before = await all();
    const input = { operation: "delete", title: "milk" } as const;
    await undo(input, await call(input, { key: "r/s1" }), { key: "r/s1" });
    expect(await all()).toEqual({ ...before, todos: [...before.todos.slice(1), ...before.todos.slice(0, 1)] });
  });

  it("takes effect once, however often it is called", async () => {
    const { call, undo, all } = await world();
    const input = { operation: "complete", title: "milk" } as const;
    const output = await call(input, { key: "r/s1" });
    await undo(input, output, { key: "r/s1" });
    await call({ operation: "update", title: "milk", newTitle: "tea" });
    const after = await all();
    await undo(input, output, { key: "r/s1" });
    expect(await all()).toEqual(after);
  });

  it.each<WriteInput>([
    { operation: "add", title: "bread" },
    { operation: "complete", title: "milk" },
    { operation: "update", title: "milk", priority: "low" },
  ])("refuses to change a todo that was changed since: $operation", async (input) => {
    const { call, undo, all } = await world();
    const output = (await call(input, { key: "r/s1" })) as Todo;
    await call({ operation: "update", id: output.id, tags: ["changed"] });
    const after = await all();
    await expect(undo(input, output, { key: "r/s1" })).rejects.toMatchObject(refused("changed"));
    expect(await all()).toEqual(after);
  });

  it("refuses to change a deleted todo, unless it was to delete it", async () => {
    const { call, undo, all } = await world();
    const input = { operation: "complete", title: "milk" } as const;
    const output = await call(input, { key: "r/s1" });
    await call({ operation: "delete", id: output.id });
    await expect(undo(input, output, { key: "r/s1" })).rejects.toMatchObject(refused("gone"));
    const after = await all();
    await undo({ operation: "add", title: "milk" }, output, { key: "run/1" });
    expect(await all()).toEqual(after);
  });

  it("refuses to restore a todo whose id exists again", async () => {
    const { call, undo } = await world();
    const input = { operation: "delete", title: "milk" } as const;
    const output = await call(input, { key: "r/s1" });
    await undo(input, output, { key: "r/s1" });
    await expect(undo(input, output, { key: "r/s2" })).rejects.toMatchObject(refused("exists"));
  });

  it("changes nothing if the call changed nothing", async () => {
    const { call, undo, all } = await world();
    await call({ operation: "complete", title: "milk" });
    const input = { operation: "complete", title: "milk" } as const;
    const output = await call(input, { key: "r/s1" });
    await call({ operation: "update", title: "milk", newTitle: "tea" });
    const after = await all();
    await undo(input, output, { key: "r/s1" });
    expect(await all()).toEqual(after);
  });

  it("refuses to undo a clear, and ignores operations that only read", async () => {
    const { call, undo } = await world();
    const list = { operation: "list" } as const;
    await undo(list, await call(list), { key: "r/s1" });
    const clear = { operation: "clear", allLists: true } as const;
    const output = await call(clear, { key: "r/s2" });
    await expect(undo(clear, output, { key: "r/s2" })).rejects.toMatchObject(refused("irreversible"));
  });

  it("refuses if the storage has dropped the previous state", async () => {
    const { call, undo } = callsOf({ storage: create({ rememberedWrites: 1 }) });
    const added = await call({ operation: "add", title: "milk" }, { key: "r/s1" });
    const input = { operation: "complete", title: "milk" } as const;
    const output = await call(input, { key: "r/s2" });
    await call({ operation: "add", title: "eggs" });
    await expect(undo(input, output, { key: "r/s2" })).rejects.toMatchObject(refused("forgotten"));
    // What was added or deleted stands in the output itself.
    await expect(undo({ operation: "add", title: "milk" }, added, { key: "r/s1" })).rejects.toMatchObject(
      refused("changed"),
    );
    await undo({ operation: "add", title: "milk" }, output, { key: "r/s1" });
    expect(await call(everything)).toMatchObject({ count: 1 });
  });

  it("affects its own scope only", async () => {
    const { call, undo } = await world();
    const input = { operation: "add", title: "tea" } as const;
    const output = await call(input, { key: "r/s1", user: "ada" });
    await undo(input, output, { key: "r/s1", user: "bob" });
    expect(await call(everything, { user: "ada" })).toMatchObject({ count: 1 });
    await undo(input, output, { key: "r/s1", user: "ada" });
    expect(await call(everything, { user: "ada" })).toMatchObject({ count: 0 });
  });

  it("requires a key of its own", async () => {
    const { call, tool, undo } = await world();
    const input = { operation: "add", title: "tea" } as const;
    const output = await call(input, { key: "r/s1/undo" });
    await expect(undo(input, output, { key: "r/s1" })).rejects.toMatchObject({
      code: "todo-key-reused",
      details: { idempotencyKey: "r/s1/undo", operation: "undo", earlier: "add" },
    });
    const context = { signal: new AbortController().signal, idempotencyKey: "" } as ToolContext<{ user?: string }>;
    await expect(async () => tool.undo?.({ input, output }, context)).rejects.toMatchObject({
      code: "invalid-options",
    });
  });
});

// Whatever is done is as if it had never been, once it is undone from the last step back; only what was deleted comes last.
describe.each(storages)("undo of many steps with todos in $name", ({ create }) => {
  const title = fc.constantFrom("a", "b", "c");
  const input: fc.Arbitrary<WriteInput> = fc.oneof(
    fc.record({ operation: fc.constant("add" as const), title }),
    fc.record({
      operation: fc.constantFrom("complete" as const, "reopen" as const),
      index: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      operation: fc.constant("update" as const),
      index: fc.integer({ min: 1, max: 3 }),
      newTitle: title,
      priority: fc.constantFrom(null, "low" as const),
      dueDate: fc.constantFrom(null, "2026-11-22"),
    }),
    fc.record({ operation: fc.constant("delete" as const), index: fc.integer({ min: 1, max: 3 }) }),
  );

  it("restores the state before the first step", async () => {
    const property = fc.asyncProperty(fc.array(input, { maxLength: 12 }), fc.boolean(), async (inputs, isRepeated) => {
      const { call, undo } = callsOf({ storage: create() });
      for (const each of ["x", "y"]) await call({ operation: "add", title: each });
      const sorted = async () => (await call(everything)).todos.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const before = await sorted();
      const done: { input: WriteInput; output: Todo | TodoPage | TodosCleared; key: string }[] = [];
      for (const [index, each] of inputs.entries()) {
        const key = `r/s${index}`;
        const output = await call(each, { key }).catch(() => undefined);
        if (output !== undefined) done.push({ input: each, output, key });
      }
      for (const step of done.toReversed()) {
        await undo(step.input, step.output, { key: step.key });
        if (isRepeated) await undo(step.input, step.output, { key: step.key });
      }
      expect(await sorted()).toEqual(before);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});
