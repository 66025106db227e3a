import { spawnSync } from "node:child_process";
import { createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runEnd, runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import { todoWith } from "../../tools/todo-store/todo-storage-contract.ts";
import { buildChild } from "./processes/start-child.ts";
import { drivers, newPath } from "./sqlite-files.ts";

/** How many damaged files each driver gets of each store; the environment may ask for more. */
const count = Number(process.env.DAMAGED_FILES ?? 100);

let built: ReturnType<typeof buildChild>;
beforeAll(() => {
  built = buildChild("test/adapters/sqlite/damage/child.ts");
});
afterAll(() => built.remove());

function fill(path: string): void {
  const runs = createSqliteRunStore({ path, driver: drivers[0] });
  for (const id of ["r1", "r2", "r3"]) {
    const steps = Array.from({ length: 7 }, (_, index) => stepStart(id, index + 2));
    runs.claim(id, { owner: "ada", ttlMs: 1_000 });
    runs.append(id, [runStart(id, { request: "Add milk" }), ...steps], { sequence: 1 });
  }
  runs.append("r3", [{ ...runEnd("r3"), sequence: 9 }], { sequence: 9 });
  runs.close();
  const todos = createSqliteTodos({ path, driver: drivers[0] });
  for (let number = 1; number <= 12; number++) {
    const todo = todoWith({ id: `t${number}`, title: `milk ${number}`, tags: ["home"], dueDate: "2026-03-01" });
    todos.apply("ada", { key: `k${number}`, operation: "add", change: { type: "insert", todo } });
  }
  todos.close();
}

interface Line {
  readonly number: number;
  readonly begins?: string;
  readonly outcomes?: readonly string[];
}

/** Uses all the damaged files in other processes: another one begins behind that for which one has died. */
function useDamaged(driver: string, path: string) {
  const lines: Line[] = [];
  const deaths: string[] = [];
  for (let first = 0; first < count; ) {
    const work = JSON.stringify({ driver, path, first, count });
    const { stdout, status, signal } = spawnSync(process.execPath, [built.script, work], { encoding: "utf8" });
    const printed = stdout.split("\n").filter((line) => line !== "");
    lines.push(...printed.map((line) => JSON.parse(line) as Line));
    const last = lines.at(-1);
    if (status === 0) break;
    deaths.push(`${signal ?? status}: ${JSON.stringify(last)}`);
    first = (last?.number ?? first) + 1;
  }
  return { outcomes: lines.flatMap(({ outcomes }) => (outcomes === undefined ? [] : [outcomes])), deaths };
}

it.each(drivers)(
  "a damaged file causes typed errors, and never ends the process, with %s",
  (driver) => {
    const path = newPath();
    fill(path);
    const { outcomes, deaths } = useDamaged(driver, path);
    const untyped = outcomes.flat().filter((outcome) => outcome.startsWith("untyped"));
    if (process.env.DAMAGED_FILES)
      console.log(
        driver,
        outcomes.length,
        "files",
        deaths.length,
        "deaths",
        untyped.length,
        "untyped",
        outcomes.filter((o) => o.includes("store-failed")).length,
        "failed",
      );
    expect([...deaths, ...untyped]).toEqual([]);
    expect(outcomes).toHaveLength(2 * count);
    expect(outcomes.filter((all) => all.includes("store-failed")).length).toBeGreaterThan(count / 4);
  },
  600_000,
);
