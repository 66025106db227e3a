/** Any number, the same in all processes. */
const lockKey = 7_208_214_552;
const pollMs = 50;

/** Does something that only one process at a time may do to a database, such as creating the tables of DBOS. */
export async function oneAtATime<T>(databaseUrl: string, use: () => Promise<T>): Promise<T> {
  const { default: pg } = await import("pg");
  const locking = new pg.Client({ connectionString: databaseUrl });
  // A connection that breaks while it is idle would otherwise end the process.
  locking.on("error", () => {});
  await locking.connect();
  try {
    // A statement that waits for the lock would keep DBOS, whose migrations wait for all statements, from ever ending.
    const isLocked = async () =>
      (await locking.query("select pg_try_advisory_lock($1) as locked", [lockKey])).rows[0].locked === true;
    while (!(await isLocked())) await new Promise((resolve) => setTimeout(resolve, pollMs));
    return await use();
  } finally {
    await locking.end();
  }
}
