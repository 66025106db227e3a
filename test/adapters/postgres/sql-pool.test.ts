import pg from "pg";
import { createPostgresTodos } from "planwright/postgres";
import { expect, it, onTestFinished } from "vitest";
import { inTransaction } from "../../../src/adapters/postgres/sql-pool.ts";
import { toStoreFailure } from "../../../src/adapters/postgres/store-failure.ts";
import { todoWith } from "../../tools/todo-store/todo-storage-contract.ts";
import { openProxy } from "./open-proxy.ts";
import { failureOf, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

async function openTodos(options: Partial<Parameters<typeof createPostgresTodos>[0]> = {}) {
  const url = await server.newDatabase();
  const proxy = await openProxy(server.port);
  const todos = createPostgresTodos({ connectionString: proxy.through(url), maxConnections: 2, ...options });
  onTestFinished(() => todos.close());
  // The tables are there, and a connection is open.
  await todos.find("a", { limit: 1 });
  return { todos, proxy, url };
}

const insertion = (id: string) =>
  ({ key: id, operation: "add", change: { type: "insert", todo: todoWith({ id }) } }) as const;

// An error that nobody listens to fails the run of the tests.
it.each([
  ["statement", "BEGIN"],
  ["statement", "INSERT INTO"],
  ["statement", "COMMIT"],
  ["answer", "COMMIT"],
])("makes a change once if the connection is reset with the %s of %s", async (lost, text) => {
  const { todos, proxy } = await openTodos();
  proxy.loseNext({ text, isAnswer: lost === "answer" });
  expect(await todos.apply("a", insertion("1"))).toMatchObject({ operation: "add", result: { id: "1" } });
  expect((await todos.find("a", { limit: 9 })).count).toBe(1);
});

it("rejects with what is wrong if it may not try again", async () => {
  const { todos, proxy } = await openTodos({ retryForMs: 0 });
  proxy.loseNext({ text: "INSERT INTO" });
  const failure = await failureOf(() => todos.apply("a", insertion("1")));
  expect(failure).toMatchObject({ retryable: true, details: { problem: "unreachable", operation: "append" } });
});

it("survives a reset while the tables are created", async () => {
  const proxy = await openProxy(server.port);
  const todos = createPostgresTodos({ connectionString: proxy.through(await server.newDatabase()) });
  onTestFinished(() => todos.close());
  proxy.loseNext({ text: "CREATE TABLE" });
  expect((await todos.find("a", { limit: 1 })).count).toBe(0);
});

it("is undone by the server if nothing is said in it for too long, and that counts as a lost connection", async () => {
  const pool = new pg.Pool({ connectionString: await server.newDatabase(), max: 1 });
  const lost = inTransaction(
    { pool, idleMs: 50 },
    (client) => new Promise((_resolve, reject) => void client.on?.("error", reject)),
  );
  const thrown = await lost.catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: "25P03" });
  const failure = toStoreFailure(thrown, { operation: "append", runId: "" });
  expect(failure).toMatchObject({ retryable: true, details: { problem: "unreachable" } });
  expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  pool.on("error", () => {});
  await pool.end();
});

it("leaves no listener on a connection of a given pool", async () => {
  const pool = new pg.Pool({ connectionString: await server.newDatabase(), max: 1 });
  const todos = createPostgresTodos({ pool });
  for (const id of ["1", "2", "3"]) await todos.apply("a", insertion(id));
  const client = await pool.connect();
  expect(client.listenerCount("error")).toBe(0);
  client.release();
  await todos.close();
  // The server stops after the last test, perhaps before it has read that the connection ends.
  pool.on("error", () => {});
  await pool.end();
});
