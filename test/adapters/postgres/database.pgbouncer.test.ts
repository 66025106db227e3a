import { createPostgresRunStore } from "planwright/postgres";
import { runStoreConformance } from "planwright/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { isPgBouncerInstalled, startPgBouncer } from "./pgbouncer.ts";
import { openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

it.skipIf(!isPgBouncerInstalled)("a store works through PgBouncer in transaction mode", async () => {
  // Two transactions seldom have the same connection.
  const port = await startPgBouncer(server.port);
  // One database, so that all stores share the few connections that PgBouncer has to it.
  const connectionString = (await server.newDatabase()).replace(/:\d+\//, `:${port}/`);
  let schemas = 0;
  const cases = runStoreConformance({
    createStore: ({ now }) =>
      createPostgresRunStore({ connectionString, schema: `s${++schemas}`, maxConnections: 4, listen: false, now }),
    closeStore: (store) => store.close(),
  });
  for (const { run } of cases) await run();
  expect(cases.length).toBeGreaterThan(60);
});

it.skipIf(!isPgBouncerInstalled)(
  "a store that listens says that notices do not arrive through it, and only then",
  async () => {
    const port = await startPgBouncer(server.port);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const url = await server.newDatabase();
    const direct = openStore(url);
    const pooled = openStore(url.replace(/:\d+\//, `:${port}/`));
    for (const store of [direct, pooled]) store.watchPosted(() => {});
    await expect.poll(() => warn.mock.calls.length, { timeout: 15_000 }).toBe(1);
    expect(warn.mock.calls[0]?.[0]).toContain("listen: false");
    // Once it has warned, it still works.
    pooled.watch("r", () => {});
    await direct.close();
    await pooled.close();
    expect(warn).toHaveBeenCalledTimes(1);
  },
);
