import { createOrchestrator } from "../../agent.ts";
import { sleep, systemClock } from "../../async/clock.ts";
import { inParallel } from "../../async/promises.ts";
import { RecentMap } from "../../async/recent-map.ts";
import { isAgentError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/events.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type { AnyPlan, PlanInput, UncheckedPlan } from "../../core/plan.ts";
import type { RunSnapshot } from "../../core/run-result.ts";
import { type RunStore, runNotFound } from "../../core/run-store.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import type { StandardSchema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { type Orchestrator, type WorkedAgent, workerKey } from "../../runs/agent-methods.ts";
import type { ApprovalItem, ApprovalOptions, RejectionOptions } from "../../runs/decisions/decision-options.ts";
import type { DeliverOptions, SettleOptions } from "../../runs/resume/resume-options.ts";
import { cancelledBy, runConflict } from "../../runs/run-errors.ts";
import { createPostgresRunStore } from "../postgres/postgres-run-store.ts";
import { openDbosQueue } from "./dbos-queue.ts";
import { loadDbos } from "./load-dbos.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { type Job, type RunQueue, targetOfJob } from "./run-queue.ts";
import { checkSchedule, identityOfJob, readJob, type SubmitOptions } from "./submit-options.ts";

/** Options of {@link createDbosClient}. @group Workers */
export interface DbosClientOptions {
  /** The address of the database: `postgres://…`. */
  databaseUrl: string;
  /** @default "runs" */
  queue?: string | undefined;
  /** The store that the workers have. @default `createPostgresRunStore` with the same address */
  store?: RunStore | undefined;
  /** Only workers of this version take its runs. @default those of the latest version */
  version?: string | undefined;
  /** Checks events here, as in `createAgent`. @default a worker drops what does not fit its own, and warns */
  events?: Readonly<Record<string, StandardSchema>> | undefined;
}

const clientOptions = {
  databaseUrl: { type: "short-text", isRequired: true },
  queue: { type: "short-text", default: "runs" },
  store: { methods: ["append", "read", "list", "post"], expected: "a run store" },
  version: { type: "short-text" },
  events: { type: "any" },
} satisfies OptionTable<DbosClientOptions>;

/** The options of a decision without those that only a process that executes runs could use. */
type Remote<TOptions> = Omit<TOptions, "resources" | "signal" | "throwOnFailure" | "resume">;

/**
 * Submits runs to workers, steers and reads them. It never executes a step itself. Its methods reject with
 * `invalid-options`, `missing-dependency` and `store-failed`, or as DBOS does if the database cannot be reached.
 * @group Workers
 */
export interface DbosClient<TTool extends Tool = Tool> {
  /**
   * Queues a request or a plan; resolves once that is recorded. The same id again is the same run; with another request
   * or plan it rejects with `run-conflict`. A plan that no tools could make valid rejects with `invalid-plan`; the worker
   * checks it against its tools.
   */
  submit<const TPlan extends AnyPlan>(
    this: void,
    requestOrPlan: string | PlanInput<TTool> | UncheckedPlan<TPlan>,
    options?: SubmitOptions,
  ): Promise<{ readonly runId: string }>;
  /** Queues many, several at a time. Rejects if one of them cannot be queued; the others may have been. */
  submitAll(
    this: void,
    list: readonly { readonly run: string | PlanInput<TTool>; readonly options?: SubmitOptions }[],
  ): Promise<readonly { readonly runId: string }[]>;
  /** Queues a request at each time of a cron expression. A name, 1 to 100 of `A-Z a-z 0-9 _ . -`, has one schedule. */
  schedule(
    this: void,
    name: string,
    schedule: { readonly cron: string; readonly request: string; readonly timeZone?: string },
  ): Promise<void>;
  /** Ends a schedule. */
  unschedule(this: void, name: string): Promise<void>;
  /** Approves what a run waits for; a worker continues with it. Rejects as `agent.approve` does. */
  approve(this: void, runId: string, item: ApprovalItem, options?: Remote<ApprovalOptions<TTool>>): Promise<void>;
  /** Rejects what a run waits for. Rejects as `agent.reject` does. */
  reject(this: void, runId: string, item: ApprovalItem, options?: Remote<RejectionOptions<TTool>>): Promise<void>;
  /** Settles a step whose outcome is unknown. Rejects as `agent.settle` does. */
  settle(this: void, runId: string, stepId: string, options: Remote<SettleOptions<TTool>>): Promise<void>;
  /**
   * Delivers an event to a run, which may still be in the queue; a worker continues with it. Rejects as `agent.deliver`
   * does; also with `run-not-found` for a run in the queue if the `store` keeps no early messages (that in PostgreSQL
   * does).
   */
  deliver(this: void, runId: string, name: string, value: unknown, options: Pick<DeliverOptions, "id">): Promise<void>;
  /** Cancels a run. One that no worker has started ends at once, and is recorded. Rejects with `run-not-found`. */
  cancel(this: void, runId: string, reason?: string): Promise<void>;
  /** The events of a run after number `after`, also before it starts, until it ends. Rejects with `run-not-found`. */
  follow(
    this: void,
    runId: string,
    options?: { readonly after?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<AgentEvent<TTool>>;
  /**
   * The run once it has ended or waits for somebody; one whose plan the worker's tools refuse has failed with
   * `invalid-plan`. Rejects with `run-not-found`, and with `cancelled` by the signal, or if the run was cancelled in DBOS
   * itself.
   */
  result(this: void, runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunSnapshot<TTool>>;
  /** Closes its connections. */
  close(this: void): Promise<void>;
}

/**
 * Creates a client of the workers of a queue, for a web process, say. `createDbosClient<typeof agent>` knows the types
 * of the agent's tools. Throws `invalid-options`.
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
  return methodsOf(new Client(options)) as DbosClient<TAgent["tools"][number]>;
}

function methodsOf(client: Client): DbosClient {
  const { runs } = client;
  const leave = { resume: false } as const;
  return {
    submit: (run, options = {}) => client.submit(run as string | PlanInput, options),
    submitAll: (list) => client.submitAll(list),
    schedule: async (name, schedule) => {
      checkSchedule({ ...schedule, name });
      await (await client.queue()).schedule(name, schedule);
    },
    unschedule: async (name) => (await client.queue()).unschedule(name),
    approve: (runId, item, options = {}) =>
      client.decide(runId, () => runs.approve(runId, item, { ...options, ...leave }).result),
    reject: (runId, item, options = {}) =>
      client.decide(runId, () => runs.reject(runId, item, { ...options, ...leave }).result),
    settle: (runId, stepId, options) =>
      client.decide(runId, () => runs.settle(runId, stepId, { ...options, ...leave }).result),
    deliver: (runId, name, value, options) =>
      client.deliver(runId, {
        now: () => runs.deliver(runId, name, value, { ...options, ...leave }).result,
        early: () => runs[workerKey].deliverEarly(runId, name, value, options),
      }),
    cancel: (runId, reason) => client.cancel(runId, reason),
    follow: (runId, options = {}) => client.follow(runId, options),
    result: (runId, options = {}) => client.result(runId, options.signal),
    close: () => client.close(),
  };
}

const firstPollMs = 20;
const maxPollMs = 500;

class Client {
  readonly runs: Orchestrator & WorkedAgent;
  private readonly settings;
  private readonly ownStore: { close(): Promise<void> } | undefined;
  private opened: Promise<RunQueue> | undefined;
  /** The state in which runs were last decided about here: until it changes, no worker has taken the decision. */
  private readonly decided = new RecentMap<string>(1_000);

  constructor(options: DbosClientOptions) {
    this.settings = readOptions(clientOptions, options);
    const { databaseUrl, store, events } = this.settings;
    const own = store === undefined ? createPostgresRunStore({ connectionString: databaseUrl }) : undefined;
    this.ownStore = own;
    // With no tools it can run nothing.
    const runs: object = createOrchestrator({ tools: [], store: (store ?? own) as RunStore, events });
    this.runs = runs as Orchestrator & WorkedAgent;
  }

  queue(): Promise<RunQueue> {
    this.opened ??= this.open().catch((thrown) => {
      this.opened = undefined;
      throw thrown;
    });
    return this.opened;
  }

  /** It may be the first to use the database. */
  private async open(): Promise<RunQueue> {
    const { databaseUrl, queue, version } = this.settings;
    const { DBOS } = await loadDbos();
    await oneAtATime(databaseUrl, () => DBOS.migrate(databaseUrl));
    return openDbosQueue({ databaseUrl, queue, version, maxAdoptions: 100 });
  }

  async submit(run: string | PlanInput, options: SubmitOptions): Promise<{ readonly runId: string }> {
    const { job, order } = await readJob(run, options);
    const queue = await this.queue();
    const { known } = await queue.submit(job, order);
    if (known !== undefined && identityOfJob(known) !== identityOfJob(job)) throw runConflict(job.runId);
    return { runId: job.runId };
  }

  async submitAll(
    list: readonly { readonly run: string | PlanInput; readonly options?: SubmitOptions }[],
  ): Promise<readonly { readonly runId: string }[]> {
    const submitted: { runId: string }[] = [];
    await inParallel(list, 8, async ({ run, options = {} }, index) => {
      submitted[index] = await this.submit(run, options);
    });
    return submitted;
  }

  async decide(runId: string, decide: () => Promise<unknown>): Promise<void> {
    const before = await this.runs.getRun(runId);
    await decide();
    if (before?.status !== "suspended") return;
    this.decided.set(runId, before.updatedAt);
    await (await this.queue()).wake([runId]);
  }

  /** Delivers to a run, or leaves the event for whoever starts it. */
  async deliver(runId: string, deliver: { now: () => Promise<unknown>; early: () => Promise<boolean> }): Promise<void> {
    try {
      await this.decide(runId, deliver.now);
    } catch (thrown) {
      if (!isAgentError(thrown, "run-not-found")) throw thrown;
      const { state = "cancelled" } = (await (await this.queue()).find(runId)) ?? {};
      if (state === "cancelled") throw thrown;
      // If it has started and ended since, that is refused as for any such run.
      if (!(await deliver.early())) await this.decide(runId, deliver.now);
    }
  }

  async cancel(runId: string, reason?: string): Promise<void> {
    const queue = await this.queue();
    while ((await this.runs.getRun(runId)) === undefined) {
      const { job } = (await queue.find(runId)) ?? {};
      if (job === undefined) throw runNotFound(runId);
      // A worker may take it at the same time: whoever records first wins, and the other one finds that.
      if (await this.recordCancelled(job, reason)) return queue.cancel(runId);
    }
    await this.decide(runId, () => this.runs.cancel(runId, reason, { resume: false }));
  }

  /** Records that a run was cancelled before it started. Returns false if it is recorded already. */
  private async recordCancelled(job: Job, reason: string | undefined): Promise<boolean> {
    const { runId, options } = job;
    try {
      await this.runs[workerKey].refuse({ runId, target: targetOfJob(job), options, error: cancelledBy(reason) });
      return true;
    } catch (thrown) {
      if (isAgentError(thrown, "run-conflict")) return false;
      throw thrown;
    }
  }

  async *follow(
    runId: string,
    { after = 0, signal }: { readonly after?: number; readonly signal?: AbortSignal },
  ): AsyncGenerator<AgentEvent, undefined> {
    await this.whenRecorded(runId, signal);
    yield* this.runs.events(runId, { after, signal, follow: true, pollMs: 200 });
  }

  async result(runId: string, signal: AbortSignal | undefined): Promise<RunSnapshot> {
    for (let pollMs = firstPollMs; ; pollMs = await pause(pollMs, signal)) {
      const run = await this.whenRecorded(runId, signal);
      if (endedStatuses.has(run.status)) return run;
      if (run.status === "suspended" && this.decided.get(runId) !== run.updatedAt) return run;
    }
  }

  async close(): Promise<void> {
    await this.runs.close();
    // One that could not be opened has told whoever needed it.
    await (await this.opened?.catch(() => undefined))?.close();
    await this.ownStore?.close();
  }

  /** The run, once a worker has recorded its start. */
  private async whenRecorded(runId: string, signal: AbortSignal | undefined): Promise<RunSnapshot> {
    let wasRecorded = false;
    for (let pollMs = firstPollMs; ; pollMs = await pause(pollMs, signal)) {
      const run = await this.runs.getRun(runId);
      if (run !== undefined) return run;
      const found = await (await this.queue()).find(runId);
      // It may have been recorded since it was looked for, but not if that was before the last time.
      if (found === undefined || wasRecorded) throw runNotFound(runId);
      if (found.state === "cancelled") throw cancelledBy("it was taken out of the queue");
      wasRecorded = found.outcome !== undefined && found.outcome.outcome !== "postponed";
    }
  }
}

/** Waits, and returns how long to wait the next time. Rejects with `cancelled`. */
async function pause(pollMs: number, signal: AbortSignal = new AbortController().signal): Promise<number> {
  if (!(await sleep(pollMs, { clock: systemClock, signal }))) throw cancelledBy(signal.reason);
  return Math.min(2 * pollMs, maxPollMs);
}
