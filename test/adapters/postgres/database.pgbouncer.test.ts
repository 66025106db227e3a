import { expect, it } from "vitest";
import { createPostgresRunStore } from "../../../src/adapters/postgres/postgres-run-store.ts";
import { runStoreConformance } from "../../../src/testing/conformance/run-store-conformance.ts";
import { isPgBouncerInstalled, startPgBouncer } from "./pgbouncer.ts";
import { usePostgres } from "./postgres-server.ts";

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
