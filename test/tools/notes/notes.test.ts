import fc from "fast-check";
import { createMemoryNotes, createNotes, type NoteStorage, type NotesInput } from "planwright";
import { createSqliteNotes } from "planwright/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { callsOf } from "./note-calls.ts";
import { insertion, testNoteStorage } from "./note-storage-contract.ts";

const item = "PROP-2025-001";
const add = { operation: "add", item, text: "Legal review completed" } as const;
const everything = { operation: "list", limit: 1_000 } as const;
const byUser = ({ resources }: { resources: { user?: string } }) => resources.user ?? "";

describe("createNotes", () => {
  it("adds, lists, returns and deletes notes", async () => {
    const { call } = callsOf({ author: byUser });
    const note = await call(add, { user: "Ada" });
    expect(note).toEqual({
      id: "n1",
      item,
      text: "Legal review completed",
      author: "Ada",
      createdAt: "2026-11-22T10:00:00.000Z",
    });
    await call({ operation: "add", item: " prop-2025-001", text: " second " }, { user: "Bob" });
    await call({ operation: "add", item: "PROP-2", text: "other" }, { user: "Bob" });
    expect(await call({ operation: "list", item })).toMatchObject({ count: 2, notes: [note, { text: "second" }] });
    expect(await call({ operation: "list", author: "bob", reverse: true, limit: 1 })).toMatchObject({
      count: 2,
      notes: [{ text: "other" }],
    });
    expect(await call({ operation: "list", offset: 1, limit: 1 })).toMatchObject({ count: 3, notes: [{ id: "n2" }] });
    expect(await call({ operation: "get", id: "n1" })).toEqual(note);
    expect(await call({ operation: "get", item, index: -1 })).toMatchObject({ id: "n2" });
    expect(await call({ operation: "delete", item, index: 1 })).toEqual(note);
    expect(await call({ operation: "delete", id: "n3", item: "prop-2" })).toMatchObject({ text: "other" });
    expect(await call(everything)).toMatchObject({ count: 1, notes: [{ id: "n2" }] });
  });

  it("sets an author only with the author option", async () => {
    const { call, tool } = callsOf();
    expect(await call(add)).not.toHaveProperty("author");
    const claimed = await tool.inputSchema["~standard"].validate({ ...add, author: "CEO" });
    expect(claimed.issues?.[0]?.message).toMatch(/author/);
  });

  it("is pure when it reads and idempotent when it writes", async () => {
    const { tool } = callsOf();
    const effects = ["add", "list", "get", "delete"].map((operation) => tool.effect({ operation }));
    expect(effects).toEqual(["idempotent", "pure", "pure", "idempotent"]);
  });

  it("shortens a page that would exceed the output limit of a run", async () => {
    const { call } = callsOf();
    for (let index = 0; index < 40; index++) await call({ operation: "add", item, text: "ä".repeat(10_000) });
    const { notes, count } = await call(everything);
    expect(count).toBe(40);
    expect(notes.length).toBeGreaterThan(20);
    expect(JSON.stringify(notes).length * 2).toBeLessThan(1_048_576);
    expect((await call({ operation: "list", offset: notes.length, limit: 1_000 })).notes).toHaveLength(
      40 - notes.length,
    );
  });

  it("uses random ids and the machine's time by default", async () => {
    const tool = createNotes();
    const context = { signal: new AbortController().signal, idempotencyKey: "k" } as Parameters<typeof tool.execute>[1];
    expect(await tool.execute(add, context)).toMatchObject({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      createdAt: expect.stringMatching(/^20/),
    });
  });

  it("does nothing once its signal is aborted", async () => {
    const { call, undo } = callsOf();
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(call(add, { signal })).rejects.toThrow("stopped");
    await expect(undo(add, {}, { signal })).rejects.toThrow("stopped");
    expect(await call(everything)).toMatchObject({ count: 0 });
  });

  it.each([
    [{ storage: {} }, "notes.storage"],
    [{ storage: null }, "notes.storage"],
    [{ storage: "file" }, "notes.storage"],
    [{ scope: "ada" }, "notes.scope"],
    [{ author: "ada" }, "notes.author"],
    [{ now: 1 }, "notes.now"],
    [{ createId: "x" }, "notes.createId"],
    [{ user: "x" }, "notes.user"],
  ])("refuses the options %j", (options, option) => {
    expect(() => createNotes(JSON.parse(JSON.stringify(options)))).toThrow(`"${option}"`);
  });
});

describe("the input", () => {
  const { tool } = callsOf();
  const messagesOf = async (input: unknown) =>
    (await tool.inputSchema["~standard"].validate(input)).issues?.map(({ message }) => message).join("; ");

  it.each([
    [{ operation: "add", item, text: " " }],
    [{ operation: "add", item: "", text: "x" }],
    [{ operation: "add", item: "x".repeat(201), text: "x" }],
    [{ operation: "add", item, text: "x".repeat(10_001) }],
    [{ operation: "add", item, text: { $ref: "s1" } }],
    [{ operation: "get" }],
    [{ operation: "get", item }],
    [{ operation: "get", index: 1 }],
    [{ operation: "get", item, index: 0 }],
    [{ operation: "get", item, index: 1.5 }],
    [{ operation: "delete", id: "n1", item, index: 1 }],
    [{ operation: "list", limit: 1_001 }],
    [{ operation: "list", offset: -1 }],
    [{ operation: "list", text: "x" }],
    [{ operation: "clear" }],
  ])("is refused if it is wrong: %j", async (input) => {
    expect(await messagesOf(input)).toBeTruthy();
  });

  it("is treated as plain text, whatever it contains", async () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).filter((any) => any.trim() !== "");
    const hostile = fc.constantFrom(
      "__proto__",
      "constructor",
      "${s1}",
      '{"$ref":"s1"}',
      "'; DROP TABLE notes; --",
      "\ud800",
      "%",
      "_",
    );
    const any = fc.oneof(text, hostile);
    const property = fc.asyncProperty(any, any, async (name, written) => {
      const { call } = callsOf();
      const note = await call({ operation: "add", item: name, text: written });
      expect(note).toMatchObject({ item: name.trim(), text: written.trim() });
      expect(await call({ operation: "list", item: name })).toEqual({ notes: [note], count: 1 });
      expect(await call({ operation: "list", item: `${name.trim()}.` })).toEqual({ notes: [], count: 0 });
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

function createSqlite(): NoteStorage {
  const notes = createSqliteNotes({ path: ":memory:" });
  onTestFinished(() => notes.close());
  return notes;
}

describe.each([
  { name: "memory", create: createMemoryNotes },
  { name: "SQLite", create: createSqlite },
])("notes in $name", ({ create }) => {
  it("return the same output for a repeated key, and change once", async () => {
    const storage = create();
    const first = await callsOf({ storage }).call(add, { key: "r/s1" });
    const { call } = callsOf({ storage, createId: () => "other" });
    expect(await call(add, { key: "r/s1" })).toEqual(first);
    await callsOf({ storage, createId: () => "n2" }).call(add);
    const deletion = { operation: "delete", item, index: 1 } as const;
    const deleted = await call(deletion, { key: "r/s2" });
    expect(await call(deletion, { key: "r/s2" })).toEqual(deleted);
    expect(await call(everything)).toMatchObject({ count: 1, notes: [{ id: "n2" }] });
  });

  it("can be removed again or restored by undo, once", async () => {
    const { call, undo } = callsOf({ storage: create() });
    await call({ ...add, text: "first" });
    const note = await call(add, { key: "r/s1" });
    await undo(add, note, { key: "r/s1" });
    await undo(add, note, { key: "r/s1" });
    expect(await call(everything)).toMatchObject({ count: 1, notes: [{ text: "first" }] });
    const deletion = { operation: "delete", item, index: 1 } as const;
    const deleted = await call(deletion, { key: "r/s2" });
    await undo(deletion, deleted, { key: "r/s2" });
    expect(await call(everything)).toEqual({ notes: [deleted], count: 1 });
    await call({ operation: "delete", id: deleted.id });
    await undo(deletion, deleted, { key: "r/s2" });
    expect(await call(everything)).toMatchObject({ count: 0 });
    await undo(everything, await call(everything), { key: "r/s3" });
  });

  it("are not restored by undo if their id exists again", async () => {
    const { call, undo } = callsOf({ storage: create() });
    const note = await call(add);
    const deletion = { operation: "delete", id: note.id } as const;
    await expect(undo(deletion, note, { key: "r/s1" })).rejects.toMatchObject({
      code: "note-undo-refused",
      retryable: false,
      details: { operation: "delete", id: "n1" },
    });
  });

  it("refuse a key that was used for another operation", async () => {
    const { call, undo } = callsOf({ storage: create() });
    const note = await call(add, { key: "k/undo" });
    const reused = {
      code: "note-key-reused",
      details: { idempotencyKey: "k/undo", operation: "delete", earlier: "add" },
    };
    await expect(call({ operation: "delete", id: note.id }, { key: "k/undo" })).rejects.toMatchObject(reused);
    await expect(undo(add, note, { key: "k" })).rejects.toMatchObject({ details: { operation: "undo" } });
  });

  it("are never visible in another scope, under random calls", async () => {
    const user = fc.constantFrom("ada", "bob");
    const input: fc.Arbitrary<NotesInput> = fc.oneof(
      fc.record({
        operation: fc.constant("add" as const),
        item: fc.constantFrom("A", "a", "B"),
        text: fc.constant("x"),
      }),
      fc.record({
        operation: fc.constant("delete" as const),
        item: fc.constantFrom("A", "B"),
        index: fc.constantFrom(1, -1),
      }),
      fc.record({ operation: fc.constant("delete" as const), id: fc.constantFrom("n1", "n2", "n3") }),
    );
    const property = fc.asyncProperty(fc.array(fc.tuple(user, input), { maxLength: 15 }), async (steps) => {
      const together = callsOf({ storage: create(), scope: byUser });
      let ids = 0;
      const apart = new Map(["ada", "bob"].map((name) => [name, callsOf({ createId: () => `n${ids}` })]));
      for (const [name, each] of steps) {
        if (each.operation === "add") ids++;
        const alone = apart
          .get(name)
          ?.call(each)
          .catch(({ code }) => code);
        expect(await together.call(each, { user: name }).catch(({ code }) => code)).toEqual(await alone);
      }
      for (const [name, calls] of apart) {
        expect(await together.call(everything, { user: name })).toEqual(await calls.call(everything));
      }
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

describe("createNotes, when something goes wrong,", () => {
  it("reports which note does not exist", async () => {
    const { call } = callsOf();
    await call(add);
    await expect(call({ operation: "get", id: "x" })).rejects.toMatchObject({
      code: "note-not-found",
      retryable: false,
      message: 'There is no note with id "x".',
      details: { wanted: 'id "x"', count: 0 },
    });
    await expect(call({ operation: "delete", item, index: -2 })).rejects.toMatchObject({
      message: `There is no note at position -2 of "${item}": there is 1.`,
      details: { wanted: `position -2 of "${item}"`, count: 1 },
    });
  });

  it("fails if an option returns no text, rather than share notes", async () => {
    const invalid = (option: string) => ({ code: "invalid-options", details: { option } });
    await expect(callsOf({ scope: byUser }).call(everything)).rejects.toMatchObject(invalid("notes.scope"));
    await expect(callsOf({ scope: byUser }).undo(add, {})).rejects.toMatchObject(invalid("notes.scope"));
    await expect(callsOf({ author: byUser }).call(add)).rejects.toMatchObject(invalid("notes.author"));
    await expect(callsOf({ author: () => "x".repeat(201) }).call(add)).rejects.toMatchObject(invalid("notes.author"));
    await expect(callsOf({ author: () => Object(undefined) }).call(add)).rejects.toMatchObject(invalid("notes.author"));
    await expect(callsOf({ createId: () => "" }).call(add)).rejects.toMatchObject(invalid("notes.createId"));
    await expect(callsOf().call(add, { key: "" })).rejects.toMatchObject(invalid("context.idempotencyKey"));
    const { call } = callsOf({ createId: () => "same" });
    await call(add);
    await expect(call(add)).rejects.toMatchObject(invalid("notes.createId"));
  });

  it("returns the output of a simultaneous attempt that ended first", async () => {
    const memory = createMemoryNotes();
    const storage: NoteStorage = {
      ...memory,
      async find(scope, query) {
        await memory.apply(scope, { key: "r/s1", operation: "delete", change: { type: "remove", id: "n1" } });
        return memory.find(scope, query);
      },
    };
    await callsOf({ storage: memory }).call(add);
    const deletion = { operation: "delete", item, index: 1 } as const;
    expect(await callsOf({ storage }).call(deletion, { key: "r/s1" })).toMatchObject({ id: "n1" });
    await expect(callsOf({ storage }).call(deletion, { key: "r/s2" })).rejects.toMatchObject({
      code: "note-not-found",
    });
  });

  it("reports that a note was deleted in the meantime", async () => {
    const memory = createMemoryNotes();
    await callsOf({ storage: memory }).call(add);
    const { call } = callsOf({ storage: { ...memory, apply: async () => undefined } });
    await expect(call({ operation: "delete", id: "n1" }, { key: "r/s1" })).rejects.toThrow(
      'The note "n1" was deleted in the meantime.',
    );
  });

  it("passes on errors of the storage, after which a retry works", async () => {
    const memory = createMemoryNotes();
    let failures = 1;
    const storage: NoteStorage = {
      ...memory,
      apply(scope, write) {
        if (failures-- > 0) throw new Error("disk full");
        return memory.apply(scope, write);
      },
    };
    const { call } = callsOf({ storage });
    await expect(call(add, { key: "k" })).rejects.toThrow("disk full");
    expect(await call(add, { key: "k" })).toMatchObject({ item });
  });
});

describe("createMemoryNotes", () => {
  testNoteStorage({ describe, it, expect }, createMemoryNotes);

  it("drops the oldest records beyond rememberedWrites, over all scopes", async () => {
    const storage = createMemoryNotes({ rememberedWrites: 3 });
    for (const scope of ["a", "b"]) for (const id of ["1", "2"]) await storage.apply(scope, insertion({ id }));
    expect(await storage.recall("a", "insert 1")).toBeUndefined();
    expect(await storage.recall("a", "insert 2")).toBeDefined();
    expect((await storage.find("a", { limit: 9 })).count).toBe(2);
  });

  it("refuses wrong options", () => {
    for (const rememberedWrites of [0, Number.NaN, "3"]) {
      const options = JSON.parse(JSON.stringify({ rememberedWrites }));
      expect(() => createMemoryNotes(options)).toThrow("memoryNotes.rememberedWrites");
    }
    expect(() => createMemoryNotes(JSON.parse('{"size":3}'))).toThrow("memoryNotes.size");
  });
});
