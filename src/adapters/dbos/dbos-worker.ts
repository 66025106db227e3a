import type { Agent } from "../../agent.ts";
import { maxTimerMs, systemClock } from "../../async/clock.ts";
import type { RateLimitOptions } from "../../async/limits.ts";
import { formatVersion } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type { InferToolResources, Tool } from "../../core/tool.ts";
import { workerKey } from "../../runs/agent-methods.ts";
import { readCloseOptions } from "../../runs/run-options.ts";
import { serveJobs } from "./dbos.ts";
import { type DbosQueue, openDbosQueue } from "./dbos-queue.ts";
import type { Job } from "./jobs.ts";
import { Reaper } from "./reaper.ts";
import { createRunWork, type WorkingAgent } from "./run-work.ts";

/** The run that a worker is about to execute. @inline */
export interface RunToWork {
  readonly runId: string;
  readonly metadata: JsonObject;
}

/** Something that a worker has to report. @inline */
interface WorkerWarning {
  /**
   * `run-postponed`: this worker lacks a tool or a key of the run, which goes back to the queue. `run-given-up`: too many
   * workers died executing a run; it stays where it stopped until you `resume` it. `adoption-failed`: the search for runs
   * of dead workers failed; it is repeated.
   */
  readonly code: "run-postponed" | "run-given-up" | "adoption-failed";
  readonly message: string;
  readonly runId?: string;
}

/** Options of {@link startDbosWorker}. @group Workers */
export type DbosWorkerOptions<TTool extends Tool = Tool> = {
  /** The address of the database: `postgres://…`. DBOS keeps its tables in a schema of it named `dbos`. */
  databaseUrl: string;
  /** @default "runs" */
  queue?: string | undefined;
  /** The most runs at a time in this process, at least 1; of those with a `rateKey`, as many again. @default 10 */
  concurrency?: number | undefined;
  /**
   * The number of runs with the same `rateKey` that all workers together take in any window of `intervalMs`. Give all
   * workers of a queue the same limit: that of the last one to start counts. @default none
   */
  rateLimit?: RateLimitOptions | undefined;
  /**
   * The version of the worker. It takes the runs submitted for this version, and if no version was introduced later,
   * those submitted for none and all that continue. Change it only to keep runs from older workers, or from newer ones
   * when you roll back. By default it has the number of the format of runs.
   * @default "planwright/5"
   */
  version?: string | undefined;
  /** The number of times that a run may be adopted before it is given up, at least 1. @default 10 */
  maxAdoptions?: number | undefined;
  /** The time that a run is postponed whose worker lacks a tool or a key, at least 100. @default 10000 */
  postponeMs?: number | undefined;
  /** Receives warnings. What it throws changes nothing. @default `console.warn` */
  onWarning?: ((warning: WorkerWarning) => void) | undefined;
} & (unknown extends InferToolResources<TTool>
  ? {
      /** Passed to the tools of a run. After half a second without them, other workers may try the run. */
      resources?: ((run: RunToWork) => unknown) | undefined;
    }
  : {
      /**
       * Passed to the tools of a run: they are not stored, so each worker makes them. After half a second without them,
       * other workers may try the run.
       */
      resources: (run: RunToWork) => InferToolResources<TTool> | Promise<InferToolResources<TTool>>;
    });

const rateLimitOptions = {
  limit: { type: "integer", min: 1, isRequired: true },
  intervalMs: { type: "integer", min: 1, max: maxTimerMs, isRequired: true },
} satisfies OptionTable<RateLimitOptions>;

const workerOptions = {
  databaseUrl: { type: "short-text", isRequired: true },
  queue: { type: "short-text", default: "runs" },
  concurrency: { type: "integer", min: 1, default: 10 },
  rateLimit: { options: rateLimitOptions },
  version: { type: "short-text", default: `planwright/${formatVersion}` },
  maxAdoptions: { type: "integer", min: 1, default: 10 },
  postponeMs: { type: "number", min: 100, default: 10_000 },
  onWarning: { type: "function", default: ({ message }) => console.warn(`planwright: ${message}`) },
  resources: { type: "function" },
} satisfies OptionTable<DbosWorkerOptions>;

/** The longest time between two looks at a run that was put back, and that a worker has. */
const maxWakeMs = 3_600_000;

/** A worker in this process. @group Workers */
export interface DbosWorker {
  /**
   * Takes no more runs and closes the agent: running steps have `timeoutMs` (10 000 if left out) to end, and the rest is
   * left to other workers. Rejects with `invalid-options`, and then does nothing. The store stays open, and so does a DBOS
   * that it has joined: shut that down, too, as what it takes from then on is left to others only some seconds later.
   */
  stop(this: void, options?: { readonly timeoutMs?: number }): Promise<void>;
}

/**
 * Starts a worker: it executes the runs that clients have submitted, and those of workers that have died. The agent's
 * store must be one that all workers and clients share, such as `createPostgresRunStore`. If this process has launched
 * DBOS, after `registerDbosRuns`, the worker joins that; otherwise it launches it.
 *
 * Rejects with `invalid-options`, `missing-dependency` without the package `@dbos-inc/dbos-sdk`, `store-failed` if the
 * agent's store cannot be used, or as DBOS does if it cannot connect.
 *
 * ```ts
 * const agent = createAgent({ tools, store: createPostgresRunStore({ connectionString: databaseUrl }) });
 * const worker = await startDbosWorker(agent, { databaseUrl, concurrency: 10 });
 * process.on("SIGTERM", () => worker.stop());
 * ```
 * @group Workers
 */
export async function startDbosWorker<TTool extends Tool>(
  agent: Agent<TTool>,
  options: DbosWorkerOptions<TTool>,
): Promise<DbosWorker> {
  const settings = readOptions(workerOptions, options as DbosWorkerOptions);
  const { databaseUrl, queue, concurrency, version, rateLimit, maxAdoptions, postponeMs, resources } = settings;
  // Agents are typed by their tools; a job says as text which of them it needs.
  const working = agent as object as WorkingAgent;
  const warn = (warning: WorkerWarning) => {
    try {
      settings.onWarning(warning);
    } catch {
      // A handler that fails changes no run.
    }
  };
  // With a store that it cannot use, it would only take runs away from workers that can.
  await working.listRuns({ limit: 1 });
  // The queue hands them out, so that no more run at a time than this worker takes.
  working[workerKey].leaveWaits();
  let opened: Promise<DbosQueue> | undefined;
  // The launch creates the tables, and may hand out a job before it has returned.
  const queueNow = () => {
    // What it submits, for schedules, is for the latest version, as this one may be gone before a run is taken.
    opened ??= openDbosQueue({ databaseUrl, queue, version: undefined, maxAdoptions });
    return opened;
  };
  const work = createRunWork(working, {
    ...{ postponeMs, resources, warn },
    wakeLater: async (runId, delayMs) => (await queueNow()).wakeLater(runId, delayMs),
  });
  const serving = {
    work,
    submit: async (job: Job) => void (await (await queueNow()).submit(job, {})),
    async wake(runId: string, delayMs: number) {
      const queue = await queueNow();
      const [stillTaken] = await queue.wake([runId]);
      if (stillTaken !== undefined) await queue.wakeLater(stillTaken, Math.min(2 * delayMs, maxWakeMs));
    },
  };
  const server = await serveJobs(serving, { databaseUrl, queue, concurrency, version, rateLimit });
  const runs = await queueNow().catch(async (thrown) => {
    await server.drain(0);
    server.stop();
    throw thrown;
  });
  const reaper = new Reaper(working, runs, { warn, clock: systemClock });
  reaper.start();
  let stopping: Promise<void> | undefined;
  const stop = async (timeoutMs: number) => {
    await reaper.stop();
    // At the same time, so that no more runs are taken, and what is still taken is put back.
    await Promise.all([agent.close({ timeoutMs }), server.drain(Math.min(timeoutMs + 1_000, maxTimerMs))]);
    server.stop();
    await runs.close();
  };
  return {
    async stop(options = {}) {
      const timeoutMs = readCloseOptions(options);
      stopping ??= stop(timeoutMs);
      await stopping;
    },
  };
}
