import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "./embedded-server.mjs";

/** False, and a line on the console, if PgBouncer is not installed. */
export const isPgBouncerInstalled = spawnSync("pgbouncer", ["--version"]).status === 0;
if (!isPgBouncerInstalled) console.warn("pgbouncer is not installed: what works behind it is not tested.");

/** Starts PgBouncer in transaction mode in front of a server, until the test is over. Resolves to its port. */
export async function startPgBouncer(serverPort: number, poolSize = 3): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "planwright-pgbouncer-"));
  const port = await freePort();
  writeFileSync(join(folder, "users.txt"), '"postgres" "secret"\n');
  const settings = [
    "[databases]",
    `* = host=127.0.0.1 port=${serverPort}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = plain",
    `auth_file = ${join(folder, "users.txt")}`,
    "pool_mode = transaction",
    `default_pool_size = ${poolSize}`,
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
