import type { Note, NoteStorage } from "planwright";
import type { NoteQuery, NoteWrite } from "planwright/testing";
import type { ContractRunner } from "../todo-store/todo-storage-contract.ts";

/** A note with an id and what matters in a test. */
export function noteWith(fields: Partial<Note> & { id: string }): Note {
  return { item: "PROP-1", text: `Text of ${fields.id}`, createdAt: "2026-11-22T10:00:00.000Z", ...fields };
}

/** A write that inserts a note. */
export function insertion(fields: Partial<Note> & { id: string }, key = `insert ${fields.id}`): NoteWrite {
  return { key, operation: "add", change: { type: "insert", note: noteWith(fields) } };
}

/** A write that removes a note. */
export function removal(id: string, key = `remove ${id}`): NoteWrite {
  return { key, operation: "delete", change: { type: "remove", id } };
}

type Create = () => NoteStorage | Promise<NoteStorage>;

interface Helpers {
  filled(...notes: (Partial<Note> & { id: string })[]): Promise<NoteStorage>;
  idsOf(storage: NoteStorage, query?: Partial<NoteQuery>, scope?: string): Promise<string>;
}

/** What every {@link NoteStorage} must do. `create` makes a new, empty one. */
export function testNoteStorage(runner: ContractRunner, create: Create): void {
  const helpers: Helpers = {
    async filled(...notes) {
      const storage = await create();
      for (const note of notes) await storage.apply("a", insertion(note));
      return storage;
    },
    async idsOf(storage, query = {}, scope = "a") {
      const { notes } = await storage.find(scope, { limit: 100, ...query });
      return notes.map(({ id }) => id).join(" ");
    },
  };
  testChanges(runner, helpers);
  testQueries(runner, helpers);
  testKeysAndScopes(runner, helpers);
}

function testChanges({ describe, it, expect }: ContractRunner, { filled, idsOf }: Helpers): void {
  describe("changes", () => {
    it("insert a note unchanged, and return it", async () => {
      const note = noteWith({ id: "x", text: '{"$ref":"s1"} ${HOME} \u0000 \ud800', item: "A  b", author: "Ada" });
      const storage = await filled();
      expect(await storage.apply("a", insertion(note))).toStrictEqual({ operation: "add", note });
      expect(await storage.find("a", { limit: 9 })).toStrictEqual({ notes: [note], count: 1 });
    });

    it("do not insert an existing id", async () => {
      const storage = await filled({ id: "x", text: "first" });
      expect(await storage.apply("a", insertion({ id: "x", text: "second" }, "k"))).toBeUndefined();
      expect(await storage.recall("a", "k")).toBeUndefined();
      expect((await storage.find("a", { limit: 9 })).notes.map(({ text }) => text)).toEqual(["first"]);
    });

    it("remove a note, and return it", async () => {
      const storage = await filled({ id: "x" }, { id: "y" });
      expect(await storage.apply("a", removal("x"))).toStrictEqual({
        operation: "delete",
        note: noteWith({ id: "x" }),
      });
      expect(await idsOf(storage)).toBe("y");
      expect(await storage.find("a", { id: "x", limit: 1 })).toEqual({ notes: [], count: 0 });
      expect(await idsOf(storage, { item: "PROP-1" })).toBe("y");
    });

    it("ignore an unknown note, and record nothing", async () => {
      const storage = await filled({ id: "x" });
      expect(await storage.apply("a", removal("z", "k"))).toBeUndefined();
      expect(await storage.recall("a", "k")).toBeUndefined();
      expect(await idsOf(storage)).toBe("x");
    });

    it("append a removed note that is inserted again", async () => {
      const storage = await filled({ id: "x" }, { id: "y" });
      await storage.apply("a", removal("x"));
      await storage.apply("a", insertion({ id: "x" }, "again"));
      expect(await idsOf(storage)).toBe("y x");
    });

    it("cannot be made through given or returned objects", async () => {
      const given = { ...noteWith({ id: "x" }) };
      const storage = await filled();
      await storage.apply("a", { key: "k", operation: "add", change: { type: "insert", note: given } });
      Object.assign(given, { text: "changed" });
      const found = (await storage.find("a", { limit: 1 })).notes[0];
      try {
        Object.assign(found ?? {}, { text: "changed" });
      } catch {
        // A frozen one refuses.
      }
      expect((await storage.find("a", { limit: 1 })).notes).toEqual([noteWith({ id: "x" })]);
      expect((await storage.recall("a", "k"))?.note).toEqual(noteWith({ id: "x" }));
    });
  });
}

function testQueries({ describe, it, expect }: ContractRunner, { filled, idsOf }: Helpers): void {
  describe("queries", () => {
    const create = () =>
      filled(
        { id: "1", item: "PROP-1", author: "Ada" },
        { id: "2", item: "prop-1 " },
        { id: "3", item: "PROP-2", author: "Bob  C" },
        { id: "4", item: "Prop-1", author: "bob c" },
        { id: "5", item: "PROP-2", author: "Ada" },
      );

    it("find notes by item and author, ignoring case and extra spaces", async () => {
      const storage = await create();
      expect(await idsOf(storage)).toBe("1 2 3 4 5");
      expect(await idsOf(storage, { item: " pRoP-1" })).toBe("1 2 4");
      expect(await idsOf(storage, { author: "BOB C" })).toBe("3 4");
      expect(await idsOf(storage, { item: "PROP-2", author: "ada" })).toBe("5");
      expect(await idsOf(storage, { item: "PROP-3" })).toBe("");
      expect(await idsOf(storage, { item: "PROP" })).toBe("");
      expect(await idsOf(storage, { author: "" })).toBe("");
    });

    it("find a note by id, within an item if one is given", async () => {
      const storage = await create();
      expect(await idsOf(storage, { id: "3" })).toBe("3");
      expect(await idsOf(storage, { id: "3", item: "prop-2" })).toBe("3");
      expect(await idsOf(storage, { id: "3", item: "prop-1" })).toBe("");
      expect(await idsOf(storage, { id: "3", author: "ada" })).toBe("");
    });

    it("return a page in either direction, and the count of all", async () => {
      const storage = await create();
      const item = "PROP-1";
      expect(await idsOf(storage, { item, offset: 1, limit: 1 })).toBe("2");
      expect(await idsOf(storage, { item, reverse: true, limit: 2 })).toBe("4 2");
      expect(await idsOf(storage, { item, reverse: true, offset: 2 })).toBe("1");
      expect(await idsOf(storage, { offset: 9 })).toBe("");
      expect(await storage.find("a", { item, offset: 9, limit: 0 })).toEqual({ notes: [], count: 3 });
    });
  });
}

function testKeysAndScopes({ describe, it, expect }: ContractRunner, { filled, idsOf }: Helpers): void {
  describe("keys", () => {
    it("apply their change once, and return the same record later", async () => {
      const storage = await filled({ id: "x" });
      const record = { operation: "add", note: noteWith({ id: "x" }) };
      expect(await storage.apply("a", insertion({ id: "other" }, "insert x"))).toEqual(record);
      await storage.apply("a", removal("x"));
      expect(await storage.recall("a", "insert x")).toEqual(record);
      expect(await storage.apply("a", removal("x"))).toEqual({ ...record, operation: "delete" });
      expect(await idsOf(storage)).toBe("");
    });
  });

  describe("scopes", () => {
    const names = ["", "a", "a\u0000", "\u0000a", "a\u0000b", "__proto__", "constructor", "a,b", '["a"', "Ä", "\ud800"];

    it("have their own notes, ids and keys, whatever their names", async () => {
      const storage = await filled();
      for (const scope of names) {
        for (const id of names) await storage.apply(scope, insertion({ id: id || "empty", item: id, text: scope }, id));
      }
      for (const scope of names) {
        const { notes, count } = await storage.find(scope, { limit: 100 });
        expect(count).toBe(names.length);
        expect(notes.every(({ text }) => text === scope)).toBe(true);
        expect((await storage.recall(scope, "a\u0000b"))?.note).toMatchObject({ id: "a\u0000b", text: scope });
        expect(await idsOf(storage, { item: "__proto__" }, scope)).toBe("__proto__");
      }
      expect(await storage.recall("other", "a")).toBeUndefined();
      await storage.apply("a", removal("a"));
      expect((await storage.find("a,b", { id: "a", limit: 1 })).count).toBe(1);
    });
  });
}
