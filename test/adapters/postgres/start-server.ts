import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type EmbeddedServer, startEmbeddedServer } from "./embedded-server.mjs";

/** A server that has been started. */
export interface RunningServer extends Pick<EmbeddedServer, "port" | "start" | "stop" | "end"> {
  newDatabase(template?: string): Promise<string>;
  /** Stops as after a crash: in the mode `immediate`. */
  crash(): Promise<void>;
}

/** Starts a server with data of its own; `end` deletes them. */
export async function startServer(): Promise<RunningServer> {
  const server = await startEmbeddedServer([
    "max_connections=120",
    "shared_buffers=32MB",
    "fsync=off",
    "full_page_writes=off",
  ]);
  let count = 0;
  const newDatabase = async (template?: string) => {
    const name = `test_${++count}_${randomBytes(4).toString("hex")}`;
    const from = template === undefined ? "" : ` TEMPLATE ${template.split("/").at(-1)}`;
    await runStatement(server.url, `CREATE DATABASE ${name}${from}`);
    return server.url.replace(/[^/]+$/, name);
  };
  const crash = () => {
    const [pid] = readFileSync(join(server.dataFolder, "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGQUIT");
    return server.stop();
  };
  return { ...server, newDatabase, crash };
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
