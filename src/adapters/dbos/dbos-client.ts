import { Backoff } from "../../async/backoff.ts";
import { systemClock } from "../../async/clock.ts";
import { inParallel, loadOnce } from "../../async/promises.ts";
import { RecentMap } from "../../async/recent-map.ts";
import { isAgentError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/events.ts";
import { checkOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { AnyPlan, PlanInput, UncheckedPlan } from "../../core/plan.ts";
import type { RunSnapshot } from "../../core/run-result.ts";
import { type ListRunsOptions, type RunPage, type RunStore, runNotFound, threadOption } from "../../core/run-store.ts";
import { endedStatuses, isGivenUp, isUnstarted } from "../../core/run-summary.ts";
import type { StandardSchema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { createOrchestrator } from "../../create-agent.ts";
import { type Orchestrator, type RunHandle, type WorkedAgent, workerKey } from "../../runs/agent-interface.ts";
import type {
  AnsweredItem,
  ApprovalItem,
  ApprovalOptions,
  DeliverOptions,
  GivenAnswer,
  RejectionOptions,
  SettleOptions,
} from "../../runs/commands/command-options.ts";
import { identityOf } from "../../runs/planning/run-target.ts";
import type { SecretOptions } from "../../runs/run/engine-settings.ts";
import { cancelledBy, runConflict } from "../../runs/run/run-errors.ts";
import type { DecidingOptions, ThreadOptions } from "../../runs/run/run-options.ts";
import type { PruneOptions } from "../../runs/stored/stored-runs.ts";
import { createPostgresRunStore } from "../postgres/postgres-run-store.ts";
import { isOver, loadDbos, oneAtATime, openDbosQueue } from "./dbos-queue.ts";
import {
  type Job,
  type OpenContent,
  openContent,
  readJob,
  readSchedule,
  type ScheduleOptions,
  type SubmitOptions,
  sealContent,
} from "./jobs.ts";

/** Options of {@link createDbosClient}. @group Workers */
export interface DbosClientOptions {
  /** Address of the database: `postgres://…`. */
  databaseUrl: string;
  /** Name of the queue. @default "runs" */
  queue?: string | undefined;
  /** Store of the workers. @default `createPostgresRunStore` with the same address */
  store?: RunStore | undefined;
  /** Version of the workers that may take runs submitted by this client. @default the latest version */
  version?: string | undefined;
  /** Keys of the workers' agent, which seal submitted jobs. @default none: jobs are stored in plain text */
  secrets?: SecretOptions | undefined;
  /** Schemas of events, as in `createAgent`. @default none: a worker drops events that do not fit, with a warning */
  events?: Readonly<Record<string, StandardSchema>> | undefined;
}

const clientOptions = {
  databaseUrl: { type: "short-text", isRequired: true },
  queue: { type: "short-text", default: "runs" },
  store: { methods: ["append", "read", "list", "post"], expected: "a run store" },
  version: { type: "short-text" },
  secrets: { type: "any" },
  events: { type: "any" },
} satisfies OptionTable<DbosClientOptions>;

type Remote<TOptions> = Omit<TOptions, "resources" | "signal" | "throwOnFailure" | "resume">;

/**
 * Client that submits, controls and reads runs, which workers execute. Its methods reject with `invalid-options`,
 * `missing-dependency` and `store-failed`, or with an error of DBOS if the database cannot be reached. @group Workers
 */
export interface DbosClient<TTool extends Tool = Tool> {
  /**
   * Queues a request or a plan. Submitting the same one again under the same id refers to the same run; submitting a
   * different one rejects with `run-conflict`. Rejects with `invalid-plan` if the plan is invalid regardless of the
   * tools. The worker checks the options of the run, and checks the plan against its tools.
   */
  submit<const TPlan extends AnyPlan>(
    this: void,
    requestOrPlan: string | PlanInput<TTool> | UncheckedPlan<TPlan>,
    options?: SubmitOptions,
  ): Promise<{ readonly runId: string }>;
  /** Queues many runs, several at a time. Rejects if one cannot be queued; others may have been queued. */
  submitAll(
    this: void,
    list: readonly { readonly run: string | PlanInput<TTool>; readonly options?: SubmitOptions }[],
  ): Promise<readonly { readonly runId: string }[]>;
  /**
   * Queues a run at each time of a cron expression. Replaces an earlier schedule of the same name. Names have 1 to 100
   * characters from `A-Z a-z 0-9 _ . -`.
   */
  schedule(this: void, name: string, schedule: ScheduleOptions<TTool>): Promise<void>;
  /** Ends a schedule. */
  unschedule(this: void, name: string): Promise<void>;
  /** Counts the waiting runs, and tells how long the oldest has waited: 0 if none is waiting. */
  queue(this: void): Promise<{ readonly waiting: number; readonly oldestMs: number }>;
  /** Resolves to the state of a run, or to undefined if no worker has taken it. Rejects as `agent.getRun` does. */
  getRun(this: void, runId: string, options?: ThreadOptions): Promise<RunSnapshot<TTool> | undefined>;
  /** Lists runs that workers have taken, newest first, in pages. Rejects as `agent.listRuns` does. */
  listRuns(this: void, options?: ListRunsOptions): Promise<RunPage>;
  /**
   * Lets a worker continue a run. A failed run continues with its failed step. Does nothing if the run has ended in
   * any other way, or if a worker is executing it. Rejects with `run-not-found` if the run was never submitted.
   */
  resume(this: void, runId: string): Promise<void>;
  /** Deletes a run and its job, and frees its id. Rejects as `agent.deleteRun` does. */
  deleteRun(this: void, runId: string): Promise<void>;
  /** Deletes the runs that the options select, and their jobs. Rejects as `agent.prune` does. */
  prune(this: void, options: PruneOptions): Promise<{ readonly deleted: number }>;
  /** Like `agent.approve`; a worker continues the run. */
  approve(this: void, runId: string, item: ApprovalItem, options?: Remote<ApprovalOptions<TTool>>): Promise<void>;
  /** Like `agent.reject`. */
  reject(this: void, runId: string, item: ApprovalItem, options?: Remote<RejectionOptions<TTool>>): Promise<void>;
  /** Like `agent.settle`. */
  settle(this: void, runId: string, stepId: string, options: Remote<SettleOptions<TTool>>): Promise<void>;
  /** Like `agent.answer`, but does not interpret text. */
  answer(
    this: void,
    runId: string,
    item: AnsweredItem,
    answer: GivenAnswer,
    options?: Remote<DecidingOptions<TTool>>,
  ): Promise<void>;
  /** Like `agent.deliver`. For a queued run, stores other than PostgreSQL's may reject with `run-not-found`. */
  deliver(this: void, runId: string, name: string, value: unknown, options: Pick<DeliverOptions, "id">): Promise<void>;
  /** Cancels a run. A run that no worker has started ends at once. Rejects with `run-not-found`. */
  cancel(this: void, runId: string, reason?: string, options?: ThreadOptions): Promise<void>;
  /** Waits until a run starts; returns its events after number `after` until it ends. Rejects with `run-not-found`. */
  follow(
    this: void,
    runId: string,
    options?: { readonly after?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<AgentEvent<TTool>>;
  /**
   * Waits until the run has ended or is suspended. The run fails with `invalid-plan` if a step does not fit its tool in
   * the worker. Rejects with `run-not-found`, and with `cancelled` if the signal aborts or DBOS cancels the run.
   */
  result(this: void, runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunSnapshot<TTool>>;
  /** Closes the client's connections. */
  close(this: void): Promise<void>;
}

/**
 * Creates a client for the workers of a queue, for example in a web process. `createDbosClient<typeof agent>` has the
 * types of the agent's tools. Throws `invalid-options`.
 *
 * ```ts
 * const client = createDbosClient<typeof agent>({ databaseUrl });
 * const { runId } = await client.submit("add milk to my list");
 * const { status } = await client.result(runId);
 * ```
 * @group Workers
 */
export function createDbosClient<TAgent extends { readonly tools: readonly Tool[] }>(
  options: DbosClientOptions,
): DbosClient<TAgent["tools"][number]> {
  const { databaseUrl, queue, store, version, secrets, events } = readOptions(clientOptions, options);
  const ownStore = store === undefined ? createPostgresRunStore({ connectionString: databaseUrl }) : undefined;
  const runStore = (store ?? ownStore) as RunStore;
  const orchestrator: object = createOrchestrator({ tools: [], store: runStore, secrets, events });
  const runs = orchestrator as Orchestrator & WorkedAgent;
  const { isRecorded, deleteBy } = runs[workerKey];
  deleteBy(async (deleteRuns) => (await openQueue()).deleteWith(deleteRuns));
  const leave = { resume: false } as const;
  /** Time of the last decision on each run. The run waits for a worker while its `updatedAt` is still that time. */
  const decided = new RecentMap<string>(1_000);

  const { get: openQueue, loaded } = loadOnce(async () => {
    const { DBOS } = await loadDbos();
    await oneAtATime(databaseUrl, () => DBOS.migrate(databaseUrl));
    return openDbosQueue({ databaseUrl, queue, version });
  });

  async function submit(run: string | PlanInput, submitOptions: SubmitOptions = {}) {
    const { runId, content, order } = await readJob(run, submitOptions);
    const job = { runId, ...(await sealContent(runs, runId, content)) };
    const known = await (await openQueue()).submit(job, order, isRecorded);
    const identify = ({ options: { thread }, ...target }: OpenContent) =>
      identityOf({ ...target, thread }, { maxRequestLength: Number.POSITIVE_INFINITY });
    if (known !== undefined && identify(await openContent(runs, known)) !== identify(content)) throw runConflict(runId);
    return { runId };
  }

  async function decide(runId: string, record: () => Decision): Promise<void> {
    const before = await runs.getRun(runId);
    const { events = [], result } = record();
    let recordedAt: string | undefined;
    for await (const { type, timestamp } of events) if (type === "run-suspend") recordedAt = timestamp;
    await result;
    if (before?.status !== "suspended") return;
    decided.set(runId, recordedAt ?? before.updatedAt);
    await (await openQueue()).wake(runId);
  }

  async function recordCancelled(job: Job, reason: string | undefined): Promise<boolean> {
    // Sealed values must not be recorded in plain text.
    const { options, ...target } = "sealed" in job ? { request: "", options: {} } : job;
    const { runId } = job;
    try {
      await runs[workerKey].refuse({ runId, target, options, error: cancelledBy(reason) });
      return true;
    } catch (thrown) {
      if (isAgentError(thrown, "run-conflict")) return false;
      throw thrown;
    }
  }

  async function poll<T>(runId: string, signal: Signal, look: () => Promise<T | undefined>): Promise<T> {
    const backoff = new Backoff({ clock: systemClock, firstMs: 20, maxMs: 500 });
    let unwatch: (() => void) | undefined;
    try {
      for (;;) {
        const found = await look();
        if (found !== undefined) return found;
        // Watching may need a connection, so it starts only if the first look finds nothing.
        unwatch ??= runStore.watch?.(runId, backoff.wake);
        await backoff.pause(signal);
        if (signal?.aborted) throw cancelledBy(signal.reason);
      }
    } finally {
      unwatch?.();
    }
  }

  function whenRecorded(runId: string, signal: Signal): Promise<RunSnapshot> {
    let wasRecorded = false;
    return poll(runId, signal, async () => {
      const run = await runs.getRun(runId);
      if (run !== undefined) return run;
      const found = await (await openQueue()).find(runId);
      // The run may have been recorded between `getRun` and `find`, but this cannot happen twice in a row.
      if (found === undefined || wasRecorded) throw runNotFound(runId);
      if (found.state === "cancelled") throw cancelledBy("the run was taken out of the queue");
      wasRecorded = found.outcome !== undefined && found.outcome.outcome !== "postponed";
    });
  }

  const client: DbosClient = {
    submit: (run, submitOptions) => submit(run as string | PlanInput, submitOptions),
    async submitAll(list) {
      const submitted: { runId: string }[] = [];
      await inParallel(list, 8, async (each, index) => {
        submitted[index] = await submit(each.run, each.options);
      });
      return submitted;
    },
    async schedule(name, schedule) {
      const { content, rateKey, overlap, ...when } = await readSchedule(name, schedule as ScheduleOptions);
      const submitted = { name, content: await sealContent(runs, name, content), rateKey, overlap };
      await (await openQueue()).schedule(submitted, when);
    },
    unschedule: async (name) => (await openQueue()).unschedule(name),
    queue: async () => (await openQueue()).count(),
    getRun: runs.getRun,
    listRuns: runs.listRuns,
    deleteRun: runs.deleteRun,
    prune: runs.prune,
    async resume(runId) {
      const [opened, run] = [await openQueue(), await runs.getRun(runId)];
      if ((await opened.find(runId)) === undefined) throw runNotFound(runId);
      if (run !== undefined && endedStatuses.has(run.status) && run.status !== "failed") return;
      if (run === undefined || !(isGivenUp(run) || run.status === "failed")) return void (await opened.wake(runId));
      await opened.retry(runId, run.updatedAt);
      decided.set(runId, run.updatedAt);
    },
    approve: (runId, item, rest) => decide(runId, () => runs.approve(runId, item, { ...rest, ...leave })),
    reject: (runId, item, rest) => decide(runId, () => runs.reject(runId, item, { ...rest, ...leave })),
    settle: (runId, stepId, rest) => decide(runId, () => runs.settle(runId, stepId, { ...rest, ...leave })),
    answer: (runId, item, answer, rest) => decide(runId, () => runs.answer(runId, item, answer, { ...rest, ...leave })),
    async deliver(runId, name, value, rest) {
      const deliver = () => decide(runId, () => runs.deliver(runId, name, value, { ...rest, ...leave }));
      try {
        await deliver();
      } catch (thrown) {
        if (!isAgentError(thrown, "run-not-found")) throw thrown;
        const { state = "cancelled" } = (await (await openQueue()).find(runId)) ?? {};
        if (state === "cancelled") throw thrown;
        // Keeps the event until the run starts. If the run has ended meanwhile, the event is refused as usual.
        if (!(await runs[workerKey].deliverEarly(runId, name, value, rest))) await deliver();
      }
    },
    async cancel(runId, reason, { thread } = {}) {
      checkOption(threadOption, thread, "thread");
      const opened = await openQueue();
      for (;;) {
        const run = await runs.getRun(runId);
        if (run !== undefined && !isUnstarted(run)) break;
        const { job } = (await opened.find(runId)) ?? {};
        const isOfThread = async (own: Job) =>
          thread === undefined || (await openContent(runs, own)).options.thread === thread;
        if (job === undefined || !(await isOfThread(job))) throw runNotFound(runId);
        // A worker may take the run at the same time: the first to record wins.
        if (await recordCancelled(job, reason)) return opened.cancel(runId);
      }
      await decide(runId, () => ({ result: runs.cancel(runId, reason, { thread, ...leave }) }));
    },
    async *follow(runId, { after = 0, signal } = {}) {
      await whenRecorded(runId, signal);
      yield* runs.events(runId, { after, signal, follow: true, pollMs: 200 });
    },
    result: (runId, { signal } = {}) =>
      poll(runId, signal, async () => {
        const run = await whenRecorded(runId, signal);
        const isEnded = endedStatuses.has(run.status);
        const isInQueue = isUnstarted(run) && !isGivenUp(run);
        if (isInQueue || (!isEnded && run.status !== "suspended")) return;
        if (decided.get(runId) !== run.updatedAt) return run;
        const found = isEnded || isGivenUp(run) ? await (await openQueue()).find(runId) : undefined;
        if (found !== undefined && isOver(found)) return run;
      }),
    async close() {
      await runs.close();
      await (await loaded())?.close();
      await ownStore?.close();
    },
  };
  return client as DbosClient<TAgent["tools"][number]>;
}

type Decision = { readonly result: Promise<unknown> } & Partial<Pick<RunHandle, "events">>;

type Signal = AbortSignal | undefined;
