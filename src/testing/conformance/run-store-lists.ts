import assert from "node:assert/strict";
import type { RunStore } from "../../core/run-store.ts";
import { assertFails, assertSame } from "./conformance-case.ts";
import { fillStore, listIds, type RunStoreCase } from "./run-store-case.ts";
import { at, runEnd, runStart, stepStart } from "./sample-events.ts";

async function readPages(
  store: RunStore,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit, ...(cursor !== undefined && { cursor }) });
    pages.push(page.runs.map(({ runId }) => runId).join(" "));
    cursor = page.cursor;
    await between();
  } while (cursor !== undefined);
  return pages;
}

/** What every run store must do when it lists runs. */
export const listCases: readonly RunStoreCase[] = [
  {
    name: "lists: tells of each run its id, request, status and times, the newest first",
    async check({ store }) {
      await store.append("a", [runStart("a", { request: "Add milk", minute: 1 })], { sequence: 1 });
      await store.append("b", [runStart("b", { minute: 2 })], { sequence: 1 });
      await store.append("a", [runEnd("a", { minute: 3 })], { sequence: 2 });
      assertSame(await store.list(), {
        runs: [
          { runId: "b", status: "running", createdAt: at(2), updatedAt: at(2) },
          { runId: "a", status: "completed", request: "Add milk", createdAt: at(1), updatedAt: at(3) },
        ],
      });
    },
  },
  {
    name: "lists: follows the status of a run",
    async check({ store }) {
      const statusOf = async () => (await store.list()).runs[0]?.status;
      await store.append("a", [runStart("a", { request: "Add milk" })], { sequence: 1 });
      assert.equal(await statusOf(), "planning");
      const base = { runId: "a", sequence: 2, timestamp: at(0) };
      const error = { name: "AgentError", message: "", retryable: false } as const;
      const failed = { ...error, code: "planning-failed", details: { planner: "x" } } as const;
      await store.append("a", [{ type: "plan-end", ...base, outcome: { status: "failed", error: failed } }], {
        sequence: 2,
      });
      assert.equal(await statusOf(), "planning");
      await store.append("a", [{ type: "run-suspend", ...base, sequence: 3, pending: [] }], { sequence: 3 });
      assert.equal(await statusOf(), "suspended");
      await store.append("a", [runEnd("a", { sequence: 4, status: "cancelled" })], { sequence: 4 });
      assert.equal(await statusOf(), "cancelled");
    },
  },
  {
    name: "lists: selects by status: one, or any of some",
    async check({ store }) {
      await fillStore(store, 3);
      await store.append("r1", [runEnd("r1")], { sequence: 2 });
      await store.append("r3", [runEnd("r3", { status: "cancelled" })], { sequence: 2 });
      assert.equal(await listIds(store, { status: "completed" }), "r1");
      assert.equal(await listIds(store, { status: "running" }), "r2");
      assert.equal(await listIds(store, { status: ["cancelled", "completed"] }), "r3 r1");
      assert.equal(await listIds(store, { status: "suspended" }), "");
      assert.equal(await listIds(store, { status: [] }), "");
    },
  },
  {
    name: "lists: selects by the time of creation, that very time included, in any time zone",
    async check({ store }) {
      await fillStore(store, 3);
      await store.append("r1", [stepStart("r1", 2, 9)], { sequence: 2 });
      assert.equal(await listIds(store, { since: at(2) }), "r3 r2");
      assert.equal(await listIds(store, { since: at(4) }), "");
      assert.equal(await listIds(store, { since: "2026-01-01T02:02:00+02:00" }), "r3 r2");
    },
  },
  {
    name: "lists: selects by status and time together",
    async check({ store }) {
      await fillStore(store, 4);
      await store.append("r4", [runEnd("r4")], { sequence: 2 });
      assert.equal(await listIds(store, { status: "running", since: at(2), limit: 1 }), "r3");
    },
  },
  {
    name: "lists: selects the runs that have not ended and that nobody goes on with",
    async check({ store }) {
      await store.append("planning", [runStart("planning", { request: "Add milk" })], { sequence: 1 });
      await fillStore(store, 4);
      await store.append("r1", [runEnd("r1")], { sequence: 2 });
      await store.append("r2", [runEnd("r2", { status: "cancelled" })], { sequence: 2 });
      const base = { runId: "r3", sequence: 2, timestamp: at(5) };
      await store.append("r3", [{ type: "run-suspend", ...base, pending: [] }], { sequence: 2 });
      assertSame((await listIds(store, { resumable: true })).split(" ").sort(), ["planning", "r4"]);
      assert.equal((await listIds(store, { resumable: false })).split(" ").length, 5);
      await store.append("r3", [{ type: "run-resume", ...base, sequence: 3, version: 1, tools: [] }], { sequence: 3 });
      assertSame((await listIds(store, { resumable: true })).split(" ").sort(), ["planning", "r3", "r4"]);
    },
  },
  {
    name: "lists: leaves out a run for as long as a claim on it lasts",
    async check({ store, advance }) {
      await fillStore(store, 3);
      await store.claim("r1", { owner: "ada", ttlMs: 1_000 });
      const { fence } = await store.claim("r2", { owner: "bob", ttlMs: 2_000 });
      assert.equal(await listIds(store, { resumable: true }), "r3");
      assert.equal(await listIds(store), "r3 r2 r1");
      advance(999);
      assert.equal(await listIds(store, { resumable: true }), "r3");
      advance(1);
      assert.equal(await listIds(store, { resumable: true }), "r3 r1");
      await store.release("r2", { owner: "bob", fence });
      assert.equal(await listIds(store, { resumable: true }), "r3 r2 r1");
      await store.claim("r3", { owner: "ada", ttlMs: Number.POSITIVE_INFINITY });
      advance(1_000_000_000);
      assert.equal(await listIds(store, { resumable: true }), "r2 r1");
    },
  },
  {
    name: "lists: selects them by status, by time and by page, too",
    async check({ store }) {
      await store.append("r0", [runStart("r0", { request: "Add milk" })], { sequence: 1 });
      await fillStore(store, 5);
      await store.append("r5", [runEnd("r5")], { sequence: 2 });
      await store.claim("r3", { owner: "ada", ttlMs: 1_000 });
      assert.equal(await listIds(store, { resumable: true, status: "planning" }), "r0");
      assert.equal(await listIds(store, { resumable: true, status: ["running", "completed"] }), "r4 r2 r1");
      assert.equal(await listIds(store, { resumable: true, status: "completed" }), "");
      assert.equal(await listIds(store, { resumable: true, since: at(2) }), "r4 r2");
      const { runs, cursor } = await store.list({ resumable: true, limit: 2 });
      assertSame(
        runs.map(({ runId }) => runId),
        ["r4", "r2"],
      );
      assert.notEqual(cursor, undefined);
      const rest = await store.list({ resumable: true, limit: 2, ...(cursor !== undefined && { cursor }) });
      assertSame(
        rest.runs.map(({ runId }) => runId),
        ["r1", "r0"],
      );
      assert.equal(rest.cursor, undefined);
    },
  },
  {
    name: "lists: refuses what is neither true nor false",
    async check({ store }) {
      await assertFails(() => store.list({ resumable: 1 as never }), "invalid-options");
    },
  },
  {
    name: "lists: goes through all runs page by page, and has no cursor on the last",
    async check({ store }) {
      await fillStore(store, 5);
      assertSame(await readPages(store, 2), ["r5 r4", "r3 r2", "r1"]);
      assertSame(await readPages(store, 5), ["r5 r4 r3 r2 r1"]);
      assert.equal((await readPages(store, 1_000)).length, 1);
    },
  },
  {
    name: "lists: repeats and misses none while runs come and change",
    async check({ store }) {
      await fillStore(store, 5);
      let number = 5;
      const addRun = async () => {
        const id = `r${++number}`;
        await store.append(id, [runStart(id, { minute: number })], { sequence: 1 });
        if (number === 6) await store.append("r1", [stepStart("r1", 2, number)], { sequence: 2 });
      };
      assertSame(await readPages(store, 2, addRun), ["r5 r4", "r3 r2", "r1"]);
    },
  },
  {
    name: "lists: keeps runs of one moment in one order",
    async check({ store }) {
      for (const id of ["a", "b", "c", "d"]) await store.append(id, [runStart(id)], { sequence: 1 });
      const pages = await readPages(store, 1);
      assertSame([...pages].sort(), ["a", "b", "c", "d"]);
    },
  },
  {
    name: "lists: gives 100 at a time unless told otherwise",
    async check({ store }) {
      await fillStore(store, 101);
      const page = await store.list();
      assert.equal(page.runs.length, 100);
      assert.notEqual(page.cursor, undefined);
    },
  },
  {
    name: "lists: refuses a limit or a cursor that can not be",
    async check({ store }) {
      await fillStore(store, 1);
      for (const limit of [0, -1, 1.5, 1_001, Number.NaN]) {
        await assertFails(() => store.list({ limit }), "invalid-options");
      }
      await assertFails(() => store.list({ cursor: "not a cursor" }), "invalid-options");
      await assertFails(() => store.list({ since: "yesterday" }), "invalid-options");
    },
  },
];
