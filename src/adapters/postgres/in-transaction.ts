import type { PostgresClient, PostgresPool } from "./sql-pool.ts";

/** What {@link inTransaction} needs. */
interface TransactionOptions<T> {
  readonly pool: PostgresPool;
  /** How long the server waits for the next statement, before it undoes the transaction. */
  readonly idleMs: number;
  /** Runs the statements, on a connection that nothing else uses meanwhile. */
  readonly work: (client: PostgresClient) => Promise<T>;
}

/** Does work in one transaction, all or nothing. Rejects with what the work, or the connection, failed with. */
export async function inTransaction<T>({ pool, idleMs, work }: TransactionOptions<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks is told twice: to whoever waits for a statement, and as an event, which would end the
  // process if nobody listened. The pool only listens while it has the connection.
  client.on?.("error", ignore);
  let isDone = false;
  try {
    // A process that vanishes without a word would keep its locks until the server's TCP gives up, after hours.
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`);
    const result = await work(client);
    await client.query("COMMIT");
    isDone = true;
    return result;
  } finally {
    // A connection that is destroyed undoes its transaction, and one that owes an answer is of no use.
    client.release(!isDone);
    // Whatever else it still says does not matter, but must not end the process either.
    if (isDone) client.off?.("error", ignore);
  }
}

function ignore(): void {}
