import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { describe, expect, it, type TestContext } from "vitest";
import { isBusy, toStoreFailure } from "../../../src/adapters/sqlite/store-failure.ts";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import {
  checkIntegrity,
  drivers,
  failureOf,
  mountDisk,
  mountReadOnly,
  newFolder,
  newPath,
  openStore,
  problemOf,
} from "./sqlite-files.ts";

function failureFrom(fields: object, path = newPath()) {
  const thrown = Object.assign(new Error("the driver's words"), fields);
  return toStoreFailure(thrown, { path, operation: "append", runId: "r" });
}

const problems = [
  { errcode: 5, name: "SQLITE_BUSY", problem: "busy" },
  { errcode: 261, name: "SQLITE_BUSY_RECOVERY", problem: "busy" },
  { errcode: 6, name: "SQLITE_LOCKED", problem: "busy" },
  { errcode: 15, name: "SQLITE_PROTOCOL", problem: "busy" },
  { errcode: 8, name: "SQLITE_READONLY", problem: "read-only" },
  { errcode: 1544, name: "SQLITE_READONLY_DIRECTORY", problem: "read-only" },
  { errcode: 11, name: "SQLITE_CORRUPT", problem: "corrupt" },
  { errcode: 26, name: "SQLITE_NOTADB", problem: "corrupt" },
  { errcode: 13, name: "SQLITE_FULL", problem: "full" },
  { errcode: 10, name: "SQLITE_IOERR", problem: undefined },
  { errcode: 14, name: "SQLITE_CANTOPEN", problem: undefined },
  { errcode: 1032, name: "SQLITE_READONLY_DBMOVED", problem: undefined },
  { errcode: 1, name: "SQLITE_ERROR", problem: undefined },
];

describe("toStoreFailure", () => {
  it.each(problems)(
    "recognizes $name as reported by node:sqlite, libsql and better-sqlite3",
    ({ errcode, name, problem }) => {
      const path = newPath();
      for (const fields of [
        { code: "ERR_SQLITE_ERROR", errcode },
        { code: name, rawCode: errcode },
        { code: name, rawCode: null },
      ]) {
        const failure = failureFrom(fields, path);
        expect(failure.details).toMatchObject({ runId: "r", operation: "append", reason: "Error: the driver's words" });
        expect(failure.details).toEqual(
          problem ? expect.objectContaining({ problem }) : expect.not.objectContaining({ problem: expect.anything() }),
        );
        expect(failure.message).toMatch(/^The database ".*runs\.db" .+\.$/);
        expect(failure.retryable).toBe(problem === "busy");
        expect(isBusy(failure.cause)).toBe(problem === "busy");
      }
    },
  );

  it.each([
    ["EROFS", "read-only"],
    ["EACCES", "read-only"],
    ["EPERM", "read-only"],
    ["ENOSPC", "full"],
    ["EDQUOT", "full"],
  ])("recognizes %s, which Node reports for a folder", (code, problem) => {
    expect(failureFrom({ code }).details).toMatchObject({ problem });
  });

  it("reports a file that cannot be opened or read on a full disk as full", ({ skip }) => {
    const folder = mountDisk(64) ?? skip("This process may not mount a disk: run the tests as root to have this one.");
    const path = join(folder, "runs.db");
    expect(failureFrom({ errcode: 4_874 }, join("/", "planwright-none", "runs.db")).details).not.toHaveProperty(
      "problem",
      "full",
    );
    writeFileSync(path, Buffer.alloc(32_768));
    for (const errcode of [4_874, 14])
      expect(failureFrom({ errcode }, path).details).toMatchObject({ problem: "full" });
    const message = `ConnectionFailed("Unable to open connection to local database ${path}: 14")`;
    expect(toStoreFailure(new Error(message), { path, operation: "open", runId: "" }).details).toMatchObject({
      problem: "full",
    });
  });

  it("returns its own errors unchanged, and wraps all others", () => {
    const attempt = { path: "runs.db", operation: "append", runId: "r" } as const;
    const error = new AgentError("run-conflict", "no", { details: { runId: "r" } });
    expect(toStoreFailure(error, attempt)).toBe(error);
    for (const thrown of [undefined, null, "text", {}]) {
      expect(toStoreFailure(thrown, attempt)).toMatchObject({ code: "store-failed", details: { operation: "append" } });
    }
  });
});

/** Skips a test that has no disk. */
function required(disk: string | undefined, { skip }: TestContext): string {
  return disk ?? skip("This process may not mount a disk: run the tests as root to have this one.");
}

/** Takes all the room there is on a disk but for some; the answer gives it back. */
function fillDisk(folder: string, options: { kilobytes: number } | { butKilobytes: 0 }): () => void {
  const path = join(folder, "ballast");
  if ("kilobytes" in options) writeFileSync(path, Buffer.alloc(options.kilobytes * 1_024));
  else {
    try {
      writeFileSync(path, Buffer.alloc(16_777_216));
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "ENOSPC" });
    }
  }
  return () => rmSync(path);
}

describe.each(drivers)("a disk, with %s", (driver) => {
  it("that is full loses no recorded event, and is used again once there is room", async (context) => {
    const folder = required(mountDisk(1_024), context);
    const path = join(folder, "runs.db");
    const store = createSqliteRunStore({ path, driver });
    store.append("r", [runStart("r")], { sequence: 1 });
    let sequence = 1;
    const free = fillDisk(folder, { kilobytes: 600 });
    const failure = failureOf(() => {
      for (;;) {
        store.append("r", [stepStart("r", sequence + 1), stepStart("r", sequence + 2)], { sequence: sequence + 1 });
        sequence += 2;
      }
    });
    expect(failure.details).toMatchObject({ problem: "full", operation: "append", runId: "r" });
    expect(failure.message).toMatch(/has no space left on its disk\. Free some space and try again/);
    expect(sequence).toBeGreaterThan(20);
    expect(store.read("r")).toHaveLength(sequence);
    expect(
      problemOf(() =>
        store.append("other", [{ ...runStart("other"), context: "x".repeat(1_000_000) } as never], { sequence: 1 }),
      ),
    ).toBe("full");
    expect((await store.list()).runs.map(({ runId }) => runId)).toEqual(["r"]);
    free();
    store.append("r", [stepStart("r", sequence + 1)], { sequence: sequence + 1 });
    store.close();
    expect(openStore(path, { driver }).read("r")).toHaveLength(sequence + 1);
    expect(checkIntegrity(path, driver)).toBe("ok");
  });

  it("that is full from the start is reported as full", (context) => {
    const folder = required(mountDisk(256), context);
    const free = fillDisk(folder, { butKilobytes: 0 });
    const path = join(folder, "runs.db");
    expect(failureOf(() => createSqliteRunStore({ path, driver })).details).toMatchObject({
      problem: "full",
      operation: "open",
    });
    free();
    openStore(path, { driver }).append("r", [runStart("r")], { sequence: 1 });
  });

  it("that is read-only is reported as such for a file, a new file and a new folder", (context) => {
    const folder = newFolder();
    const store = openStore(join(folder, "runs.db"), { driver });
    store.append("r", [runStart("r")], { sequence: 1 });
    const view = required(mountReadOnly(folder), context);
    for (const path of [join(view, "runs.db"), join(view, "new.db"), join(view, "new", "runs.db")]) {
      const failure = failureOf(() => createSqliteRunStore({ path, driver }));
      expect(failure.details).toMatchObject({ problem: "read-only", operation: "open" });
      expect(failure.message).toContain(`"${path}" cannot be written to`);
    }
    expect(store.read("r")).toHaveLength(1);
  });
});
