import { createPostgresRunStore } from "planwright/postgres";
import { runStoreConformance } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { listIds, runEnd, runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import { callsOf, withSource } from "../../scenario/fork-source.ts";
import { failureOf, openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

describe("createPostgresRunStore", () => {
  const cases = runStoreConformance({
    createStore: async ({ now }) =>
      createPostgresRunStore({ connectionString: await server.newDatabase(), maxConnections: 4, now }),
    closeStore: (store) => store.close(),
  });
  for (const { name, run } of cases) it(name, run);

  it("keeps runs and claims for other stores on the database, texts unchanged", async () => {
    const url = await server.newDatabase();
    const events = [runStart("r", { request: 'Add "milk" \u0000 \ud800 \u{1F600}' }), stepStart("r", 2)];
    const first = openStore(url);
    await first.append("r", events, { sequence: 1 });
    const { fence } = await first.claim("r", { owner: "ada", ttlMs: 1_000_000 });
    const second = openStore(url);
    expect(await second.read("r")).toEqual(events);
    expect((await second.list()).runs[0]?.request).toBe('Add "milk" \u0000 \ud800 \u{1F600}');
    await expect(second.claim("r", { owner: "bob", ttlMs: 1 })).rejects.toThrow(/belongs to another owner/);
    expect((await second.claim("r", { owner: "ada", ttlMs: 1_000_000 })).fence).toBe(fence);
  });

  it("keeps forks at every event of a run, listed as the newest", async () => {
    const store = openStore(await server.newDatabase());
    const { agent, tools } = await withSource({ store });
    const { length } = await store.read("source");
    for (let after = 1; after <= length; after++) {
      const result = await agent.fork("source", { after, runId: `fork${after}` }).result;
      expect(result).toMatchObject({ status: "completed", output: 3, forkedFrom: { runId: "source", after } });
    }
    // Each was run again by the forks that were made before its end.
    expect(callsOf(tools)).toEqual([3, 5, 7]);
    expect(await listIds(store)).toMatch(/^fork8 .* source$/);
  });

  it("creates its tables once, though several stores start on an empty database at once", async () => {
    const url = await server.newDatabase();
    const stores = Array.from({ length: 4 }, () => openStore(url, { schema: "of its own" }));
    await Promise.all(
      stores.map((store, index) => store.append(`r${index}`, [runStart(`r${index}`)], { sequence: 1 })),
    );
    for (const store of stores) expect((await store.list()).runs).toHaveLength(4);
  });

  it.each([
    ["a later format", "UPDATE planwright_format SET format = 9", [{ format: 9 }]],
    ["an earlier format", "UPDATE planwright_format SET format = 1", [{ format: 1 }]],
    ["no format", "DELETE FROM planwright_format", []],
  ])("refuses tables of %s, and leaves them unchanged", async (_name, sql, rows) => {
    const url = await server.newDatabase();
    await openStore(url).append("r", [runStart("r")], { sequence: 1 });
    await server.query(url, sql);
    const failure = await failureOf(() => openStore(url).read("r"));
    expect(failure.details).toMatchObject({ problem: "wrong-format", operation: "open" });
    expect(failure.message).toMatch(/The schema "public" was written by another version .* expected format 7 or 8/);
    expect(await server.query(url, "SELECT format FROM planwright_format")).toEqual(rows);
  });

  it("records one of many appends that are made at once, without a gap", async () => {
    const url = await server.newDatabase();
    const stores = [openStore(url), openStore(url), openStore(url)];
    for (let sequence = 1; sequence <= 20; sequence++) {
      const write = (store: (typeof stores)[number], minute: number) =>
        store.append("r", [sequence === 1 ? runStart("r", { minute }) : stepStart("r", sequence, minute)], {
          sequence,
        });
      const settled = await Promise.allSettled(stores.map(write));
      expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
    expect((await stores[0]?.read("r"))?.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it("gives a run to one of many owners who claim it at once, by the clock of the database", async () => {
    const url = await server.newDatabase();
    const stores = [openStore(url), openStore(url), openStore(url)];
    for (let round = 0; round < 20; round++) {
      const claims = stores.map((store, index) => store.claim(`r${round}`, { owner: `o${index}`, ttlMs: 60_000 }));
      const settled = await Promise.allSettled(claims);
      expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
  });

  it("keeps no message for a run that ends while it is posted", async () => {
    const store = openStore(await server.newDatabase());
    for (let round = 0; round < 20; round++) {
      const id = `r${round}`;
      await store.append(id, [runStart(id)], { sequence: 1 });
      await Promise.all([
        store.append(id, [runEnd(id)], { sequence: 2 }),
        ...[1, 2, 3].map((number) => store.post(id, { number })),
      ]);
      expect((await store.claim(id, { owner: "ada", ttlMs: 1_000 })).posted).toEqual([]);
    }
  });

  it("keeps no more messages than it may, however many are posted at once, also before the run starts", async () => {
    const databaseUrl = await server.newDatabase();
    const stores = [openStore(databaseUrl), openStore(databaseUrl)];
    const [store] = stores as [ReturnType<typeof openStore>];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        stores[number % 2]?.post("r", { number }, { isEarly: true, maxKept: 12 }),
      ),
    );
    expect(answers.filter((answer) => answer?.number !== undefined)).toHaveLength(12);
    expect(answers.filter((answer) => answer?.isFull)).toHaveLength(18);
    const { posted } = await store.claim("r", { owner: "ada", ttlMs: 1_000 });
    expect(posted).toHaveLength(12);
    await store.append("r", [runStart("r")], { sequence: 1, acknowledged: posted?.map(({ number }) => number) ?? [] });
    expect(await store.post("r", {}, { maxKept: 1 })).toHaveProperty("number");
  });

  it("uses a given pool, and leaves it open", async () => {
    const { default: pg } = await import("pg");
    const pool = new pg.Pool({ connectionString: await server.newDatabase(), max: 2 });
    const store = createPostgresRunStore({ pool });
    await store.append("r", [runStart("r")], { sequence: 1 });
    expect(pool.listenerCount("error")).toBe(1);
    await store.close();
    expect(pool.listenerCount("error")).toBe(0);
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it("reports events that are missing or not JSON instead of continuing without them", async () => {
    const url = await server.newDatabase();
    const store = openStore(url);
    await store.append("r", [runStart("r"), stepStart("r", 2), stepStart("r", 3)], { sequence: 1 });
    await server.query(url, "UPDATE planwright_events SET json = '{' WHERE sequence = 3");
    expect((await failureOf(() => store.read("r"))).details).toMatchObject({ problem: "corrupt", runId: "r" });
    await server.query(url, "DELETE FROM planwright_events WHERE sequence = 2");
    expect((await failureOf(() => store.read("r"))).message).toContain("event 2 is missing");
    await server.query(url, "DROP TABLE planwright_events");
    expect((await failureOf(() => store.read("r"))).details.problem).toBe("corrupt");
  });

  it("is used as before while a newer process adds columns to its tables", async () => {
    const url = await server.newDatabase();
    const store = openStore(url, { maxConnections: 1 });
    const useAll = async (runId: string) => {
      const { fence } = await store.claim(runId, { owner: "ada", ttlMs: 60_000 });
      await store.append(runId, [runStart(runId)], { sequence: 1, fence });
      await store.append(runId, [stepStart(runId, 2)], { sequence: 2, fence });
      await store.post(runId, { type: "cancel" });
      expect((await store.renew(runId, { owner: "ada", fence, ttlMs: 60_000 })).posted).toHaveLength(1);
      await store.release(runId, { owner: "ada", fence });
      expect(await listIds(store)).toBe(runId);
      expect(await listIds(store, { resumable: true })).toBe(runId);
      expect(await store.read(runId)).toHaveLength(2);
      expect(await store.delete(runId)).toBe(true);
    };
    await useAll("older");
    for (const table of ["runs", "events", "messages"])
      await server.query(url, `ALTER TABLE planwright_${table} ADD COLUMN later text`);
    await useAll("newer");
  });

  it("reports in every method that it is closed", async () => {
    const store = openStore(await server.newDatabase());
    await store.append("r", [runStart("r")], { sequence: 1 });
    await store.close();
    await store.close();
    const claim = { owner: "ada", fence: 1, ttlMs: 1 };
    const uses = [
      () => store.append("r", [stepStart("r", 2)], { sequence: 2 }),
      () => store.read("r"),
      () => store.list(),
      () => store.claim("r", claim),
      () => store.renew("r", claim),
      () => store.release("r", claim),
      () => store.post("r", {}),
      () => store.delete("r"),
    ];
    for (const use of uses) expect((await failureOf(use)).message).toMatch(/has been closed/);
  });

  it("lists nothing for statuses that no run can have", async () => {
    const store = openStore(await server.newDatabase());
    await store.append("r", [runStart("r")], { sequence: 1 });
    expect(await listIds(store, { status: [] })).toBe("");
    expect(await listIds(store, { status: "completed", resumable: true })).toBe("");
  });

  it.each([
    {},
    { connectionString: "" },
    { connectionString: "mysql://host/database" },
    { connectionString: "postgres://host/database", pool: { query: () => {}, connect: () => {} } },
    { pool: {} },
    { connectionString: "postgres://host/database", schema: "" },
    { connectionString: "postgres://host/database", now: 5 },
    { connectionString: "postgres://host/database", path: "runs.db" },
    null,
  ])("refuses %j as options", (options) => {
    expect(() => createPostgresRunStore(options as never)).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });
});
