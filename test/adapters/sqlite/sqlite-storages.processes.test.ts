import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { createSqliteTodos } from "planwright/sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Child, startChild } from "./processes/start-child.ts";
import { checkIntegrity, drivers, newPath, openRaw, openStore } from "./sqlite-files.ts";

const kills = Number(process.env.SQLITE_KILLS ?? 8);

let folder: string;
beforeAll(() => {
  // Inside of the repository, so that it finds the drivers.
  const cache = resolve("node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "planwright-todos-"));
  const entryPoints = ["test/adapters/sqlite/sqlite-todos-child.ts"];
  const outfile = join(folder, "child.mjs");
  buildSync({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(work: { path: string; driver: string; name: string; count: number }): Child {
  return startChild(join(folder, "child.mjs"), { work: "append", runId: "", ...work });
}

async function idsIn(path: string, driver: (typeof drivers)[number]): Promise<string[]> {
  const storage = createSqliteTodos({ path, driver });
  const { todos } = await storage.find("a", { limit: 1_000_000 });
  storage.close();
  return todos.map(({ id }) => id);
}

/** What is in the file as it is in its tables, beside what the storage says. */
function rawIn(path: string, driver: (typeof drivers)[number], column: "id FROM todos" | "key FROM todo_records") {
  const db = openRaw(path, driver);
  onTestFinished(() => db.close());
  return db.all(`SELECT ${column}`).map((row) => String(Object.values(row)[0]));
}

describe.each(drivers)("processes that store todos with %s", (driver) => {
  it("see each other's todos in a file that they open at the same time as a run store", async () => {
    const path = newPath();
    const children = ["ada", "bob", "cyd"].map((name) => start({ path, driver, name, count: 20 }));
    await Promise.all(children.map(({ ready }) => ready));
    for (const child of children) child.go();
    const runs = openStore(path, { driver });
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    const ids = await idsIn(path, driver);
    expect(ids.toSorted()).toEqual(children.flatMap(({ lines }) => lines).toSorted());
    expect(ids).toHaveLength(60);
    expect(runs.list()).toEqual({ runs: [] });
    expect(checkIntegrity(path, driver)).toBe("ok");
  });

  it(`leave both a change and its record, or neither, when they are killed, ${kills} times`, {
    timeout: 300_000 + kills * 2_000,
  }, async () => {
    const path = newPath();
    const confirmed: string[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const child = start({ path, driver, name: `child${kill}`, count: 100_000 });
      // From in the midst of opening, the first time of a file that is not there yet, to in the midst of the 8th todo.
      child.killAfter(kill % 8);
      await child.ready;
      child.go();
      expect(await child.ended).toBeNull();
      confirmed.push(...child.lines);
      const ids = await idsIn(path, driver);
      expect(ids).toEqual(expect.arrayContaining(confirmed));
      // One that it could not tell of any more may be there, too.
      expect(ids.length - confirmed.length).toBeLessThanOrEqual(kill + 1);
      expect(rawIn(path, driver, "key FROM todo_records").toSorted()).toEqual(ids.toSorted());
    }
    expect(rawIn(path, driver, "id FROM todos")).toHaveLength((await idsIn(path, driver)).length);
    expect(checkIntegrity(path, driver)).toBe("ok");
  });
});
