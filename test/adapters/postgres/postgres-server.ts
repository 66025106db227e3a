import { type AgentError, isAgentError } from "planwright";
import { createPostgresRunStore, type PostgresRunStore } from "planwright/postgres";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type RunningServer, runStatement, startServer } from "./start-server.ts";

/** A real server, for all tests of a file. */
export interface PostgresServer {
  readonly port: number;
  /** The address of a new database: an empty one, or a copy of another one that nobody uses. */
  newDatabase(template?: string): Promise<string>;
  /** Runs a statement past every store. */
  query(url: string, text: string, values?: unknown[]): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
  /** Stops as after a crash: in the mode `immediate`. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a server before the tests of a file, and stops it after them. */
export function usePostgres(): PostgresServer {
  let running: RunningServer | undefined;
  const server = () => {
    if (running === undefined) throw new Error("The server has not been started.");
    return running;
  };
  beforeAll(async () => {
    running = await startServer();
  });
  afterAll(async () => {
    await running?.end();
  });
  return {
    get port() {
      return server().port;
    },
    newDatabase: (template) => server().newDatabase(template),
    query: (url, text, values) => runStatement(url, text, values),
    stop: () => server().stop(),
    crash: () => server().crash(),
    start: () => server().start(),
  };
}

/** Opens a store, and closes it when the test is over. */
export function openStore(
  connectionString: string,
  options: Partial<Parameters<typeof createPostgresRunStore>[0]> = {},
): PostgresRunStore {
  const store = createPostgresRunStore({ connectionString, maxConnections: 4, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** The `store-failed` that work rejects with. */
export async function failureOf(work: () => unknown): Promise<AgentError<"store-failed">> {
  try {
    await work();
  } catch (thrown) {
    if (isAgentError(thrown, "store-failed")) return thrown as AgentError<"store-failed">;
    throw thrown;
  }
  throw new Error("It did not fail.");
}
