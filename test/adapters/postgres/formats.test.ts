import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

it("waits for an upgrade by another process for longer than for any other answer", async () => {
  const url = await server.newDatabase();
  const other = new pg.Client({ connectionString: url });
  other.on("error", () => {});
  onTestFinished(() => other.end());
  await other.connect();
  await other.query("SELECT pg_advisory_lock($1)", [0x706c7772]);
  const read = openStore(url, { timeoutMs: 200, retryForMs: 0, listen: false }).read("r");
  const waiting = async () => {
    const { rows } = await other.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'
        AND query_start < clock_timestamp() - interval '600 ms'`,
    );
    return rows.length;
  };
  await Promise.race([expect.poll(waiting, { timeout: 20_000 }).toBe(1), read]);
  await other.query("SELECT pg_advisory_unlock($1)", [0x706c7772]);
  expect(await read).toEqual([]);
});
