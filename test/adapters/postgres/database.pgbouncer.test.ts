import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createPostgresRunStore } from "../../../src/adapters/postgres/postgres-run-store.ts";
import { runStoreConformance } from "../../../src/testing/conformance/run-store-conformance.ts";
import { freePort } from "./embedded-server.mjs";
import { usePostgres } from "./postgres-server.ts";

const isInstalled = spawnSync("pgbouncer", ["--version"]).status === 0;
if (!isInstalled) console.warn("pgbouncer is not installed: the store behind it is not tested.");

const server = usePostgres();

/** PgBouncer in transaction mode in front of the server: two transactions seldom have the same connection. */
async function startPgBouncer(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "planwright-pgbouncer-"));
  const port = await freePort();
  writeFileSync(join(folder, "users.txt"), '"postgres" "secret"\n');
  const settings = [
    "[databases]",
    `* = host=127.0.0.1 port=${server.port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = plain",
    `auth_file = ${join(folder, "users.txt")}`,
    "pool_mode = transaction",
    "default_pool_size = 3",
    "server_round_robin = 1",
  ];
  writeFileSync(join(folder, "pgbouncer.ini"), settings.join("\n"));
  chmodSync(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const child: ChildProcess = spawn("pgbouncer", [
    ...(isRoot ? ["-u", "postgres"] : []),
    join(folder, "pgbouncer.ini"),
  ]);
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise<void>((resolve, reject) => {
    let log = "";
    child.stderr?.on("data", (data) => {
      log += String(data);
      if (log.includes("process up")) resolve();
    });
    child.once("exit", () => reject(new Error(log)));
  });
  return port;
}

it.skipIf(!isInstalled)("a store works through PgBouncer in transaction mode", async () => {
  const port = await startPgBouncer();
  // One database, so that all stores share the few connections that PgBouncer has to it.
  const connectionString = (await server.newDatabase()).replace(/:\d+\//, `:${port}/`);
  let schemas = 0;
  const cases = runStoreConformance({
    createStore: ({ now }) =>
      createPostgresRunStore({ connectionString, schema: `s${++schemas}`, maxConnections: 4, listen: false, now }),
    closeStore: (store) => store.close(),
  });
  for (const { run } of cases) await run();
  expect(cases.length).toBeGreaterThan(60);
});
