import pg from "pg";
import { createMemoryRunStore, type RunStore } from "planwright";
import { createPostgresRunStore } from "planwright/postgres";
import { inject, onTestFinished } from "vitest";
import { countPending } from "../../src/async/promises.ts";

interface Schema {
  readonly pool: pg.Pool;
  readonly name: string;
}

let pool: pg.Pool | undefined;
let schemas = 0;
const free: Schema[] = [];

/** Where scenarios run, unless in memory. */
export function scenarioDatabase(): string | undefined {
  return inject("scenarioServer") as string | undefined;
}

/** A new store for a test: in memory, or in the database of the project whose scenarios run on PostgreSQL. */
export async function scenarioStore({ now }: { readonly now?: () => number } = {}): Promise<RunStore> {
  const databaseUrl = scenarioDatabase();
  if (databaseUrl === undefined) return createMemoryRunStore({ now });
  const schema = await countPending(emptySchema(databaseUrl));
  const store = createPostgresRunStore({ pool: schema.pool, schema: schema.name, listen: false, now });
  // Creates the tables.
  await countPending(store.list({ limit: 1 }));
  onTestFinished(async () => {
    await store.close();
    free.push(schema);
  });
  return counted(now === undefined ? timeless(store) : store);
}

/** To a scenario, whose clock is a manual one, the time of the database means nothing. */
function timeless(store: RunStore): RunStore {
  const without = async <T extends { readonly nowMs?: number | undefined }>(answer: T | Promise<T>) => {
    const { nowMs: _nowMs, ...rest } = await answer;
    return rest as T;
  };
  return Object.assign(Object.create(store) as RunStore, {
    claim: (...given: Parameters<RunStore["claim"]>) => without(store.claim(...given)),
    renew: (...given: Parameters<RunStore["renew"]>) => without(store.renew(...given)),
    post: (...given: Parameters<RunStore["post"]>) => without(store.post(...given)),
  });
}

/** One that an earlier test has used, without its runs, as creating tables takes longer. */
async function emptySchema(connectionString: string): Promise<Schema> {
  pool ??= new pg.Pool({ connectionString, max: 6, allowExitOnIdle: true });
  const used = free.pop();
  const schema = used ?? { pool, name: `scenario_${process.pid}_${++schemas}` };
  if (used !== undefined) {
    const tables = ["runs", "events", "messages"].map((name) => `${schema.name}.planwright_${name}`);
    await pool.query(tables.map((table) => `delete from ${table};`).join(" "));
  }
  return schema;
}

/** A manual clock waits for what a database does. */
function counted(store: RunStore): RunStore {
  const wait = <TArgs extends unknown[], T>(method: (...args: TArgs) => T | Promise<T>) => {
    return (...args: TArgs) => countPending(Promise.resolve(method.apply(store, args)));
  };
  return Object.assign(Object.create(store) as RunStore, {
    append: wait(store.append),
    read: wait(store.read),
    list: wait(store.list),
    claim: wait(store.claim),
    renew: wait(store.renew),
    release: wait(store.release),
    post: wait(store.post),
    delete: wait(store.delete),
  });
}
