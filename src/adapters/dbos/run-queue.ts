import type { AgentErrorData } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PlanInput } from "../../core/plan.ts";
import type { RunTarget } from "../../runs/run-target.ts";

/** What a job is to plan, or to run. */
export type JobTarget =
  | { readonly request: string; readonly plan?: undefined }
  | { readonly request?: undefined; readonly plan: PlanInput };

/** A run that waits for a worker, as JSON. */
export type Job = JobTarget & {
  readonly runId: string;
  /** Options of the run, as they were submitted. */
  readonly options: JsonObject;
};

/** What a job is to run, as an agent knows it. */
export function targetOfJob({ request, plan }: JobTarget): RunTarget {
  return request === undefined ? { plan } : { request };
}

/** How a job ended that was executed; anything else is thrown. */
export type JobOutcome =
  | { readonly outcome: "ran"; readonly status: string }
  /** It never started, and never will: that is recorded, or its id is that of another run. */
  | { readonly outcome: "refused"; readonly error: AgentErrorData }
  /** This worker cannot execute it, but another may: it is woken later. */
  | { readonly outcome: "postponed" };

/** How a job is queued. */
export interface JobOrder {
  /** The lowest number is taken first. */
  readonly priority?: number | undefined;
  readonly delayMs?: number | undefined;
  /** Of those with the same one, only so many are taken in a time. */
  readonly rateKey?: string | undefined;
}

/** What is known of a run in the queue. */
export interface JobState {
  readonly job: Job | undefined;
  readonly state: "waiting" | "taken" | "done" | "cancelled";
  /** Of a job that is done. */
  readonly outcome?: JobOutcome | undefined;
}

/**
 * An engine that hands out runs to workers: all that a worker and a client need of it. A run is one job, however often
 * it is submitted, woken or adopted.
 */
export interface RunQueue {
  /**
   * Queues a run; resolves to the one that is queued under its id already, if there is one. Rejects with `run-conflict` if
   * the id is used for something else.
   */
  submit(job: Job, order: JobOrder): Promise<{ readonly known: Job | undefined }>;
  /** Queues a request again and again, by a cron expression of five or six fields. */
  schedule(name: string, schedule: { cron: string; request: string; timeZone?: string | undefined }): Promise<void>;
  unschedule(name: string): Promise<void>;
  /** Undefined for a run that was never queued. */
  find(runId: string): Promise<JobState | undefined>;
  /** Takes a run out of the queue, if it waits in it. */
  cancel(runId: string): Promise<void>;
  /**
   * Queues runs again that have left the queue, such as a suspended one that somebody has decided about. Resolves to those
   * that have not, as a worker has them.
   */
  wake(runIds: readonly string[]): Promise<readonly string[]>;
  /** Wakes a run after some time, for a worker that cannot execute it; if a worker has it then, later again. */
  wakeLater(runId: string, delayMs: number): Promise<void>;
  /** Queues runs again that no worker executes any more; returns those that are given up, as too many have died of them. */
  adopt(runIds: readonly string[]): Promise<readonly string[]>;
  /** The runs that workers have taken. */
  taken(): Promise<readonly string[]>;
  /** The ids of what workers have taken beside runs, waking one or submitting one for a schedule: at most 100. */
  takenTasks(): Promise<readonly string[]>;
  /** Queues these again; to do one twice does no harm. */
  restartTasks(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Hands out jobs to this process until it is stopped. */
export interface JobServer {
  /** Takes no more jobs, and waits for those that it has; in a DBOS of the application it does nothing. */
  drain(timeoutMs: number): Promise<void>;
  stop(): void;
}
