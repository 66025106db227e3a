import { createPostgresNotes, createPostgresTodos } from "planwright/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import * as notes from "../../tools/notes/note-storage-contract.ts";
import { testTodoStorage, todoWith } from "../../tools/todo-store/todo-storage-contract.ts";
import { failureOf, openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();
let schemas = 0;
let url: Promise<string> | undefined;

function database(): Promise<string> {
  url ??= server.newDatabase();
  return url;
}

/** A schema of its own, as a database of its own takes longer. */
async function newPlace() {
  return { connectionString: await database(), maxConnections: 2, schema: `s${++schemas}` };
}

// Some cases create many storages.
describe("createPostgresTodos", () => {
  const create = async () => {
    const todos = createPostgresTodos(await newPlace());
    onTestFinished(() => todos.close());
    return todos;
  };
  testTodoStorage({ describe, it, expect }, create, { orders: 6 });

  it("shares its database with runs, keeps all texts, and makes a change once though it is asked for at once", async () => {
    const place = await newPlace();
    const first = createPostgresTodos(place);
    const second = createPostgresTodos(place);
    openStore(place.connectionString, place);
    const todo = todoWith({ id: "\u0000\ud800", title: 'Add "milk" \u0000 \ud800 \u{1F600}', dueDate: "2026-11-22" });
    const write = { key: "key\u0000", operation: "add", change: { type: "insert", todo } } as const;
    const [one, other] = await Promise.all([first.apply("a\u0000", write), second.apply("a\u0000", write)]);
    expect(one).toEqual(other);
    expect((await second.find("a\u0000", { id: todo.id, limit: 1 })).todos).toEqual([todo]);
    expect((await second.find("a", { limit: 1 })).count).toBe(0);
    await first.close();
    expect((await failureOf(() => first.find("a", { limit: 1 }))).message).toMatch(/has been closed/);
    await second.close();
  });

  it("drops the oldest records beyond rememberedWrites, and finds titles of any length", async () => {
    const todos = createPostgresTodos({ ...(await newPlace()), rememberedWrites: 2 });
    onTestFinished(() => todos.close());
    const words = Array.from({ length: 3_000 }, (_, index) => `w${index}`);
    for (const id of ["1", "2", "3"]) {
      const todo = todoWith({ id, title: words.join(" ") });
      await todos.apply("a", { key: id, operation: "add", change: { type: "insert", todo } });
    }
    expect(await todos.recall("a", "1")).toBeUndefined();
    expect(await todos.recall("a", "3")).toBeDefined();
    expect((await todos.find("a", { words, limit: Number.POSITIVE_INFINITY })).todos).toHaveLength(3);
  });
});

describe("createPostgresNotes", () => {
  notes.testNoteStorage({ describe, it, expect }, async () => {
    const storage = createPostgresNotes(await newPlace());
    onTestFinished(() => storage.close());
    return storage;
  });
});
