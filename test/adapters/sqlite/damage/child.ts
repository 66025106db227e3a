import { readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { isAgentError } from "planwright";
import { createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import type { SqliteDriver } from "../../../../src/adapters/sqlite/sql-database.ts";
import { stepStart } from "../../../../src/testing/conformance/run-store-conformance.ts";
import { seededRandom } from "../../../kills/seeded-random.ts";
import { todoWith } from "../../../tools/todo-store/todo-storage-contract.ts";
import { damage } from "./damage.ts";

// A process that damages copies of a file, each in another way, and uses each as both stores do. It tells a line for each copy:
// if it dies, the parent knows of which.
const { driver, path, first, count } = JSON.parse(process.argv[2] ?? "") as {
  driver: SqliteDriver;
  path: string;
  first: number;
  count: number;
};

type Use = () => unknown;

/** Everything that both stores can do. */
function usesOf(copy: string): readonly Use[] {
  const runs = createSqliteRunStore({ path: copy, driver, busyTimeoutMs: 1 });
  const owner = { owner: "bob", ttlMs: 1_000 };
  const ofRuns = ["r1", "r2", "r3"].flatMap((id): readonly Use[] => [
    () => runs.read(id),
    () => runs.claim(id, owner),
    () => runs.renew(id, { ...owner, fence: 1 }),
    () => runs.release(id, { ...owner, fence: 1 }),
    () => runs.append(id, [stepStart(id, 9)], { sequence: 9 }),
  ]);
  const lists: readonly Use[] = [
    () => runs.list(),
    () => runs.list({ resumable: true }),
    () => runs.list({ status: "running", limit: 1 }),
    () => runs.close(),
  ];
  return [...ofRuns, ...lists];
}

function todoUsesOf(copy: string): readonly Use[] {
  const todos = createSqliteTodos({ path: copy, driver, busyTimeoutMs: 1 });
  return [
    () => todos.find("ada", { limit: 10 }),
    () => todos.find("ada", { limit: 10, sort: "title", words: ["mi"], tag: "home" }),
    () => todos.find("ada", { limit: 10, sort: "due", dueAfter: "2025-01-01" }),
    () => todos.recall("ada", "k1"),
    () => todos.apply("ada", { key: "k1", operation: "add", change: { type: "insert", todo: todoWith({ id: "t1" }) } }),
    () => todos.apply("ada", { key: "n1", operation: "add", change: { type: "insert", todo: todoWith({ id: "n" }) } }),
    () => {
      const change = { type: "patch", id: "t2", fields: { title: "bread", tags: ["x"] } } as const;
      return todos.apply("ada", { key: "n2", operation: "update", change });
    },
    () => todos.apply("ada", { key: "n3", operation: "delete", change: { type: "remove", id: "t3" } }),
    () => todos.apply("ada", { key: "n4", operation: "clear", change: { type: "clear", onlyCompleted: true } }),
    () => todos.close(),
  ];
}

/** What came of all uses: `ok`, the typed failures, or an error that is none of ours. */
function outcomeOf(open: (copy: string) => readonly Use[], copy: string): readonly string[] {
  const outcomes = new Set<string>();
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (thrown) {
      outcomes.add(isAgentError(thrown) ? thrown.code : `untyped ${String(thrown)}`);
      return undefined;
    }
  };
  for (const use of attempt(() => open(copy)) ?? []) attempt(use);
  return [...outcomes];
}

const whole = readFileSync(path);
for (let number = first; number < count; number++) {
  const copy = `${path}-${number}`;
  const what: string[] = [];
  for (const open of [usesOf, todoUsesOf]) {
    const bytes = Buffer.from(whole);
    what.push(damage(bytes, seededRandom(number)));
    writeFileSync(copy, bytes);
    writeSync(1, `${JSON.stringify({ number, begins: what.at(-1) })}\n`);
    writeSync(1, `${JSON.stringify({ number, outcomes: outcomeOf(open, copy) })}\n`);
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true });
  }
}
