import { createSqliteNotes, createSqliteTodos, type SqliteNotes } from "planwright/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { insertion, noteWith, removal, testNoteStorage } from "../../tools/notes/note-storage-contract.ts";
import { checkIntegrity, drivers, newPath, openRaw, openStore, problemOf } from "./sqlite-files.ts";

function openNotes(path: string, options: Partial<Parameters<typeof createSqliteNotes>[0]> = {}): SqliteNotes {
  const notes = createSqliteNotes({ path, ...options });
  onTestFinished(() => notes.close());
  return notes;
}

describe.each(drivers)("createSqliteNotes with %s", (driver) => {
  // In memory: a commit to a disk takes longer than all else there is to test.
  testNoteStorage({ describe, it, expect }, () => openNotes(":memory:", { driver }));

  it("shares its file with runs and todos, and with other storages on it", async () => {
    const path = newPath();
    const first = openNotes(path, { driver });
    openStore(path, { driver });
    const todos = createSqliteTodos({ path, driver });
    onTestFinished(() => todos.close());
    const second = openNotes(path, { driver });
    const record = first.apply("a", insertion({ id: "x" }));
    expect((await second.find("a", { limit: 9 })).notes).toEqual([noteWith({ id: "x" })]);
    expect(second.apply("a", insertion({ id: "y" }, "insert x"))).toEqual(record);
    second.apply("a", removal("x"));
    expect((await first.find("a", { limit: 9 })).count).toBe(0);
    expect((await todos.find("a", { limit: 9 })).count).toBe(0);
    expect(checkIntegrity(path, driver)).toBe("ok");
  });

  it("keeps notes and records for the next one who opens the file, with any driver", async () => {
    const path = newPath();
    const note = noteWith({ id: "\u0000\ud800", text: 'Legal "review" \u0000 \ud800 \u{1F600}', author: "Ä\u0000" });
    const first = createSqliteNotes({ path, driver });
    const record = first.apply("a\u0000", insertion(note, "key\u0000"));
    first.close();
    expect(() => first.find("a", { limit: 1 })).toThrow("has been closed");
    for (const other of drivers) {
      const storage = openNotes(path, { driver: other });
      expect((await storage.find("a\u0000", { author: "ä\u0000", limit: 1 })).notes).toEqual([note]);
      expect(storage.recall("a\u0000", "key\u0000")).toEqual(record);
    }
  });

  it("reports rows that were changed by somebody else", async () => {
    const path = newPath();
    const storage = openNotes(path, { driver });
    storage.apply("a", insertion({ id: "x" }));
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    for (const json of ["{", "{}", '{"id":"","item":"a","text":"b","createdAt":"c"}']) {
      other.exec(
        `UPDATE notes SET json = '${json}'; UPDATE note_records SET json = '{"operation":"add","note":${json}}'`,
      );
      expect(problemOf(() => storage.find("a", { limit: 1 }))).toBe("corrupt");
      expect(problemOf(() => storage.recall("a", "insert x"))).toBe("corrupt");
    }
    other.exec("UPDATE note_records SET json = replace(json, 'add', 'list')");
    expect(problemOf(() => storage.recall("a", "insert x"))).toBe("corrupt");
    expect((await storage.find("a", { limit: 0 })).count).toBe(1);
  });
});

describe("createSqliteNotes", () => {
  it("drops the oldest records beyond rememberedWrites, over all scopes", async () => {
    const storage = openNotes(":memory:", { rememberedWrites: 3 });
    for (const scope of ["a", "b"]) for (const id of ["1", "2"]) storage.apply(scope, insertion({ id }));
    expect(storage.recall("a", "insert 1")).toBeUndefined();
    expect(storage.recall("a", "insert 2")).toBeDefined();
    expect((await storage.find("a", { limit: 9 })).count).toBe(2);
  });

  it("finds notes by an index of their items", () => {
    const path = newPath();
    openNotes(path);
    const db = openRaw(path);
    onTestFinished(() => db.close());
    const plan = db
      .all(
        "EXPLAIN QUERY PLAN SELECT json FROM notes WHERE scope = ? AND item_key = ? ORDER BY sequence DESC LIMIT ?",
        ...["a", "b", 1],
      )
      .map(({ detail }) => detail);
    expect(plan).toEqual([expect.stringContaining("USING INDEX notes_by_item")]);
  });

  it.each([{ path: "" }, { path: "notes.db", rememberedWrites: 0 }, { path: "notes.db", size: 1 }])(
    "refuses the options %j",
    (options) => {
      expect(() => createSqliteNotes(JSON.parse(JSON.stringify(options)))).toThrow(
        /^(?:Option "\w+(?:\.\w+)?" must be|Unknown option "size")/,
      );
    },
  );
});
