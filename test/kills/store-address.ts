import type { RunStore } from "planwright";
import { createPostgresRunStore } from "planwright/postgres";
import { createSqliteRunStore } from "planwright/sqlite";

/** Where the runs of processes are, as JSON: a file, or a database of a server. */
export type StoreAddress = { readonly path: string } | { readonly databaseUrl: string };

/** Opens the store of an address, by a clock for claims that is ahead of this machine's. */
export function openStore(address: StoreAddress, aheadMs = 0): RunStore & { close(): void | Promise<void> } {
  const now = () => Date.now() + aheadMs;
  if ("path" in address) return createSqliteRunStore({ path: address.path, now });
  return createPostgresRunStore({ connectionString: address.databaseUrl, maxConnections: 3, now });
}
