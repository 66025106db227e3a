import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentError, isAgentError } from "planwright";
import { createSqliteRunStore, type SqliteRunStore } from "planwright/sqlite";
import { onTestFinished } from "vitest";
import { loadDriver, SqlDatabase, type SqliteDriver } from "../../../src/adapters/sqlite/sql-database.ts";
import type { StoreProblem } from "../../../src/core/errors.ts";

/** The drivers there are: on Node 20 those that are installed, later `node:sqlite`, too. */
export const drivers: readonly SqliteDriver[] = (["node", "better-sqlite3", "libsql"] as const).filter((driver) => {
  try {
    return loadDriver(driver) !== undefined;
  } catch {
    return false;
  }
});

/** A new folder, deleted when the test is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "planwright-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The path of a database that is not there yet. */
export function newPath(): string {
  return join(newFolder(), "runs.db");
}

/** Opens a store, and closes it when the test is over. */
export function openStore(
  path: string,
  options: Partial<Parameters<typeof createSqliteRunStore>[0]> = {},
): SqliteRunStore {
  const store = createSqliteRunStore({ path, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Opens a database past the store, as another program does. */
export function openRaw(path: string, driver?: SqliteDriver): SqlDatabase {
  const db = new SqlDatabase(new (loadDriver(driver))(path));
  db.get("PRAGMA busy_timeout = 5000");
  return db;
}

/** What SQLite finds wrong with a file: `ok` if nothing. */
export function checkIntegrity(path: string, driver?: SqliteDriver): unknown {
  const db = openRaw(path, driver);
  try {
    return db.get("PRAGMA integrity_check")?.integrity_check;
  } finally {
    db.close();
  }
}

/** The `store-failed` that work throws. */
export function failureOf(work: () => unknown): AgentError<"store-failed"> {
  try {
    work();
  } catch (thrown) {
    if (isAgentError(thrown, "store-failed")) return thrown as AgentError<"store-failed">;
    throw thrown;
  }
  throw new Error("It did not fail.");
}

/** The problem that work fails with. */
export function problemOf(work: () => unknown): StoreProblem | undefined {
  return failureOf(work).details.problem;
}

/**
 * A folder that is a disk of its own, of a few kilobytes, until the test is over; undefined where this process may not
 * mount anything.
 */
export function mountDisk(kilobytes: number): string | undefined {
  return mount(["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs"]);
}

/** The same folder at another path, where nobody can write, not even root, who has every right. */
export function mountReadOnly(folder: string): string | undefined {
  const view = mount(["--bind", folder]);
  if (view !== undefined) execFileSync("mount", ["-o", "remount,bind,ro", view]);
  return view;
}

function mount(what: readonly string[]): string | undefined {
  const folder = newFolder();
  try {
    execFileSync("mount", [...what, folder], { stdio: "pipe" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return folder;
}
