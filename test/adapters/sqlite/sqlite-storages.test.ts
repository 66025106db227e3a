import { rmSync } from "node:fs";
import type { Todo } from "planwright";
import { createSqliteNotes, createSqliteTodos, type SqliteNotes, type SqliteTodos } from "planwright/sqlite";
import type { TodoQuery, TodoWrite } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SqliteDriver } from "../../../src/adapters/sqlite/sql-database.ts";
import { runStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import {
  insertion as insertNote,
  noteWith,
  removal,
  testNoteStorage,
} from "../../tools/notes/note-storage-contract.ts";
import { testTodoStorage, todoWith } from "../../tools/todo-store/todo-storage-contract.ts";
import { checkIntegrity, drivers, failureOf, newPath, openRaw, openStore, problemOf } from "./sqlite-files.ts";

function openTodos(path: string, options: Partial<Parameters<typeof createSqliteTodos>[0]> = {}): SqliteTodos {
  const todos = createSqliteTodos({ path, ...options });
  onTestFinished(() => todos.close());
  return todos;
}

function insertion(fields: Partial<Todo> & { id: string }, key = `insert ${fields.id}`): TodoWrite {
  return { key, operation: "add", change: { type: "insert", todo: todoWith(fields) } };
}

function filled(...todos: (Partial<Todo> & { id: string })[]): SqliteTodos {
  const storage = openTodos(":memory:");
  for (const fields of todos) storage.apply("a", insertion(fields));
  return storage;
}

async function idsOf(storage: SqliteTodos, query: Partial<TodoQuery> = {}): Promise<string> {
  const { todos } = await storage.find("a", { limit: 100, ...query });
  return todos.map(({ id }) => id).join(" ");
}

describe.each(drivers)("createSqliteTodos with %s", (driver) => {
  // In memory: a commit to a disk takes longer than all else there is to test.
  testTodoStorage({ describe, it, expect }, () => openTodos(":memory:", { driver }));

  it("shares its file with runs, and with other storages on it", async () => {
    const path = newPath();
    const first = openTodos(path, { driver });
    const runs = openStore(path, { driver });
    const second = openTodos(path, { driver });
    runs.append("r", [runStart("r")], { sequence: 1 });
    const record = first.apply("a", insertion({ id: "x", tags: ["t"] }));
    expect((await second.find("a", { limit: 1 })).todos).toEqual([todoWith({ id: "x", tags: ["t"] })]);
    expect(second.recall("a", "insert x")).toEqual(record);
    expect(second.apply("a", insertion({ id: "y" }, "insert x"))).toEqual(record);
    second.apply("a", { key: "k", operation: "delete", change: { type: "remove", id: "x" } });
    expect(await idsOf(first)).toBe("");
    expect(runs.read("r")).toHaveLength(1);
    expect(checkIntegrity(path, driver)).toBe("ok");
  });

  it("keeps todos and records for the next one who opens the file, with any driver", async () => {
    const path = newPath();
    const todo = todoWith({ id: "\u0000\ud800", title: 'Add "milk" \u0000 \ud800 \u{1F600}', dueDate: "2026-11-22" });
    const first = createSqliteTodos({ path, driver });
    const record = first.apply("a\u0000", insertion(todo, "key\u0000"));
    first.close();
    for (const other of drivers) {
      const storage = createSqliteTodos({ path, driver: other });
      expect((await storage.find("a\u0000", { id: todo.id, limit: 1 })).todos).toEqual([todo]);
      expect((await storage.find("a", { limit: 1 })).count).toBe(0);
      expect(storage.recall("a\u0000", "key\u0000")).toEqual(record);
      storage.close();
    }
  });

  it("changes nothing in a file that was deleted while it was open", () => {
    const path = newPath();
    const storage = openTodos(path, { driver });
    storage.apply("a", insertion({ id: "x" }));
    rmSync(path);
    const failure = failureOf(() => storage.apply("a", insertion({ id: "y" })));
    expect(failure.message).toMatch(/has been moved or deleted since it was opened\. Open it again\./);
  });

  it("fails while another process keeps the file locked, and has changed nothing then", async () => {
    const path = newPath();
    const storage = openTodos(path, { driver, busyTimeoutMs: 1 });
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    other.exec("BEGIN EXCLUSIVE");
    const failure = failureOf(() => storage.apply("a", insertion({ id: "x" })));
    expect(failure).toMatchObject({ retryable: true, details: { problem: "busy", operation: "append", runId: "" } });
    other.exec("COMMIT");
    expect(storage.recall("a", "insert x")).toBeUndefined();
    storage.apply("a", insertion({ id: "x" }));
    expect(await idsOf(storage)).toBe("x");
  });

  it("reports todos and records that are not JSON", async () => {
    const path = newPath();
    const storage = openTodos(path, { driver });
    storage.apply("a", insertion({ id: "x" }));
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    other.exec("UPDATE todos SET json = '{'; UPDATE todo_records SET json = '{'");
    expect(problemOf(() => storage.find("a", { limit: 1 }))).toBe("corrupt");
    expect(problemOf(() => storage.recall("a", "insert x"))).toBe("corrupt");
    expect((await storage.find("a", { limit: 0 })).count).toBe(1);
    for (const json of ['{"operation":"add","result":{"cleared":1},"before":{}}', '{"result":{"cleared":1}}']) {
      other.exec(`UPDATE todo_records SET json = '${json}'`);
      expect(problemOf(() => storage.recall("a", "insert x"))).toBe("corrupt");
    }
    other.exec(`UPDATE todo_records SET json = '{"operation":"add","result":{"cleared":1}}'`);
    expect(storage.recall("a", "insert x")).toEqual({ operation: "add", result: { cleared: 1 } });
  });
});

describe("createSqliteTodos", () => {
  it("drops the oldest records beyond rememberedWrites, over all scopes", async () => {
    const storage = openTodos(":memory:", { rememberedWrites: 3 });
    for (const scope of ["a", "b"]) for (const id of ["1", "2"]) storage.apply(scope, insertion({ id }));
    expect(storage.recall("a", "insert 1")).toBeUndefined();
    expect(storage.recall("a", "insert 2")).toBeDefined();
    expect(storage.recall("b", "insert 1")).toBeDefined();
    expect((await storage.find("a", { limit: 9 })).count).toBe(2);
  });

  it("finds todos with as many words as a text may have", async () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `w${index}`);
    const storage = filled({ id: "x", title: words.join(" ") }, { id: "y", title: "w1" });
    expect(await idsOf(storage, { words })).toBe("x");
    expect(await idsOf(storage, { words: [...words, "none"] })).toBe("");
    expect(await idsOf(storage, { words: [""] })).toBe("x y");
  });

  it("answers any number of different queries", async () => {
    const storage = filled({ id: "x", title: "w" });
    for (let length = 1; length < 250; length++) {
      expect(await idsOf(storage, { words: Array.from({ length }, () => "w") })).toBe("x");
    }
  });

  it("returns empty pages beyond the end, and all todos without a limit", async () => {
    const storage = filled({ id: "x" }, { id: "y" });
    expect(await idsOf(storage, { limit: Number.POSITIVE_INFINITY })).toBe("x y");
    expect(await idsOf(storage, { offset: 10_000_000, limit: 1_000 })).toBe("");
  });

  it("does not treat a date without a time as equal to a moment", async () => {
    const dueDates = ["2026-11-22", "2026-11-22T23:59:59.999Z", "2026-11-23"];
    const storage = filled(...dueDates.map((dueDate, index) => ({ id: String(index), dueDate })), { id: "none" });
    expect(await idsOf(storage, { dueOn: "2026-11-22T23:59:59.999Z" })).toBe("1");
    expect(await idsOf(storage, { dueAfter: "2026-11-22T23:59:59.998Z" })).toBe("0 1 2");
    expect(await idsOf(storage, { dueBefore: "2026-11-23T00:00:00Z" })).toBe("0 1");
  });

  it("reports in every method that it is closed", () => {
    const storage = openTodos(newPath());
    storage.close();
    storage.close();
    const uses = [
      () => storage.apply("a", insertion({ id: "x" })),
      () => storage.recall("a", "k"),
      () => storage.find("a", { limit: 1 }),
    ];
    expect(uses.map((use) => failureOf(use).details.operation)).toEqual(["append", "read", "list"]);
    expect(failureOf(() => storage.recall("a", "k")).message).toMatch(/has been closed/);
  });

  it("reports what is missing in a file whose tables are not those of todos", () => {
    const path = newPath();
    createSqliteTodos({ path }).close();
    const other = openRaw(path);
    other.exec("DROP TABLE todo_records");
    other.close();
    expect(failureOf(() => createSqliteTodos({ path })).details).toMatchObject({
      problem: "corrupt",
      operation: "open",
    });
  });

  it.each([
    { path: "" },
    { path: 5 },
    {},
    { path: "file:todo.db" },
    { path: "todo\0.db" },
    { path: "todo.db", rememberedWrites: 0 },
    { path: "todo.db", driver: "sqlite3" as SqliteDriver },
    { path: "todo.db", busyTimeoutMs: -1 },
    { path: "todo.db", file: "todo.db" },
    null,
  ])("refuses %j as options", (options) => {
    expect(() => createSqliteTodos(options as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});

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
    const record = first.apply("a", insertNote({ id: "x" }));
    expect((await second.find("a", { limit: 9 })).notes).toEqual([noteWith({ id: "x" })]);
    expect(second.apply("a", insertNote({ id: "y" }, "insert x"))).toEqual(record);
    second.apply("a", removal("x"));
    expect((await first.find("a", { limit: 9 })).count).toBe(0);
    expect((await todos.find("a", { limit: 9 })).count).toBe(0);
    expect(checkIntegrity(path, driver)).toBe("ok");
  });

  it("keeps notes and records for the next one who opens the file, with any driver", async () => {
    const path = newPath();
    const note = noteWith({ id: "\u0000\ud800", text: 'Legal "review" \u0000 \ud800 \u{1F600}', author: "Ä\u0000" });
    const first = createSqliteNotes({ path, driver });
    const record = first.apply("a\u0000", insertNote(note, "key\u0000"));
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
    storage.apply("a", insertNote({ id: "x" }));
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
    for (const scope of ["a", "b"]) for (const id of ["1", "2"]) storage.apply(scope, insertNote({ id }));
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
