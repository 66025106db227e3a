import assert from "node:assert/strict";
import type { ListRunsOptions, RunStore } from "../../core/run-store.ts";
import { assertFails, assertSame } from "./conformance-case.ts";
import {
  at,
  type EndStatus,
  fillStore,
  listIds,
  planEnd,
  type RunStoreCase,
  runEnd,
  runResume,
  runStart,
  runSuspend,
  stepStart,
} from "./run-store-case.ts";

/** How a run may end. */
const ends: readonly EndStatus[] = ["completed", "failed", "cancelled", "interrupted"];

async function readPages(
  store: RunStore,
  options: ListRunsOptions,
  between: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ ...options, ...(cursor !== undefined && { cursor }) });
    pages.push(page.runs.map(({ runId }) => runId).join(" "));
    cursor = page.cursor;
    await between();
  } while (cursor !== undefined);
  return pages;
}

/** The requirements for lists of runs. */
export const listCases: readonly RunStoreCase[] = [
  {
    name: "lists: contains the id, request, status and times of each run, the newest first",
    async check({ store }) {
      await store.append("a", [runStart("a", { request: "Add milk", minute: 1 })], { sequence: 1 });
      await store.append("b", [runStart("b", { minute: 2 })], { sequence: 1 });
      await store.append("a", [runEnd("a", { minute: 3 })], { sequence: 2 });
      const metadata = { user: "ada" };
      assertSame(await store.list(), {
        runs: [
          { runId: "b", status: "running", metadata, createdAt: at(2), updatedAt: at(2) },
          {
            ...{ runId: "a", status: "completed", request: "Add milk", metadata },
            ...{ createdAt: at(1), updatedAt: at(3), endedAt: at(3) },
          },
        ],
      });
    },
  },
  {
    name: "lists: contains a run without its start, as one that is being planned",
    async check({ store }) {
      await store.append("a", [stepStart("a", 1, 1)], { sequence: 1 });
      const times = { createdAt: at(1), updatedAt: at(1), startedAt: at(1) };
      assertSame(await store.list(), { runs: [{ runId: "a", status: "planning", metadata: {}, ...times }] });
    },
  },
  {
    name: "lists: follows the status of a run",
    async check({ store }) {
      const statusOf = async () => (await store.list()).runs[0]?.status;
      await store.append("a", [runStart("a", { request: "Add milk" })], { sequence: 1 });
      assert.equal(await statusOf(), "planning");
      await store.append("a", [planEnd("a", 2, "failed")], { sequence: 2 });
      assert.equal(await statusOf(), "planning");
      await store.append("a", [planEnd("a", 3, "completed")], { sequence: 3 });
      assert.equal(await statusOf(), "running");
      await store.append("a", [runSuspend("a", 4)], { sequence: 4 });
      assert.equal(await statusOf(), "suspended");
      let sequence = 4;
      for (const status of ends) {
        await store.append("a", [runResume("a", ++sequence)], { sequence });
        assert.equal(await statusOf(), "running");
        await store.append("a", [runEnd("a", { sequence: ++sequence, status })], { sequence });
        assert.equal(await statusOf(), status);
      }
    },
  },
  {
    name: "lists: keeps the time of creation when a run is resumed",
    async check({ store }) {
      await store.append("a", [runStart("a", { minute: 1 })], { sequence: 1 });
      await store.append("a", [runResume("a", 2, 7)], { sequence: 2 });
      const { runs } = await store.list();
      assertSame(runs, [
        { runId: "a", status: "running", metadata: { user: "ada" }, createdAt: at(1), updatedAt: at(7) },
      ]);
    },
  },
  {
    name: "lists: leaves out a run that is only claimed",
    async check({ store }) {
      await store.claim("a", { owner: "ada", ttlMs: 1_000 });
      assert.equal(await listIds(store), "");
      assert.equal(await listIds(store, { resumable: true }), "");
    },
  },
  {
    name: "lists: selects by status: one, or any of several",
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
    name: "lists: selects by the time of creation, exactly that time included, in any time zone",
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
    name: "lists: selects the runs that have not ended and have no owner",
    async check({ store }) {
      await store.append("planning", [runStart("planning", { request: "Add milk" })], { sequence: 1 });
      await fillStore(store, 2);
      for (const status of ends)
        await store.append(status, [runStart(status), runEnd(status, { status })], { sequence: 1 });
      await store.append("r1", [runSuspend("r1", 2)], { sequence: 2 });
      assertSame((await listIds(store, { resumable: true })).split(" ").sort(), ["interrupted", "planning", "r2"]);
      assert.equal((await listIds(store, { resumable: false })).split(" ").length, 7);
      await store.append("r1", [runResume("r1", 3)], { sequence: 3 });
      assertSame((await listIds(store, { resumable: true })).split(" ").sort(), [
        "interrupted",
        "planning",
        "r1",
        "r2",
      ]);
    },
  },
  {
    name: "lists: leaves out a run for as long as a lease on it lasts",
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
      await store.claim("r3", { owner: "ada", ttlMs: store.isVolatile ? Number.POSITIVE_INFINITY : 10_000_000_000 });
      advance(1_000_000_000);
      assert.equal(await listIds(store, { resumable: true }), "r2 r1");
    },
  },
  {
    name: "lists: ignores a lease that starts in the future, as when the clock was set back",
    async check({ store, advance }) {
      await fillStore(store, 1);
      await store.claim("r1", { owner: "ada", ttlMs: 1_000 });
      advance(-3_600_000);
      assert.equal(await listIds(store, { resumable: true }), "r1");
      await store.claim("r1", { owner: "ada", ttlMs: 1_000 });
      assert.equal(await listIds(store, { resumable: true }), "");
    },
  },
  {
    name: "lists: selects resumable runs by status, by time and by page, too",
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
    name: "lists: refuses a resumable that is neither true nor false",
    async check({ store }) {
      await assertFails(() => store.list({ resumable: 1 as never }), "invalid-options");
    },
  },
  {
    name: "lists: goes through all runs page by page, and has no cursor on the last",
    async check({ store }) {
      await fillStore(store, 5);
      assertSame(await readPages(store, { limit: 2 }), ["r5 r4", "r3 r2", "r1"]);
      assertSame(await readPages(store, { limit: 5 }), ["r5 r4 r3 r2 r1"]);
      assert.equal((await readPages(store, { limit: 1_000 })).length, 1);
    },
  },
  {
    name: "lists: applies the same filter on each page",
    async check({ store }) {
      await fillStore(store, 9);
      for (const number of [2, 4, 6, 8]) await store.append(`r${number}`, [runEnd(`r${number}`)], { sequence: 2 });
      assertSame(await readPages(store, { status: "completed", limit: 1 }), ["r8", "r6", "r4", "r2"]);
      assertSame(await readPages(store, { status: ["running", "failed"], limit: 2 }), ["r9 r7", "r5 r3", "r1"]);
      assertSame(await readPages(store, { since: at(5), limit: 2 }), ["r9 r8", "r7 r6", "r5"]);
      assertSame(await readPages(store, { resumable: true, limit: 2 }), ["r9 r7", "r5 r3", "r1"]);
    },
  },
  {
    name: "lists: neither repeats nor misses a run while runs are added and changed",
    async check({ store }) {
      await fillStore(store, 5);
      let number = 5;
      const addRun = async () => {
        const id = `r${++number}`;
        await store.append(id, [runStart(id, { minute: number })], { sequence: 1 });
        if (number === 6) await store.append("r1", [stepStart("r1", 2, number)], { sequence: 2 });
      };
      assertSame(await readPages(store, { limit: 2 }, addRun), ["r5 r4", "r3 r2", "r1"]);
    },
  },
  {
    name: "lists: keeps runs of the same moment in a stable order",
    async check({ store }) {
      for (const id of ["a", "b", "c", "d"]) await store.append(id, [runStart(id)], { sequence: 1 });
      const pages = await readPages(store, { limit: 1 });
      assertSame([...pages].sort(), ["a", "b", "c", "d"]);
    },
  },
  {
    name: "lists: returns 100 runs at a time by default",
    async check({ store }) {
      await fillStore(store, 101);
      const page = await store.list();
      assert.equal(page.runs.length, 100);
      assert.notEqual(page.cursor, undefined);
    },
  },
  {
    name: "lists: refuses a status, a limit or a cursor that is invalid",
    async check({ store }) {
      await fillStore(store, 1);
      for (const limit of [0, -1, 1.5, 1_001, Number.NaN]) {
        await assertFails(() => store.list({ limit }), "invalid-options");
      }
      await assertFails(() => store.list({ status: "nope" as never }), "invalid-options");
      await assertFails(() => store.list({ cursor: "not a cursor" }), "invalid-options");
      await assertFails(() => store.list({ since: "yesterday" }), "invalid-options");
    },
  },
];
