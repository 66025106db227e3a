import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { formatStatement } from "../../../src/adapters/postgres/database.ts";
import { listSql } from "../../../src/adapters/postgres/postgres-run-store.ts";
import { hashesOf, readListOptions } from "../../../src/adapters/sql/run-rows.ts";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import { openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

it("waits for the creation of tables by another process for longer than for any other answer", async () => {
  const url = await server.newDatabase();
  const other = new pg.Client({ connectionString: url });
  other.on("error", () => {});
  onTestFinished(() => other.end());
  await other.connect();
  await other.query("SELECT pg_advisory_lock($1)", [0x706c7772]);
  const read = openStore(url, { timeoutMs: 2_000, retryForMs: 0, listen: false }).read("r");
  const waiting = async () => {
    const { rows } = await other.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'
        AND query_start < clock_timestamp() - interval '4 s'`,
    );
    return rows.length;
  };
  await Promise.race([expect.poll(waiting).toBe(1), read]);
  await other.query("SELECT pg_advisory_unlock($1)", [0x706c7772]);
  expect(await read).toEqual([]);
});

it("lets an append leave the indexes of runs alone", async () => {
  const url = await server.newDatabase();
  const store = openStore(url, { listen: false });
  const { fence } = await store.claim("r", { owner: "ada", ttlMs: 60_000 });
  await store.append("r", [runStart("r")], { sequence: 1, fence });
  for (let sequence = 2; sequence <= 101; sequence++)
    await store.append("r", [stepStart("r", sequence)], { sequence, fence });
  // A connection reports what it has counted at the latest when it ends.
  await store.close();
  const count = async () => {
    const [row] = await server.query(
      url,
      `SELECT n_tup_upd::integer AS updates, n_tup_hot_upd::integer AS hot FROM pg_stat_user_tables
        WHERE relname = 'planwright_runs'`,
    );
    return row as { updates: number; hot: number };
  };
  await expect.poll(async () => (await count()).updates).toBe(101);
  expect((await count()).hot).toBeGreaterThanOrEqual(80);
});

it("lists runs by status in the order of an index, however many there are", async () => {
  const url = await server.newDatabase();
  await openStore(url, { listen: false }).list();
  await server.query(
    url,
    `INSERT INTO planwright_runs (run_id, sequence, status, created_ms, metadata)
      SELECT 'r' || n, 1, (ARRAY['completed', 'failed', 'suspended', 'running'])[1 + n % 4], n, '{}'
      FROM generate_series(1, 20000) AS n`,
  );
  await server.query(url, "ANALYZE planwright_runs");
  for (const options of [
    { status: ["completed", "failed"] },
    { status: "running" },
    { resumable: true },
    {},
  ] as const) {
    const statement = listSql(readListOptions({ ...options, limit: 20 }), "public.planwright_", null);
    const rows = await server.query(url, `EXPLAIN (COSTS OFF) ${formatStatement(statement)}`, [...statement.values]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    // Nothing is sorted before the limit.
    expect(plan).toMatch(/-> {2}Limit\n *-> {2}Index (Only )?Scan Backward using planwright_runs_by_status/);
  }
});

it("adds what tables of format 7 lack, once", async () => {
  const url = await server.newDatabase();
  await openStore(url, { listen: false }).append("old", [runStart("old")], { sequence: 1 });
  await server.query(url, "ALTER TABLE planwright_runs DROP COLUMN thread; UPDATE planwright_format SET format = 7");
  const stores = [openStore(url, { listen: false }), openStore(url, { listen: false })];
  await Promise.all(
    stores.map((store, index) =>
      store.append(`r${index}`, [runStart(`r${index}`, { thread: "ada" })], { sequence: 1 }),
    ),
  );
  const { runs } = await openStore(url, { listen: false }).list({ thread: "ada" });
  expect(runs.map(({ runId }) => runId).sort()).toEqual(["r0", "r1"]);
  expect(await openStore(url, { listen: false }).read("old")).toHaveLength(1);
});

it("lists the runs of a thread in the order of an index, however many there are since", async () => {
  const url = await server.newDatabase();
  await openStore(url, { listen: false }).list();
  const [hash = ""] = hashesOf({ thread: "ada" });
  await server.query(
    url,
    `INSERT INTO planwright_runs (run_id, sequence, status, created_ms, metadata, thread)
      SELECT 'r' || n, 1, 'completed', n, '{}', CASE WHEN n <= 10000 THEN '${hash}' END
      FROM generate_series(1, 20000) AS n`,
  );
  await server.query(url, "ANALYZE planwright_runs");
  const statement = listSql(readListOptions({ thread: "ada", limit: 8 }), "public.planwright_", null);
  const rows = await server.query(url, `EXPLAIN (COSTS OFF) ${formatStatement(statement)}`, [...statement.values]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toMatch(/-> {2}Limit\n *-> {2}Index Scan Backward using planwright_runs_by_thread/);
});
