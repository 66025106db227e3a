const { DATABASE_URL, CONCURRENCY = "10", PORT = "3000", VERSION } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL is not set: postgres://user:password@host/database");

/** Settings from the environment. */
export const settings = {
  databaseUrl: DATABASE_URL,
  /** Runs at a time in a worker. */
  concurrency: Number(CONCURRENCY),
  /** Where the web process listens. */
  port: Number(PORT),
  /** Set only for workers, if older ones must not take this deployment's runs. */
  version: VERSION || undefined,
};
