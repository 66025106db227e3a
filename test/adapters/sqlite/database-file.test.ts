import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createSqliteRunStore } from "planwright/sqlite";
import { describe, expect, it } from "vitest";
import { openDatabase, prepareTables } from "../../../src/adapters/sqlite/database-file.ts";
import { formatVersion } from "../../../src/core/events.ts";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import { drivers, failureOf, newFolder, newPath, openRaw, openStore, problemOf } from "./sqlite-files.ts";

/** Makes a database with a run of some hundred events. */
function fillDatabase(path: string): void {
  const store = createSqliteRunStore({ path });
  const steps = Array.from({ length: 999 }, (_, index) => stepStart("r", index + 2));
  store.append("r", [runStart("r"), ...steps], { sequence: 1 });
  store.close();
}

describe.each(drivers)("openDatabase with %s", (driver) => {
  const open = (path: string) => openDatabase({ path, driver, busyTimeoutMs: 1 });

  it("refuses a file that is not a database, and leaves it unchanged", () => {
    for (const text of ["hi\n", "no database\n".repeat(1_000), "\u0000".repeat(5_000)]) {
      const path = newPath();
      writeFileSync(path, text);
      const failure = failureOf(() => open(path));
      expect(failure).toMatchObject({
        retryable: false,
        details: { problem: "corrupt", operation: "open", runId: "" },
      });
      expect(failure.message).toContain(path);
      expect(failure.message).toMatch(/Restore a copy of it, or move it away/);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("refuses a truncated file", () => {
    const path = newPath();
    fillDatabase(path);
    const { size } = statSync(path);
    for (const length of [50, 1_000, 4_096, 8_192, size - 4_096]) {
      const cut = join(newFolder(), "cut.db");
      copyFileSync(path, cut);
      truncateSync(cut, length);
      expect([length, problemOf(() => open(cut))]).toEqual([length, "corrupt"]);
    }
  });

  it.each(["run_messages", "run_claims", "todos", "note_records"])("refuses a file without the table %s", (table) => {
    const path = newPath();
    fillDatabase(path);
    const db = open(path);
    db.exec(`DROP TABLE ${table}`);
    db.close();
    expect(problemOf(() => open(path))).toBe("corrupt");
    expect(problemOf(() => createSqliteRunStore({ path, driver }))).toBe("corrupt");
  });

  it("writes each commit to the disk, and the driver waits for a lock for at most 8 ms", () => {
    for (const busyTimeoutMs of [0, 7, 77]) {
      const db = openDatabase({ path: newPath(), driver, busyTimeoutMs });
      expect(db.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
      expect(db.get("PRAGMA busy_timeout")).toEqual({ timeout: Math.min(busyTimeoutMs, 8) });
      db.close();
    }
  });

  it("treats an empty file as new", () => {
    const path = newPath();
    writeFileSync(path, "");
    openStore(path, { driver }).append("r", [runStart("r")], { sequence: 1 });
    expect(openStore(path, { driver }).read("r")).toHaveLength(1);
  });

  it("reports damage inside the file when it reads that part", () => {
    const path = newPath();
    fillDatabase(path);
    const file = openSync(path, "r+");
    const { size } = statSync(path);
    for (let at = 4_096; at < size; at += 4_096) writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, at);
    closeSync(file);
    expect(problemOf(() => openStore(path, { driver }).read("r"))).toBe("corrupt");
    expect(problemOf(() => openStore(path, { driver }).append("r", [stepStart("r", 1_001)], { sequence: 1_001 }))).toBe(
      "corrupt",
    );
  });

  it("refuses a folder, a path through a file, and a database of another application", () => {
    const folder = newFolder();
    expect(failureOf(() => open(folder)).message).toMatch(/is a folder\. Give the path of a file/);
    writeFileSync(join(folder, "file"), "");
    const through = failureOf(() => open(join(folder, "file", "runs.db")));
    expect(through.message).toMatch(/failed to open: .*(ENOTDIR|EEXIST)/);
    for (const sql of [
      "CREATE TABLE users (id)",
      "PRAGMA user_version = 1",
      "PRAGMA application_id = 5; CREATE TABLE a (b)",
    ]) {
      const path = newPath();
      const other = openRaw(path, driver);
      other.exec(sql);
      other.close();
      const before = readFileSync(path);
      const failure = failureOf(() => open(path));
      expect(failure.message).toMatch(/belongs to another program/);
      expect(failure.details.problem).toBeUndefined();
      expect(readFileSync(path)).toEqual(before);
    }
  });

  it.each([
    ["a later format", formatVersion + 1, /format 9; expected format 7 or 8/],
    ["an earlier format", 4, /format 4; expected format 7 or 8/],
    ["no format", 0, /no format; expected format 7 or 8/],
  ])("refuses a file of %s, and leaves it unchanged", (_name, format, message) => {
    const path = newPath();
    fillDatabase(path);
    // As the file is then, so that no driver has a mode of its own to set.
    open(path).close();
    const other = openRaw(path, driver);
    other.exec(`PRAGMA user_version = ${format}`);
    other.get("PRAGMA wal_checkpoint(TRUNCATE)");
    other.close();
    const before = readFileSync(path);
    const failure = failureOf(() => open(path));
    expect(failure.details).toMatchObject({ problem: "wrong-format", operation: "open" });
    expect(failure.message).toMatch(message);
    expect(readFileSync(path)).toEqual(before);
  });

  it("opens a file of format 7", () => {
    const path = newPath();
    fillDatabase(path);
    const other = openRaw(path, driver);
    other.exec("PRAGMA user_version = 7");
    other.close();
    open(path).close();
  });

  it("does not create tables that another process has created", () => {
    const path = newPath();
    const db = openRaw(path, driver);
    const other = openRaw(path, driver);
    const exec = db.exec.bind(db);
    db.exec = (sql) => {
      if (sql === "BEGIN EXCLUSIVE") prepareTables(other, path);
      exec(sql);
    };
    prepareTables(db, path);
    expect(db.get("PRAGMA user_version")).toEqual({ user_version: formatVersion });
    db.close();
    other.close();
  });

  it("reads a file that another process is creating either before or after that, not in between", () => {
    const path = newPath();
    const db = openRaw(path, driver);
    const other = openRaw(path, driver);
    other.get("PRAGMA busy_timeout = 1");
    let tries = 0;
    const get = db.get.bind(db);
    db.get = (sql) => {
      if (sql === "PRAGMA application_id" && tries++ === 0) expect(() => prepareTables(other, path)).toThrow(/locked/);
      return get(sql);
    };
    prepareTables(db, path);
    expect(tries).toBe(2);
    db.close();
    other.close();
  });

  it("uses a write-ahead log only with a safe version of SQLite, and keeps one that is in use", () => {
    const path = newPath();
    const modeOf = (db: ReturnType<typeof open>) => db.get("PRAGMA journal_mode")?.journal_mode;
    const versionOf = (db: ReturnType<typeof open>) => String(db.get("SELECT sqlite_version() AS v")?.v);
    const first = open(path);
    const isSafe = versionOf(first).localeCompare("3.51.3", "en", { numeric: true }) >= 0;
    expect(modeOf(first)).toBe(isSafe ? "wal" : "truncate");
    first.get("PRAGMA journal_mode = WAL");
    first.get("SELECT count(*) FROM runs");
    const second = open(path);
    expect(modeOf(second)).toBe("wal");
    first.close();
    second.close();
  });

  it("opens a locked file once it is unlocked, and else reports that", () => {
    const path = newPath();
    fillDatabase(path);
    const other = openRaw(path, driver);
    other.get("PRAGMA journal_mode = DELETE");
    other.exec("BEGIN EXCLUSIVE");
    expect(failureOf(() => open(path))).toMatchObject({ retryable: true, details: { problem: "busy" } });
    other.exec("COMMIT");
    other.close();
    open(path).close();
  });

  it("does not treat a path as a URL", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "a?mode=memory#b %20"));
    const path = join(folder, "a?mode=memory#b %20", "runs ü?cache=shared.db");
    openStore(path, { driver }).append("r", [runStart("r")], { sequence: 1 });
    expect(statSync(path).size).toBeGreaterThan(0);
  });
});
