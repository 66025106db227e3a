import { randomUUID } from "node:crypto";
import type { RateLimitOptions } from "../../async/limits.ts";
import { AgentError, isAgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";
import { loadPg } from "../postgres/sql-pool.ts";
import type { Job, JobOutcome } from "./jobs.ts";

/**
 * The time that DBOS may rest in a transaction. A process that is stopped in one, as by a machine that falls asleep,
 * would keep rows locked, and the adoption of its runs waiting.
 */
export const idleTransactionMs = 2_000;

/** Loads the package. Rejects with `missing-dependency`. @internal */
export async function loadDbos(): Promise<typeof import("@dbos-inc/dbos-sdk")> {
  try {
    return await import("@dbos-inc/dbos-sdk");
  } catch (thrown) {
    const command = "npm install @dbos-inc/dbos-sdk pg";
    throw new AgentError("missing-dependency", `Workers need the package "@dbos-inc/dbos-sdk": ${command}`, {
      details: { packages: ["@dbos-inc/dbos-sdk", "pg"], command },
      cause: thrown,
    });
  }
}

/** Any number, the same in all processes. */
const lockKey = 7_208_214_552;
const pollMs = 50;

/** Does work that only one process at a time may do to a database, such as creating the tables of DBOS. */
export async function oneAtATime<T>(databaseUrl: string, use: () => Promise<T>): Promise<T> {
  const { Client } = await loadPg();
  const locking = new Client({ connectionString: databaseUrl });
  // A connection that breaks while it is idle would otherwise end the process.
  locking.on("error", () => {});
  await locking.connect();
  try {
    // A statement that waits for the lock would keep DBOS, whose migrations wait for all statements, from ever ending.
    const isLocked = async () => {
      const { rows } = await locking.query("select pg_try_advisory_lock($1) as locked", [lockKey]);
      return (rows[0] as { readonly locked?: unknown } | undefined)?.locked === true;
    };
    while (!(await isLocked())) await new Promise((resolve) => setTimeout(resolve, pollMs));
    return await use();
  } finally {
    await locking.end();
  }
}

/** The names under which DBOS knows what runs a job, and what a schedule queues. */
export const runWorkflow = "planwright.run";
export const scheduledWorkflow = "planwright.scheduled";
export const wakingWorkflow = "planwright.wake";

/** Does the work of a queue in this process. */
export interface QueueWorker {
  work(job: Job): Promise<JobOutcome>;
  /** Queues a run of a schedule. */
  submit(job: Job): Promise<void>;
  /** Queues a run again that was put back for so long, or puts it back once more if a worker still has it. */
  wake(runId: string, delayMs: number): Promise<void>;
}

/** The workers of this process by their queue: DBOS is one static object, so it is asked for a queue by name. */
const workers = new Map<string, QueueWorker>();

let registered = false;

/**
 * Registers what workers execute with DBOS. Needed only by an application that launches DBOS itself, before it does so;
 * its workers then join that DBOS. Rejects with `missing-dependency`, and with `invalid-options` once DBOS is launched.
 *
 * ```ts
 * await registerDbosRuns();
 * await DBOS.launch();
 * const worker = await startDbosWorker(agent, { databaseUrl });
 * ```
 * @group Workers
 */
export async function registerDbosRuns(): Promise<void> {
  const { DBOS } = await loadDbos();
  if (registered) return;
  if (DBOS.isInitialized()) {
    failOption("DBOS", "launched without the runs", "launched after `await registerDbosRuns()`");
  }
  registered = true;
  const retries = { retriesAllowed: true, maxAttempts: 100 };
  DBOS.registerWorkflow(
    (queue: string, job: Job) =>
      DBOS.runStep(async () => workerOf(queue).work(job), {
        ...{ name: "run", retriesAllowed: true, maxAttempts: 1_000, intervalSeconds: 0.5, backoffRate: 1.1 },
        // Another process that has the run needs no help, and its worker notices if it dies.
        shouldRetry: (thrown) => (thrown as { readonly code?: unknown } | null)?.code !== "run-owned-elsewhere",
      }),
    { name: runWorkflow },
  );
  DBOS.registerWorkflow(
    (queue: string, ...input: WakingInput) =>
      DBOS.runStep(async () => workerOf(queue).wake(...input), { name: "wake", ...retries }),
    { name: wakingWorkflow },
  );
  DBOS.registerWorkflow(
    async (date: Date, { queue, name, request }: ScheduleContext) => {
      const runId = `${name}.${date.toISOString().replaceAll(":", ".")}`;
      await DBOS.runStep(async () => workerOf(queue).submit({ runId, request, options: {} }), {
        ...{ name: "submit", ...retries },
        // DBOS keeps the error where it shows its workflows.
        shouldRetry: (thrown) => !isAgentError(thrown, "run-conflict"),
      });
    },
    { name: scheduledWorkflow },
  );
}

/** The input of a workflow that wakes a run, after the name of the queue. */
export type WakingInput = readonly [runId: string, delayMs: number];

/** The context that DBOS stores with a schedule. */
export interface ScheduleContext {
  readonly queue: string;
  readonly name: string;
  readonly request: string;
}

function workerOf(queue: string): QueueWorker {
  const worker = workers.get(queue);
  // What it had is still taken in the eyes of DBOS, so that other workers adopt it.
  if (worker === undefined) throw new Error(`The worker of "${queue}" has been stopped.`);
  return worker;
}

/**
 * The queue of the runs with a rate key, which is its partition key. In a queue with such limits DBOS takes nothing that
 * has no key, and so the others have one of their own.
 */
export function limitedQueue(queue: string): string {
  return `${queue}/limited`;
}

/** Options of {@link serveJobs}. */
interface ServeOptions {
  readonly databaseUrl: string;
  readonly queue: string;
  readonly concurrency: number;
  readonly version: string;
  /** The limit of the runs with one rate key. */
  readonly rateLimit: RateLimitOptions | undefined;
}

/** The times between two looks at an empty queue: if runs with a rate key have no limit, there are few. */
const [lookMs, seldomMs] = [100, 1_000];

/** Hands out the jobs of a queue to a worker: by the DBOS that this process has launched, or one that it launches. */
export async function serveJobs(
  worker: QueueWorker,
  options: ServeOptions,
): Promise<{ drain(timeoutMs: number): Promise<void>; stop(): void }> {
  const { DBOS } = await loadDbos();
  const isJoining = DBOS.isInitialized();
  await registerDbosRuns();
  const { queue, concurrency: workerConcurrency, rateLimit } = options;
  workers.set(queue, worker);
  try {
    if (!isJoining) await launch(options);
    const settings = { workerConcurrency, onConflict: "always_update" } as const;
    await DBOS.registerQueue(queue, { ...settings, minPollingIntervalMs: lookMs });
    await DBOS.registerQueue(limitedQueue(queue), {
      ...settings,
      minPollingIntervalMs: rateLimit === undefined ? seldomMs : lookMs,
      ...(rateLimit !== undefined && {
        partitionRateLimit: { limitPerPeriod: rateLimit.limit, periodSec: rateLimit.intervalMs / 1_000 },
      }),
    });
  } catch (thrown) {
    workers.delete(queue);
    throw thrown;
  }
  return {
    // Takes no more jobs, and waits for those that it has; in a DBOS of the application it does nothing.
    async drain(timeoutMs) {
      if (!isJoining) await DBOS.shutdown({ workflowCompletionTimeoutMS: timeoutMs });
    },
    stop() {
      workers.delete(queue);
    },
  };
}

async function launch({ databaseUrl, version, queue }: ServeOptions): Promise<void> {
  const { DBOS } = await loadDbos();
  DBOS.setConfig({
    name: "planwright",
    systemDatabaseUrl: databaseUrl,
    // It only hands out runs; what they do goes through the store.
    systemDatabasePoolSize: 6,
    systemDatabaseIdleTransactionTimeoutMs: idleTransactionMs,
    applicationVersion: version,
    // Unknown to later processes: what the store knows of its runs shows that they are to be adopted.
    executorID: randomUUID(),
    logLevel: "error",
    listenQueues: [queue, limitedQueue(queue)],
  });
  await oneAtATime(databaseUrl, () => DBOS.launch());
}
