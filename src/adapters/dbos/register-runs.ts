import { isAgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";
import { loadDbos } from "./load-dbos.ts";
import type { Job, JobOutcome } from "./run-queue.ts";

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

/** By queue: DBOS is one static object, so it is asked for a queue by name. */
export const workers = new Map<string, QueueWorker>();

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
      DBOS.runStep(async () => workerOf(queue).work(job), {
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
    (queue: string, ...input: WakingInput) =>
      DBOS.runStep(async () => workerOf(queue).wake(...input), {
        name: "wake",
        retriesAllowed: true,
        maxAttempts: 100,
      }),
    { name: wakingWorkflow },
  );
  DBOS.registerWorkflow(
    async (date: Date, { queue, name, request }: ScheduleContext) => {
      const runId = `${name}.${date.toISOString().replaceAll(":", ".")}`;
      await DBOS.runStep(async () => workerOf(queue).submit({ runId, request, options: {} }), {
        name: "submit",
        retriesAllowed: true,
        maxAttempts: 100,
        // DBOS keeps the error where it shows its workflows.
        shouldRetry: (thrown) => !isAgentError(thrown, "run-conflict"),
      });
    },
    { name: scheduledWorkflow },
  );
}

/** What wakes a run is given, after the name of the queue. */
export type WakingInput = readonly [runId: string, delayMs: number];

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
  // What it had is still taken in the eyes of DBOS, so that other workers adopt it.
  if (worker === undefined) throw new Error(`The worker of "${queue}" has been stopped.`);
  return worker;
}
