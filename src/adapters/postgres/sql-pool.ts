import { countPending } from "../../async/promises.ts";
import { AgentError } from "../../core/errors.ts";

/** Statement with settings of its own. @inline */
interface StatementConfig {
  readonly text: string;
  readonly values?: unknown[];
  /** Name under which a connection prepares the statement once. */
  readonly name?: string;
  /** Time limit in ms, which replaces that of the connection. */
  readonly query_timeout?: number;
}

/** Pool or client of `pg`, which runs statements. @inline */
export interface PostgresQueryable {
  /** Runs one statement. */
  query(statement: string | StatementConfig, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Source of errors that no statement reports. @inline */
interface ErrorSource {
  /** Listens for the loss of a connection: an idle one in the pool, or one taken out of it. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Stops listening. */
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** Connection of a pool. @inline */
interface PostgresClient extends PostgresQueryable, ErrorSource {
  /** Returns the connection to the pool, or closes it if `destroy` is true. */
  release(destroy?: boolean): void;
}

/** Pool of connections: `Pool` of `pg`, reduced to the members used here. @group Storage */
export interface PostgresPool extends PostgresQueryable, ErrorSource {
  /** Takes a connection out of the pool. */
  connect(): Promise<PostgresClient>;
  /** Options of the pool's connections, also used for one more connection, which listens to other processes. */
  readonly options?: object | undefined;
}

export interface NoticeClient extends PostgresQueryable {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  on(event: "notification", listener: (message: { channel: string; payload?: string | undefined }) => void): unknown;
  on(event: "error" | "end", listener: () => void): unknown;
  unref?(): void;
}

export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

interface PgPackage {
  readonly Client: new (options: object) => NoticeClient;
  readonly Pool: new (options: object) => OwnPool;
}

export async function loadPg(
  load = (): Promise<{ readonly default: PgPackage }> => countPending(import("pg")),
): Promise<PgPackage> {
  try {
    return (await load()).default;
  } catch (thrown) {
    const command = "npm install pg";
    throw new AgentError("missing-dependency", `The package "pg" is not available. Run "${command}".`, {
      details: { packages: ["pg"], command },
      cause: thrown,
    });
  }
}

/** The server rolls back if the transaction is idle for longer than `idleMs`. */
export async function inTransaction<T>(
  { pool, idleMs }: { readonly pool: PostgresPool; readonly idleMs: number },
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // The pool listens for `error` only while it has the connection.
  client.on?.("error", ignore);
  let isDone = false;
  try {
    // Without this, a process that vanishes keeps its locks for hours, until TCP gives up.
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`);
    const result = await work(client);
    await client.query("COMMIT");
    isDone = true;
    return result;
  } finally {
    // Destroying the connection rolls back.
    client.release(!isDone);
    // A destroyed connection may still emit `error`, which must not end the process, so it keeps its listener.
    if (isDone) client.off?.("error", ignore);
  }
}

export function ignore(): undefined {}
