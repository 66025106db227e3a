import type { RunStore } from "../../src/core/run-store.ts";
import { at, listIds, type RunStoreSuite, runEnd, runStart, stepStart } from "./run-store-suite.ts";

/** What every run store must do when it lists runs. */
export function testRunStoreLists(suite: RunStoreSuite): void {
  suite.describe("lists", () => {
    testSummaries(suite);
    testFilters(suite);
    testResumable(suite);
    testPages(suite);
  });
}

async function fill(store: RunStore, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    await store.append(`r${number}`, [runStart(`r${number}`, { minute: number })], { sequence: 1 });
  }
}

function testSummaries({ it, expect, create }: RunStoreSuite): void {
  it("tells of each run its id, request, status and times, the newest first", async () => {
    const { store } = await create();
    await store.append("a", [runStart("a", { request: "Add milk", minute: 1 })], { sequence: 1 });
    await store.append("b", [runStart("b", { minute: 2 })], { sequence: 1 });
    await store.append("a", [runEnd("a", { minute: 3 })], { sequence: 2 });
    expect(await store.list()).toEqual({
      runs: [
        { runId: "b", status: "running", createdAt: at(2), updatedAt: at(2) },
        { runId: "a", status: "completed", request: "Add milk", createdAt: at(1), updatedAt: at(3) },
      ],
    });
  });

  it("follows the status of a run", async () => {
    const { store } = await create();
    const statusOf = async () => (await store.list()).runs[0]?.status;
    await store.append("a", [runStart("a", { request: "Add milk" })], { sequence: 1 });
    expect(await statusOf()).toBe("planning");
    const base = { runId: "a", sequence: 2, timestamp: at(0) };
    const error = { name: "AgentError", message: "", retryable: false } as const;
    const failed = { ...error, code: "planning-failed", details: { planner: "x" } } as const;
    await store.append("a", [{ type: "plan-end", ...base, outcome: { status: "failed", error: failed } }], {
      sequence: 2,
    });
    expect(await statusOf()).toBe("planning");
    await store.append("a", [{ type: "run-suspend", ...base, sequence: 3, pending: [] }], { sequence: 3 });
    expect(await statusOf()).toBe("suspended");
    await store.append("a", [runEnd("a", { sequence: 4, status: "cancelled" })], { sequence: 4 });
    expect(await statusOf()).toBe("cancelled");
  });
}

function testFilters({ it, expect, create }: RunStoreSuite): void {
  it("selects by status: one, or any of some", async () => {
    const { store } = await create();
    await fill(store, 3);
    await store.append("r1", [runEnd("r1")], { sequence: 2 });
    await store.append("r3", [runEnd("r3", { status: "cancelled" })], { sequence: 2 });
    expect(await listIds(store, { status: "completed" })).toBe("r1");
    expect(await listIds(store, { status: "running" })).toBe("r2");
    expect(await listIds(store, { status: ["cancelled", "completed"] })).toBe("r3 r1");
    expect(await listIds(store, { status: "suspended" })).toBe("");
    expect(await listIds(store, { status: [] })).toBe("");
  });

  it("selects by the time of creation, that very time included, in any time zone", async () => {
    const { store } = await create();
    await fill(store, 3);
    await store.append("r1", [stepStart("r1", 2, 9)], { sequence: 2 });
    expect(await listIds(store, { since: at(2) })).toBe("r3 r2");
    expect(await listIds(store, { since: at(4) })).toBe("");
    expect(await listIds(store, { since: "2026-01-01T02:02:00+02:00" })).toBe("r3 r2");
  });

  it("selects by status and time together", async () => {
    const { store } = await create();
    await fill(store, 4);
    await store.append("r4", [runEnd("r4")], { sequence: 2 });
    expect(await listIds(store, { status: "running", since: at(2), limit: 1 })).toBe("r3");
  });
}

function testResumable({ it, expect, create, expectCode }: RunStoreSuite): void {
  it("selects the runs that have not ended and that nobody goes on with", async () => {
    const { store } = await create();
    await store.append("planning", [runStart("planning", { request: "Add milk" })], { sequence: 1 });
    await fill(store, 4);
    await store.append("r1", [runEnd("r1")], { sequence: 2 });
    await store.append("r2", [runEnd("r2", { status: "cancelled" })], { sequence: 2 });
    const base = { runId: "r3", sequence: 2, timestamp: at(5) };
    await store.append("r3", [{ type: "run-suspend", ...base, pending: [] }], { sequence: 2 });
    expect((await listIds(store, { resumable: true })).split(" ").sort()).toEqual(["planning", "r4"]);
    expect((await listIds(store, { resumable: false })).split(" ")).toHaveLength(5);
    await store.append("r3", [{ type: "run-resume", ...base, sequence: 3, tools: [] }], { sequence: 3 });
    expect((await listIds(store, { resumable: true })).split(" ").sort()).toEqual(["planning", "r3", "r4"]);
  });

  it("leaves out a run for as long as a claim on it lasts", async () => {
    const { store, advance } = await create();
    await fill(store, 3);
    await store.claim("r1", { owner: "ada", ttlMs: 1_000 });
    const { fence } = await store.claim("r2", { owner: "bob", ttlMs: 2_000 });
    expect(await listIds(store, { resumable: true })).toBe("r3");
    expect(await listIds(store)).toBe("r3 r2 r1");
    advance(999);
    expect(await listIds(store, { resumable: true })).toBe("r3");
    advance(1);
    expect(await listIds(store, { resumable: true })).toBe("r3 r1");
    await store.release("r2", { owner: "bob", fence });
    expect(await listIds(store, { resumable: true })).toBe("r3 r2 r1");
    await store.claim("r3", { owner: "ada", ttlMs: Number.POSITIVE_INFINITY });
    advance(1_000_000_000);
    expect(await listIds(store, { resumable: true })).toBe("r2 r1");
  });

  it("selects them by status, by time and by page, too", async () => {
    const { store } = await create();
    await store.append("r0", [runStart("r0", { request: "Add milk" })], { sequence: 1 });
    await fill(store, 5);
    await store.append("r5", [runEnd("r5")], { sequence: 2 });
    await store.claim("r3", { owner: "ada", ttlMs: 1_000 });
    expect(await listIds(store, { resumable: true, status: "planning" })).toBe("r0");
    expect(await listIds(store, { resumable: true, status: ["running", "completed"] })).toBe("r4 r2 r1");
    expect(await listIds(store, { resumable: true, status: "completed" })).toBe("");
    expect(await listIds(store, { resumable: true, since: at(2) })).toBe("r4 r2");
    const { runs, cursor } = await store.list({ resumable: true, limit: 2 });
    expect(runs.map(({ runId }) => runId)).toEqual(["r4", "r2"]);
    expect(cursor).toBeDefined();
    const rest = await store.list({ resumable: true, limit: 2, ...(cursor !== undefined && { cursor }) });
    expect(rest.runs.map(({ runId }) => runId)).toEqual(["r1", "r0"]);
    expect(rest.cursor).toBeUndefined();
  });

  it("refuses what is neither true nor false", async () => {
    const { store } = await create();
    await expectCode(() => store.list({ resumable: 1 as never }), "invalid-options");
  });
}

function testPages({ it, expect, create, expectCode }: RunStoreSuite): void {
  const readPages = async (store: RunStore, limit: number, between: () => Promise<void> = async () => {}) => {
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit, ...(cursor !== undefined && { cursor }) });
      pages.push(page.runs.map(({ runId }) => runId).join(" "));
      cursor = page.cursor;
      await between();
    } while (cursor !== undefined);
    return pages;
  };

  it("goes through all runs page by page, and has no cursor on the last", async () => {
    const { store } = await create();
    await fill(store, 5);
    expect(await readPages(store, 2)).toEqual(["r5 r4", "r3 r2", "r1"]);
    expect(await readPages(store, 5)).toEqual(["r5 r4 r3 r2 r1"]);
    expect(await readPages(store, 1_000)).toHaveLength(1);
  });

  it("repeats and misses none while runs come and change", async () => {
    const { store } = await create();
    await fill(store, 5);
    let number = 5;
    const addRun = async () => {
      const id = `r${++number}`;
      await store.append(id, [runStart(id, { minute: number })], { sequence: 1 });
      if (number === 6) await store.append("r1", [stepStart("r1", 2, number)], { sequence: 2 });
    };
    expect(await readPages(store, 2, addRun)).toEqual(["r5 r4", "r3 r2", "r1"]);
  });

  it("keeps runs of one moment in one order", async () => {
    const { store } = await create();
    for (const id of ["a", "b", "c", "d"]) await store.append(id, [runStart(id)], { sequence: 1 });
    const pages = await readPages(store, 1);
    expect([...pages].sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("gives 100 at a time unless told otherwise", async () => {
    const { store } = await create();
    await fill(store, 101);
    const page = await store.list();
    expect(page.runs).toHaveLength(100);
    expect(page.cursor).toBeDefined();
  });

  it("refuses a limit or a cursor that can not be", async () => {
    const { store } = await create();
    await fill(store, 1);
    for (const limit of [0, -1, 1.5, 1_001, Number.NaN]) {
      await expectCode(() => store.list({ limit }), "invalid-options");
    }
    await expectCode(() => store.list({ cursor: "not a cursor" }), "invalid-options");
    await expectCode(() => store.list({ since: "yesterday" }), "invalid-options");
  });
}
