import { randomUUID } from "node:crypto";
import { AbortSource } from "../../async/abort.ts";
import { maxTimerMs, systemClock } from "../../async/clock.ts";
import type { RateLimitOptions } from "../../async/limits.ts";
import { loadOnce } from "../../async/promises.ts";
import { RecentMap } from "../../async/recent-map.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import { formatVersion } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { failOption, type OptionTable, readOptions, type SettingsOf } from "../../core/option-tables.ts";
import type { PlanInput } from "../../core/plan.ts";
import type { RunResult, RunSnapshot } from "../../core/run-result.ts";
import { endedStatuses, type Hold, isGivenUp, isUnstarted } from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import type { InferToolResources, Tool } from "../../core/tool.ts";
import { type Agent, type WorkedAgent, workerKey } from "../../runs/agent-interface.ts";
import type { Refusal } from "../../runs/resume/refuse-run.ts";
import { guard } from "../../runs/run/engine-settings.ts";
import { isMismatch, mismatchOf } from "../../runs/run/run-errors.ts";
import { readCloseOptions } from "../../runs/run/run-options.ts";
import { retryPassing } from "../postgres/database.ts";
import {
  type DbosQueue,
  idleTransactionMs,
  isOver,
  limitedQueue,
  loadDbos,
  oneAtATime,
  openDbosQueue,
  type QueuedRun,
  queuesOf,
  runWorkflow,
  type ScheduleContext,
  scheduledRunId,
  scheduledWorkflow,
  threadQueue,
  type WakingInput,
  wakingWorkflow,
} from "./dbos-queue.ts";
import { type Job, type JobOutcome, type OpenContent, openContent } from "./jobs.ts";
import { Reaper } from "./reaper.ts";

/** Run that a worker is about to execute. @inline */
export interface RunToWork {
  readonly runId: string;
  readonly metadata: JsonObject;
}

/** @inline */
interface WorkerWarning {
  /**
   * `run-postponed`: the run does not fit this worker and is queued again. `adoption-failed`: the search for stopped
   * runs failed.
   */
  readonly code: "run-postponed" | "adoption-failed";
  readonly message: string;
  readonly runId?: string;
}

/** Options of {@link startDbosWorker}. @group Workers */
export type DbosWorkerOptions<TTool extends Tool = Tool> = {
  /** Address of the database: `postgres://…`. DBOS keeps its tables in its schema `dbos`. */
  databaseUrl: string;
  /** Name of the queue. @default "runs" */
  queue?: string | undefined;
  /**
   * Maximum number of concurrent runs in this process, at least 1. Runs with a `rateKey` and runs of a thread are
   * counted separately, each up to the same number. @default 10
   */
  concurrency?: number | undefined;
  /** Rate limit per `rateKey`, shared by all workers; that of the worker started last applies. @default none */
  rateLimit?: RateLimitOptions | undefined;
  /**
   * Version of this worker, which takes runs submitted for that version. Workers of the latest version also take runs
   * submitted without a version, and all runs that continue. Change it only to keep runs away from older workers or,
   * during a rollback, from newer ones. The default contains the number of the storage format. @default "planwright/8"
   */
  version?: string | undefined;
  /**
   * Number of times in a row, at least 1, that a worker of a run may die. After one more death, the run is suspended as
   * `given-up`. @default 10
   */
  maxAdoptions?: number | undefined;
  /** Time for which starting is retried while the database cannot be reached. @default 5000 */
  retryForMs?: number | undefined;
  /** Delay of a run for which this worker lacks a tool, a key or resources, at least 100. @default 10000 */
  postponeMs?: number | undefined;
  /** Receives warnings; its errors are ignored. @default `console.warn` */
  onWarning?: ((warning: WorkerWarning) => void) | undefined;
} & (unknown extends InferToolResources<TTool>
  ? {
      /** Creates the resources of a run's tools. If it takes longer than `leaseMs`, another worker may take the run. */
      resources?: ((run: RunToWork) => unknown) | undefined;
    }
  : {
      /** Creates the resources of a run's tools. If it takes longer than `leaseMs`, another worker may take the run. */
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
  retryForMs: { type: "integer", min: 0, max: maxTimerMs, default: 5_000 },
  postponeMs: { type: "number", min: 100, default: 10_000 },
  onWarning: { type: "function", default: ({ message }) => console.warn(`planwright: ${message}`) },
  resources: { type: "function" },
} satisfies OptionTable<DbosWorkerOptions>;

type WorkerSettings = SettingsOf<DbosWorkerOptions, typeof workerOptions>;

/** Worker in this process. @group Workers */
export interface DbosWorker {
  /**
   * Accepts no more runs and closes the agent: running steps have `timeoutMs` (10 000 by default) to end, and other
   * workers continue the runs. Rejects with `invalid-options`, without stopping. The store stays open. If the worker
   * joined DBOS, shut DBOS down yourself: runs that it takes until then are delayed by some seconds.
   */
  stop(this: void, options?: { readonly timeoutMs?: number }): Promise<void>;
}

/**
 * Starts a worker, which executes submitted runs and those of workers that have died. All workers and clients must
 * share the agent's store, such as `createPostgresRunStore`. If this process has launched DBOS, after
 * `registerDbosRuns`, the worker joins it; otherwise it launches DBOS. Rejects with `invalid-options`, with
 * `missing-dependency` without `@dbos-inc/dbos-sdk`, with `store-failed` if the agent's store cannot be used, or
 * with an error of DBOS if it cannot connect.
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
  const { databaseUrl, queue } = settings;
  const working = agent as object as WorkingAgent;
  const warn = guard(settings.onWarning);
  // Fails now if the store cannot be used, as the worker would otherwise take runs that it cannot execute.
  await working.listRuns({ limit: 1 });
  // The agent's own timers could otherwise start more runs than `concurrency` allows.
  working[workerKey].stopTimers();
  // Scheduled runs use the latest version, as workers of this version may be gone by then.
  const { get: openQueue } = loadOnce(() => openDbosQueue({ databaseUrl, queue, version: undefined }));
  const { isRecorded, fits, leaseMs } = working[workerKey];
  const isUnended = async (last: QueuedRun | undefined) => {
    const run = last && (await working.getRun(last.runId));
    return run === undefined ? last !== undefined && !isOver(last) : !endedStatuses.has(run.status);
  };
  const worker: QueueWorker = {
    work: createWork(working, settings, { warn, openQueue }),
    async submit(date, { name, content, rateKey, overlap }) {
      const runs = await openQueue();
      if (overlap === "skip" && (await isUnended(await runs.findLastOf(name)))) return;
      await runs.submit({ runId: scheduledRunId(name, date), ...content }, { rateKey, schedule: name }, isRecorded);
    },
    async wake(runId, delayMs) {
      const runs = await openQueue();
      if (!(await runs.wake(runId))) await runs.wakeLater(runId, Math.min(2 * delayMs, maxWakeMs));
    },
  };
  const { DBOS } = await loadDbos();
  const isJoining = DBOS.isInitialized();
  await registerDbosRuns();
  const drain = async (timeoutMs: number) => {
    if (!isJoining) await DBOS.shutdown({ workflowCompletionTimeoutMS: timeoutMs });
  };
  workers.set(queue, worker);
  const serve = async () => {
    try {
      if (!isJoining) await launch(settings);
      await registerQueues(settings);
      return await openQueue();
    } catch (thrown) {
      if (DBOS.isInitialized()) await drain(0);
      throw thrown;
    }
  };
  const retry = { clock: systemClock, retryForMs: settings.retryForMs, signal: new AbortSource() };
  const runs = await retryPassing(serve, retry).catch((thrown) => {
    workers.delete(queue);
    throw thrown;
  });
  working[workerKey].deleteBy((deleteRuns) => runs.deleteWith(deleteRuns));
  const reaper = new Reaper(working, runs, { warn, isRecorded, fits, leaseMs, clock: systemClock });
  reaper.start();
  const stop = async (timeoutMs: number) => {
    await reaper.stop();
    // Does both at once, so that no more runs are taken, and runs already taken are put back.
    await Promise.all([agent.close({ timeoutMs }), drain(Math.min(timeoutMs + 1_000, maxTimerMs))]);
    workers.delete(queue);
    working[workerKey].deleteBy(undefined);
    await runs.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    async stop(options = {}) {
      const timeoutMs = readCloseOptions(options);
      stopping ??= stop(timeoutMs);
      await stopping;
    },
  };
}

const maxWakeMs = 3_600_000;

interface WorkingAgent extends WorkedAgent, Pick<Agent, "tools" | "getRun" | "listRuns"> {
  start(target: string | PlanInput, options: object): { readonly result: Promise<RunResult> };
}

const putBackMs = 1_000;

const refusals = new Set(["invalid-plan", "plan-not-approved", "invalid-options", "unknown-tool", "run-conflict"]);

/** DBOS retries work that rejects, for example with `store-failed`, but not with `run-owned-elsewhere`. */
function createWork(
  agent: WorkingAgent,
  { postponeMs, resources, maxAdoptions }: WorkerSettings,
  { warn, openQueue }: { warn: (warning: WorkerWarning) => void; openQueue: () => Promise<DbosQueue> },
): QueueWorker["work"] {
  const hasStarted = async (runId: string) => {
    const run = await agent.getRun(runId);
    return run !== undefined && !isUnstarted(run);
  };
  const postponed = new RecentMap<string>(10_000);

  async function postpone(runId: string, reason?: string, stored?: RunSnapshot): Promise<JobOutcome> {
    const message = `Run "${runId}" returns to the queue for ${postponeMs} ms: ${reason}`;
    if (reason !== undefined && !isPostponed(runId, stored)) {
      warn({ code: "run-postponed", runId, message });
      postponed.set(runId, stored?.updatedAt ?? "");
    }
    await (await openQueue()).wakeLater(runId, reason === undefined ? putBackMs : postponeMs);
    return { outcome: "postponed" };
  }

  function isPostponed(runId: string, stored: RunSnapshot | undefined): boolean {
    return postponed.get(runId) === (stored?.updatedAt ?? "");
  }

  const record = (refusal: Refusal) =>
    agent[workerKey].refuse(refusal).catch((thrown) => {
      if (!isAgentError(thrown, "run-conflict")) throw thrown;
    });

  /** Keeps only the options `metadata` and `thread`, as others may name tools that this worker lacks. */
  function hold(runId: string, content: OpenContent, item: Hold): Promise<unknown> {
    const { metadata, thread } = content.options;
    const request = "request" in content ? content.request : undefined;
    return record({ runId, options: { metadata, thread }, request, hold: item });
  }

  async function refuse(runId: string, content: OpenContent | undefined, error: AgentError): Promise<JobOutcome> {
    const { options, ...target } = content ?? { request: "", options: {} };
    if (error.code !== "run-conflict") await record({ runId, target, options, error });
    return { outcome: "refused", error: error.toJSON() as AgentErrorData };
  }

  async function makeResources(runId: string, metadata: JsonObject = {}) {
    try {
      return { resources: await resources?.({ runId, metadata }) };
    } catch (thrown) {
      throw new NoResources(`creating the resources failed: ${describeThrown(thrown)}`);
    }
  }

  async function start(job: Job, stored: RunSnapshot | undefined): Promise<JobOutcome> {
    const { runId, adoptions = 0 } = job;
    let content: OpenContent | undefined;
    try {
      content = await openContent(agent, job);
      if (adoptions > maxAdoptions) {
        const reason = `${adoptions} workers have taken the run, but none recorded its start`;
        await hold(runId, content, { kind: "given-up", reason, deaths: adoptions });
        return { outcome: "ran", status: "suspended" };
      }
      requireTools(agent, runId, content);
      const given = await makeResources(runId, content.options.metadata);
      const target = "request" in content ? content.request : content.plan;
      return await outcomeOf(runId, await agent.start(target, { ...content.options, runId, ...given }).result);
    } catch (thrown) {
      if (isAgentError(thrown) && refusals.has(thrown.code)) return refuse(runId, content, thrown);
      if (!isMismatch(thrown)) throw thrown;
      // A run that cannot be opened is not held, as only the queue can pass it to a worker that has the key.
      const isAgain = stored === undefined && isPostponed(runId, undefined);
      if (isAgain && content !== undefined) await hold(runId, content, mismatchOf(thrown));
      return postpone(runId, thrown.message);
    }
  }

  async function resume({ runId, stoppedAt }: Job, stored: RunSnapshot): Promise<JobOutcome> {
    const given = await makeResources(runId, stored.metadata);
    const ignoresMismatch = !isPostponed(runId, stored);
    const retriesFailed = stored.updatedAt === stoppedAt;
    const how = { ...given, maxAdoptions, ignoresMismatch, retriesFailed };
    try {
      return await outcomeOf(runId, await agent[workerKey].resume(runId, how));
    } catch (thrown) {
      if (!isMismatch(thrown)) throw thrown;
      const isHeld = stored.pending?.some(({ kind }) => kind === "mismatch") === true;
      if (ignoresMismatch && !isHeld) return postpone(runId, thrown.message, stored);
      return { outcome: "ran", status: stored.status === "failed" ? "failed" : "suspended" };
    }
  }

  async function handleFailure(runId: string, thrown: unknown): Promise<JobOutcome> {
    if (thrown instanceof NoResources) return postpone(runId, thrown.message);
    if (!isAgentError(thrown)) throw thrown;
    if (thrown.code === "interrupted") return postpone(runId);
    if (refusals.has(thrown.code)) return refuse(runId, undefined, thrown);
    // The worker that claimed the run may be dead, and a run without events would not be adopted.
    if (thrown.code === "run-owned-elsewhere" && !(await hasStarted(runId))) return postpone(runId);
    throw thrown;
  }

  async function outcomeOf(runId: string, result: RunResult): Promise<JobOutcome> {
    requireRecorded(result);
    if (result.status === "interrupted" && !(await hasStarted(runId))) return postpone(runId);
    return { outcome: "ran", status: result.status };
  }

  return async (job) => {
    const { runId, stoppedAt } = job;
    const stored = await agent.getRun(runId);
    const isResumed = stored !== undefined && stored.updatedAt === stoppedAt;
    try {
      if (stored === undefined) return await start(job, stored);
      const isOver = endedStatuses.has(stored.status) || (isUnstarted(stored) && isGivenUp(stored));
      if (isOver && !isResumed) return { outcome: "ran", status: stored.status };
      return await (isUnstarted(stored) ? start(job, stored) : resume(job, stored));
    } catch (thrown) {
      return handleFailure(runId, thrown);
    }
  };
}

class NoResources extends Error {}

/** Must be called before the run is claimed, so that another worker may take the run. */
function requireTools({ tools }: WorkingAgent, runId: string, { options, ...target }: OpenContent): void {
  const known = new Set(tools.map(({ name }) => name));
  const chosen = [options.tools ?? [], options.replanTools ?? []].flat().filter((name) => typeof name === "string");
  const named = "plan" in target ? target.plan.steps.flatMap(({ tool }) => tool ?? []) : [];
  const missing = [...new Set([...named, ...chosen].filter((tool) => !known.has(tool)))];
  if (missing.length === 0) return;
  const differences = missing.map((tool) => ({ message: `the worker lacks ${tool}`, tool }));
  const reasons = differences.map(({ message }) => message);
  throw new AgentError("resume-mismatch", `${reasons.join("; ")}.`, { details: { runId, reasons, differences } });
}

/** Throws if the end was not recorded, as only a recorded end counts. */
function requireRecorded({ status, error }: RunResult): void {
  if (status !== "failed" && status !== "interrupted") return;
  if (isAgentError(error, "store-failed") || isAgentError(error, "run-owned-elsewhere"))
    throw new AgentError(error.code, error.message, { details: error.details } as never);
}

interface QueueWorker {
  work(job: Job): Promise<JobOutcome>;
  submit(date: Date, context: ScheduleContext): Promise<void>;
  wake(runId: string, delayMs: number): Promise<void>;
}

/** Workers by queue, kept here because DBOS is a single static object. */
const workers = new Map<string, QueueWorker>();

let registered = false;

/**
 * Registers the workflows of workers with DBOS. Needed only if the application launches DBOS itself: call it before the
 * launch, and workers join DBOS. Rejects with `missing-dependency`, or `invalid-options` if DBOS was launched earlier.
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
  if (DBOS.isInitialized()) failOption("DBOS", "already launched", "launched after `await registerDbosRuns()`", true);
  registered = true;
  const retries = { retriesAllowed: true, maxAttempts: 100 };
  DBOS.registerWorkflow(
    (queue: string, job: Job) =>
      DBOS.runStep(async () => workerOf(queue).work(job), {
        name: "run",
        retriesAllowed: true,
        maxAttempts: 1_000,
        intervalSeconds: 0.5,
        backoffRate: 1.1,
        // Not retried for this code: another process has the run. If that process dies, a worker adopts the run.
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
    (date: Date, context: ScheduleContext) =>
      DBOS.runStep(async () => workerOf(context.queue).submit(date, context), {
        name: "submit",
        ...retries,
        shouldRetry: (thrown) => !isAgentError(thrown, "run-conflict"),
      }),
    { name: scheduledWorkflow },
  );
}

function workerOf(queue: string): QueueWorker {
  const worker = workers.get(queue);
  // DBOS retries after this error, so the job stays taken until another worker adopts the run.
  if (worker === undefined) throw new Error(`The worker of the queue "${queue}" has been stopped.`);
  return worker;
}

const [lookMs, seldomMs] = [100, 1_000];

async function registerQueues({ queue, concurrency: workerConcurrency, rateLimit }: WorkerSettings): Promise<void> {
  const { DBOS } = await loadDbos();
  const settings = { workerConcurrency, onConflict: "always_update" } as const;
  await DBOS.registerQueue(queue, { ...settings, minPollingIntervalMs: lookMs });
  await DBOS.registerQueue(limitedQueue(queue), {
    ...settings,
    minPollingIntervalMs: rateLimit === undefined ? seldomMs : lookMs,
    partitionRateLimit: rateLimit && { limitPerPeriod: rateLimit.limit, periodSec: rateLimit.intervalMs / 1_000 },
  });
  await DBOS.registerQueue(threadQueue(queue), { ...settings, minPollingIntervalMs: lookMs, partitionConcurrency: 1 });
}

async function launch({ databaseUrl, version, queue }: WorkerSettings): Promise<void> {
  const { DBOS } = await loadDbos();
  DBOS.setConfig({
    name: "planwright",
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: 6,
    systemDatabaseIdleTransactionTimeoutMs: idleTransactionMs,
    applicationVersion: version,
    // Uses a new id, so that DBOS does not recover workflows itself: workers adopt runs according to the store.
    executorID: randomUUID(),
    logLevel: "error",
    listenQueues: queuesOf(queue),
  });
  await oneAtATime(databaseUrl, () => DBOS.launch());
}
