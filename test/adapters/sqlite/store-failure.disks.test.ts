import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSqliteRunStore } from "planwright/sqlite";
import { describe, expect, it, type TestContext } from "vitest";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import {
  checkIntegrity,
  drivers,
  failureOf,
  mountDisk,
  mountReadOnly,
  newFolder,
  openStore,
  problemOf,
} from "./sqlite-files.ts";

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
