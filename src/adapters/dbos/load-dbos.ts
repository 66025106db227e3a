import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";
import type { Job, JobOutcome } from "./run-queue.ts";

export type DbosModule = typeof import("@dbos-inc/dbos-sdk");

/** The names under which DBOS knows what runs a job, and what a schedule queues. */
export const runWorkflow = "planwright.run";
export const scheduledWorkflow = "planwright.scheduled";
export const wakingWorkflow = "planwright.wake";

/** Does the work of a queue in this process. */
export interface QueueWorker {
  work(job: Job): Promise<JobOutcome>;
  /** Queues a run of a schedule. */
  submit(job: Job): Promise<void>;
  /** Queues a run again. */
  wake(runId: string): Promise<void>;
}

/** By queue: DBOS is one static object, so it is asked for a queue by name. */
export const workers = new Map<string, QueueWorker>();

/** Loads the package. Rejects with `missing-dependency`. */
export async function loadDbos(): Promise<DbosModule> {
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
  DBOS.registerWorkflow(
    (queue: string, job: Job) =>
      DBOS.runStep(() => workerOf(queue).work(job), {
        name: "run",
        retriesAllowed: true,
        maxAttempts: 1_000,
        intervalSeconds: 0.5,
        backoffRate: 1.1,
        shouldRetry: isTemporary,
      }),
    { name: runWorkflow },
  );
  DBOS.registerWorkflow(
    (queue: string, runId: string) =>
      DBOS.runStep(() => workerOf(queue).wake(runId), { name: "wake", retriesAllowed: true, maxAttempts: 100 }),
    { name: wakingWorkflow },
  );
  DBOS.registerWorkflow(
    async (date: Date, { queue, name, request }: ScheduleContext) => {
      const runId = `${name}.${date.toISOString().replaceAll(":", ".")}`;
      await DBOS.runStep(() => workerOf(queue).submit({ runId, request, options: {} }), {
        name: "submit",
        retriesAllowed: true,
        maxAttempts: 100,
      });
    },
    { name: scheduledWorkflow },
  );
}

/** What a schedule is stored with. */
export interface ScheduleContext {
  readonly queue: string;
  readonly name: string;
  readonly request: string;
}

/** Another process that has the run needs no help, and its worker notices if it dies. */
function isTemporary(thrown: unknown): boolean {
  return (thrown as { readonly code?: unknown } | null)?.code !== "run-owned-elsewhere";
}

function workerOf(queue: string): QueueWorker {
  const worker = workers.get(queue);
  if (worker !== undefined) return worker;
  const stopped: JobOutcome = { outcome: "postponed", untilMs: 0 };
  const refuse = () => Promise.reject(new Error(`No worker of "${queue}" runs here.`));
  return { work: async () => stopped, submit: refuse, wake: refuse };
}

/** Any number, the same in all processes. */
const launchLock = 7_208_214_552;
const lockPollMs = 50;

/** Two processes that create the tables of DBOS at once would make one of them fail: this lets one do it at a time. */
export async function oneAtATime<T>(databaseUrl: string, use: () => Promise<T>): Promise<T> {
  const { default: pg } = await import("pg");
  const locking = new pg.Client({ connectionString: databaseUrl });
  // A connection that breaks while it is idle would otherwise end the process.
  locking.on("error", () => {});
  await locking.connect();
  try {
    // A statement that waits for the lock would keep DBOS, whose migrations wait for all statements, from ever ending.
    const isLocked = async () =>
      (await locking.query("select pg_try_advisory_lock($1) as locked", [launchLock])).rows[0].locked === true;
    while (!(await isLocked())) await new Promise((resolve) => setTimeout(resolve, lockPollMs));
    return await use();
  } finally {
    await locking.end();
  }
}
