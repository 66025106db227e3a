import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentEvent } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createManualClock, runStoreConformance } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { readListOptions } from "../../../src/adapters/sql/run-rows.ts";
import { openDatabase } from "../../../src/adapters/sqlite/database-file.ts";
import { listSql } from "../../../src/adapters/sqlite/sqlite-run-store.ts";
import { at, listIds, runEnd, runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import {
  checkIntegrity,
  drivers,
  failureOf,
  newFolder,
  newPath,
  openRaw,
  openStore,
  problemOf,
} from "./sqlite-files.ts";

describe.each(drivers)("createSqliteRunStore with %s", (driver) => {
  it("leaves no bytes of a deleted run in its files while they are open", async () => {
    const path = newPath();
    const store = openStore(path, { driver });
    const ids = ["r1", "r2", "r3", "r4", "r5", "r6"];
    const secretOf = (id: string, what: string) => `<${what} of ${id}>`;
    for (const id of ids) {
      const start = { ...runStart(id), metadata: { who: secretOf(id, "metadata") } };
      store.append(id, [start], { sequence: 1 });
      for (const [index, length] of [10, 6_000, 300, 20_000].entries()) {
        const input = { text: secretOf(id, "input").padEnd(length, "x") };
        store.append(id, [{ ...stepStart(id, index + 2), input } as AgentEvent], { sequence: index + 2 });
      }
      store.post(id, { text: secretOf(id, "message") });
    }
    for (const id of ids.slice(1)) await store.delete(id);
    const bytes = readdirSync(dirname(path)).map((name) => readFileSync(join(dirname(path), name), "latin1"));
    const found = ids.filter((id) => bytes.some((text) => text.includes(` of ${id}>`)));
    expect(found).toEqual(["r1"]);
    expect(store.read("r1")).toHaveLength(5);
  });

  it("empties the log after a deletion without waiting for other processes", async () => {
    const path = newPath();
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    other.get("PRAGMA journal_mode = WAL");
    other.get("SELECT count(*) FROM sqlite_schema");
    const patient = openStore(path, { driver, busyTimeoutMs: 60_000 });
    const clock = createManualClock();
    const store = openStore(path, { driver, busyTimeoutMs: 50, clock });
    for (const id of ["r1", "r2", "r3"]) store.append(id, [runStart(id)], { sequence: 1 });
    const logSize = () => statSync(`${path}-wal`).size;
    other.exec("BEGIN");
    other.get("SELECT count(*) FROM runs");
    const deletedMs = performance.now();
    await patient.delete("r1");
    await store.delete("r2");
    expect(performance.now() - deletedMs).toBeLessThan(30_000);
    expect(logSize()).toBeGreaterThan(0);
    other.exec("COMMIT");
    await patient.delete("r3");
    expect(logSize()).toBe(0);
    // Other methods still wait: 8 ms in the driver, and the others on the clock.
    other.exec("BEGIN IMMEDIATE");
    const appended = clock.runUntil(Promise.resolve(store.append("r4", [runStart("r4")], { sequence: 1 })));
    await expect(appended).rejects.toMatchObject({ code: "store-failed", details: { problem: "busy" } });
    expect(clock.monotonic()).toBe(42);
  });

  describe.each(["a file", "memory"])("in %s", (place) => {
    const cases = runStoreConformance({
      createStore: ({ now }) =>
        createSqliteRunStore({ path: place === "memory" ? ":memory:" : newPath(), driver, now }),
      closeStore: (store) => store.close(),
    });
    for (const { name, run } of cases) it(name, run);
  });

  it("keeps runs and claims for the next one who opens the file, with any driver", async () => {
    const path = newPath();
    const events = [runStart("r", { request: 'Add "milk" \u0000 \ud800 \u{1F600}' }), stepStart("r", 2)];
    const first = createSqliteRunStore({ path, driver });
    first.append("r", events, { sequence: 1 });
    const { fence } = await first.claim("r", { owner: "ada", ttlMs: 1_000_000 });
    const page = await first.list();
    first.close();
    for (const other of drivers) {
      const store = createSqliteRunStore({ path, driver: other });
      expect(store.read("r")).toEqual(events);
      expect(store.list()).toEqual(page);
      expect(page.runs[0]?.request).toBe('Add "milk" \u0000 \ud800 \u{1F600}');
      expect(() => store.claim("r", { owner: "bob", ttlMs: 1 })).toThrow(/belongs to another owner/);
      expect((await store.claim("r", { owner: "ada", ttlMs: 1_000_000 })).fence).toBe(fence);
      store.close();
    }
    expect(checkIntegrity(path, driver)).toBe("ok");
  });

  it("shows the events that other stores on the file have recorded", async () => {
    const path = newPath();
    const stores = [1, 2, 3].map(() => openStore(path, { driver }));
    for (const [index, store] of stores.entries()) {
      const id = `r${index}`;
      store.append(id, [runStart(id, { minute: index })], { sequence: 1 });
      for (const other of stores) {
        const sequence = (await other.read(id)).length + 1;
        other.append(id, [stepStart(id, sequence)], { sequence });
      }
      expect(store.read(id)).toHaveLength(stores.length + 1);
    }
    const ids = stores.map((_, index) => `r${index}`).reverse();
    for (const store of stores) expect((await store.list()).runs.map(({ runId }) => runId)).toEqual(ids);
  });

  it("fails while another process keeps the file locked, and works after that", () => {
    const path = newPath();
    const store = openStore(path, { driver, busyTimeoutMs: 1 });
    store.append("r", [runStart("r")], { sequence: 1 });
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    other.exec("BEGIN EXCLUSIVE");
    const failure = failureOf(() => store.append("r", [stepStart("r", 2)], { sequence: 2 }));
    expect(failure).toMatchObject({ retryable: true, details: { operation: "append", runId: "r", problem: "busy" } });
    expect(failure.message).toContain(path);
    expect(problemOf(() => store.claim("r", { owner: "ada", ttlMs: 1 }))).toBe("busy");
    other.exec("COMMIT");
    store.append("r", [stepStart("r", 2)], { sequence: 2 });
    expect(store.read("r")).toHaveLength(2);
  });

  it("reports in every method that it is closed", () => {
    const store = openStore(newPath(), { driver });
    store.append("r", [runStart("r")], { sequence: 1 });
    store.close();
    store.close();
    const claim = { owner: "ada", fence: 1, ttlMs: 1 };
    const uses = [
      () => store.append("r", [stepStart("r", 2)], { sequence: 2 }),
      () => store.read("r"),
      () => store.list(),
      () => store.claim("r", claim),
      () => store.renew("r", claim),
      () => store.release("r", claim),
    ];
    const operations = uses.map((use) => failureOf(use).details.operation);
    expect(operations).toEqual(["append", "read", "list", "claim", "claim", "claim"]);
    expect(failureOf(() => store.list()).message).toMatch(/has been closed/);
  });

  it("records nothing in a file that was deleted or replaced while it was open", () => {
    for (const replace of [() => {}, (path: string) => writeFileSync(path, "another file")]) {
      const path = newPath();
      const store = openStore(path, { driver });
      store.append("r", [runStart("r")], { sequence: 1 });
      rmSync(path);
      replace(path);
      const failure = failureOf(() => store.append("r", [stepStart("r", 2)], { sequence: 2 }));
      expect(failure.message).toMatch(/has been moved or deleted since it was opened\. Open it again\./);
      expect(failure.details.problem).toBeUndefined();
    }
  });

  it("reports events that are missing or not JSON instead of continuing without them", () => {
    const path = newPath();
    const store = openStore(path, { driver });
    const events = [runStart("r"), stepStart("r", 2), stepStart("r", 3)];
    store.append("r", events, { sequence: 1 });
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    other.exec("UPDATE run_events SET json = '{' WHERE sequence = 3");
    expect(problemOf(() => store.read("r"))).toBe("corrupt");
    expect(store.read("r", { limit: 2 })).toEqual(events.slice(0, 2));
    other.exec("DELETE FROM run_events WHERE sequence = 2");
    const failure = failureOf(() => store.read("r"));
    expect(failure.details).toMatchObject({ problem: "corrupt", operation: "read", runId: "r" });
    expect(failure.message).toContain("event 2 is missing");
    other.exec("DROP TABLE run_events");
    expect(problemOf(() => store.append("r", [stepStart("r", 4)], { sequence: 4 }))).toBe("corrupt");
  });
});

describe("createSqliteRunStore", () => {
  it("creates missing folders", () => {
    const path = join(newFolder(), "a", "b", "runs.db");
    openStore(path).append("r", [runStart("r")], { sequence: 1 });
    expect(openStore(path).read("r")).toHaveLength(1);
  });

  it("returns frozen events", async () => {
    const store = openStore(":memory:");
    store.append("r", [runStart("r")], { sequence: 1 });
    const [event] = await store.read("r");
    expect(Object.isFrozen(event)).toBe(true);
    expect(event?.type === "run-start" && Object.isFrozen(event.plan?.steps[0])).toBe(true);
  });

  it("records nothing if one event of several cannot be JSON", () => {
    const store = openStore(":memory:");
    const wrong = { ...stepStart("r", 2), input: { n: 1n } } as never;
    expect(() => store.append("r", [runStart("r"), wrong], { sequence: 1 })).toThrow(TypeError);
    expect(store.read("r")).toEqual([]);
  });

  it("lists runs by their creation time, in whatever order they were recorded", async () => {
    const store = openStore(":memory:");
    for (const [id, minute] of [
      ["b", 2],
      ["c", 3],
      ["a", 1],
    ] as const) {
      store.append(id, [runStart(id, { minute })], { sequence: 1 });
    }
    expect(await listIds(store)).toBe("c b a");
    const { cursor } = await store.list({ limit: 2 });
    expect(await listIds(store, { cursor, since: at(1) })).toBe("a");
  });

  it("lists a run as ended only while it has ended", async () => {
    const store = openStore(":memory:");
    store.append("r", [runStart("r"), runEnd("r")], { sequence: 1 });
    store.append("r", [{ ...runStart("r"), sequence: 3 }], { sequence: 3 });
    expect(await listIds(store, { status: "running" })).toBe("r");
  });

  it.each([
    { path: "" },
    { path: 5 },
    {},
    { path: "file:runs.db" },
    { path: "runs\0.db" },
    { path: "libsql://example.org" },
    { path: "runs.db", now: 5 },
    { path: "runs.db", driver: "sqlite3" },
    { path: "runs.db", busyTimeoutMs: -1 },
    { path: "runs.db", file: "runs.db" },
    null,
  ])("refuses %j as options", (options) => {
    expect(() => createSqliteRunStore(options as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });

  it.each([
    { status: "nope" },
    { status: ["failed", "nope"] },
    { state: "failed" },
    { cursor: "" },
    { cursor: "1.5" },
    { cursor: 5 },
    null,
  ])("refuses to list runs by %j", (options) => {
    const store = openStore(":memory:");
    expect(() => store.list(options as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});

it.each([
  { filter: {}, index: "runs_by_creation" },
  { filter: { status: "running" }, index: "runs_by_status" },
  { filter: { status: ["failed", "running"] }, index: "runs_by_status" },
  { filter: { resumable: true } },
  { filter: { until: "2026-01-01" }, index: "runs_by_creation" },
  { filter: { metadata: { tenant: "a", user: "b" }, status: "failed" } },
  { filter: { thread: "a" } },
] as const)(
  "listSql uses an index for $filter, so that a page costs the same among many runs",
  ({ filter, ...expected }) => {
    const db = openDatabase({ path: ":memory:", driver: undefined, busyTimeoutMs: 0 });
    onTestFinished(() => db.close());
    const { texts, values } = listSql(readListOptions(filter), 0);
    const details = db.all(`EXPLAIN QUERY PLAN ${texts.join("?")}`, ...values).map(({ detail }) => String(detail));
    expect(details.filter((detail) => /^SCAN (runs|m\b)/.test(detail))).toEqual([]);
    const covering = details.map((detail) => /SEARCH runs USING COVERING INDEX (\w+)/.exec(detail)?.[1]);
    expect(covering.find((index) => index !== undefined)).toBe("index" in expected ? expected.index : undefined);
  },
);
