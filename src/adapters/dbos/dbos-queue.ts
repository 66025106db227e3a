import { randomUUID } from "node:crypto";
import type { DBOSClient, WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { inParallel } from "../../async/promises.ts";
import { runConflict } from "../../runs/run-errors.ts";
import {
  idleTransactionMs,
  limitedQueue,
  loadDbos,
  runWorkflow,
  type ScheduleContext,
  scheduledWorkflow,
  type WakingInput,
  wakingWorkflow,
} from "./dbos.ts";
import type { Job, JobOrder, JobOutcome, JobState } from "./jobs.ts";

/** The most messages to the database that may be under way at a time. */
const width = 4;
/** The number of rows that are read at a time. */
const pageSize = 1_000;

/** Options of {@link openDbosQueue}. */
interface DbosQueueOptions {
  readonly databaseUrl: string;
  readonly queue: string;
  /** The version of the workers that take the runs that it submits. @default those of the latest version */
  readonly version: string | undefined;
  readonly maxAdoptions: number;
}

/** Opens the queue of a database. Rejects with `missing-dependency`, or as DBOS does if it cannot connect. */
export async function openDbosQueue(options: DbosQueueOptions): Promise<DbosQueue> {
  const { DBOSClient } = await loadDbos();
  const quiet = { info() {}, debug() {}, warn() {}, error() {} };
  const client = await DBOSClient.create({
    systemDatabaseUrl: options.databaseUrl,
    systemDatabasePoolSize: 4,
    systemDatabaseIdleTransactionTimeoutMs: idleTransactionMs,
    logger: quiet,
  });
  return new DbosQueue(client, options);
}

/**
 * The queue that hands out runs to workers. A run is one job, however often it is submitted, woken or adopted.
 *
 * It is a workflow whose id is that of the run. If the worker that has it dies, another workflow takes its place,
 * `<run>/2` and so on: their ids count the adoptions, and each is made once however many workers notice. Only a run that
 * is submitted may be for workers of one version: what continues is for the latest, as these may be all that are left.
 */
export class DbosQueue {
  private readonly limited: string;

  constructor(
    private readonly client: DBOSClient,
    private readonly options: DbosQueueOptions,
  ) {
    this.limited = limitedQueue(options.queue);
  }

  /**
   * Queues a run; resolves to the one that is queued under its id already, if there is one. Rejects with `run-conflict` if
   * the id is used for something else.
   */
  async submit(job: Job, { priority, delayMs, rateKey }: JobOrder): Promise<{ readonly known: Job | undefined }> {
    const { Error: errors } = await loadDbos();
    try {
      const { version } = this.options;
      await this.enqueue(job.runId, job, {
        ...(version !== undefined && { appVersion: version }),
        ...(priority !== undefined && { priority }),
        ...(delayMs !== undefined && { delaySeconds: delayMs / 1_000 }),
        ...(rateKey !== undefined && { queueName: this.limited, queuePartitionKey: rateKey }),
      });
      return { known: undefined };
    } catch (thrown) {
      if (!errors.isWorkflowIDInUseError(thrown)) throw thrown;
      const known = (await this.find(job.runId))?.job;
      // The id is that of a run in another queue, or of a workflow of the application.
      if (known === undefined) throw runConflict(job.runId);
      return { known };
    }
  }

  /** Queues a request again and again, by a cron expression of five or six fields. */
  async schedule(
    name: string,
    { cron, request, timeZone }: { cron: string; request: string; timeZone?: string | undefined },
  ): Promise<void> {
    const { queue } = this.options;
    const context: ScheduleContext = { queue, name, request };
    await this.client.applySchedules([
      {
        scheduleName: name,
        workflowName: scheduledWorkflow,
        schedule: cron,
        context,
        queueName: queue,
        ...(timeZone !== undefined && { cronTimezone: timeZone }),
      },
    ]);
  }

  unschedule(name: string): Promise<void> {
    return this.client.deleteSchedule(name);
  }

  /** Finds a run; undefined if it was never queued. */
  async find(runId: string): Promise<JobState | undefined> {
    const row = (await this.findLatest([runId], { loadInput: true })).get(runId);
    return row && { job: getJob(row), state: getState(row), outcome: getOutcome(row) };
  }

  /** Takes a run out of the queue, if it waits in it. */
  async cancel(runId: string): Promise<void> {
    const row = (await this.findLatest([runId])).get(runId);
    if (row !== undefined && getState(row) === "waiting") await this.client.cancelWorkflow(row.workflowID);
  }

  /**
   * Queues runs again that have left the queue, such as a suspended one that was decided about. Resolves to those
   * that have not, as a worker has them.
   */
  async wake(runIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.findLatest(runIds);
    await inParallel([...rows.values()], width, async (row) => {
      if (getState(row) === "done") await this.rewind(row);
    });
    return [...rows].filter(([, row]) => getState(row) === "taken").map(([runId]) => runId);
  }

  /** Wakes a run after some time, for a worker that cannot execute it; if a worker has it then, later again. */
  async wakeLater(runId: string, delayMs: number): Promise<void> {
    const { queue } = this.options;
    await this.client.enqueue(
      {
        ...{ workflowID: `${runId}/later/${randomUUID()}`, queueName: queue, workflowName: wakingWorkflow },
        delaySeconds: delayMs / 1_000,
      },
      queue,
      ...([runId, delayMs] satisfies WakingInput),
    );
  }

  /** Queues runs again that no worker executes any more. Resolves to those that too many workers have died of. */
  async adopt(runIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.findLatest(runIds, { loadInput: true });
    const givenUp: string[] = [];
    await inParallel([...rows], width, async ([runId, row]) => {
      if (getState(row) === "done" && getOutcome(row)?.outcome !== "postponed") return this.rewind(row);
      if (getState(row) !== "taken") return;
      const number = getNumber(row) + 1;
      const job = getJob(row);
      if (number > this.options.maxAdoptions + 1) givenUp.push(runId);
      else if (job !== undefined) await this.enqueueFirst(`${runId}/${number}`, job);
      // Its worker is dead; if it only slept, it records nothing any more, neither here nor in the run.
      await this.client.cancelWorkflow(row.workflowID);
    });
    return givenUp;
  }

  /** Resolves to the runs that workers have taken. */
  async taken(): Promise<readonly string[]> {
    const runIds = new Set<string>();
    for (let offset = 0; ; offset += pageSize) {
      const rows = await this.client.listWorkflows({
        queueName: [this.options.queue, this.limited],
        workflowName: runWorkflow,
        status: "PENDING",
        ...{ offset, limit: pageSize },
        loadInput: false,
        loadOutput: false,
      });
      for (const row of rows) runIds.add(getRunId(row));
      if (rows.length < pageSize) return [...runIds];
    }
  }

  /** Resolves to at most 100 ids of what workers have taken beside runs: to wake one, or submit one for a schedule. */
  async takenTasks(): Promise<readonly string[]> {
    const rows = await this.client.listWorkflows({
      queueName: this.options.queue,
      workflowName: [wakingWorkflow, scheduledWorkflow],
      // A worker may have died after it cancelled a task and before it queued it again.
      status: ["PENDING", "CANCELLED"],
      limit: 100,
      loadInput: false,
      loadOutput: false,
    });
    return rows.map(({ workflowID }) => workflowID);
  }

  /** Queues tasks again; to do one twice does no harm. */
  async restartTasks(ids: readonly string[]): Promise<void> {
    await inParallel(ids, width, async (workflowID) => {
      // Only what has ended can start again.
      await this.client.cancelWorkflow(workflowID);
      await this.rewind({ workflowID });
    });
  }

  close(): Promise<void> {
    return this.client.destroy();
  }

  private enqueue(
    workflowID: string,
    job: Job,
    order: {
      readonly priority?: number;
      readonly delaySeconds?: number;
      readonly appVersion?: string;
      readonly queueName?: string;
      readonly queuePartitionKey?: string;
    },
  ): Promise<unknown> {
    const { queue } = this.options;
    return this.client.enqueue(
      {
        ...{ workflowID, queueName: queue, workflowName: runWorkflow, workflowIDReusePolicy: "reject" },
        ...order,
      },
      queue,
      job,
    );
  }

  /** Queues a job before all others: an adopted run must not wait until a long queue is empty. */
  private async enqueueFirst(workflowID: string, job: Job): Promise<void> {
    const { Error: errors } = await loadDbos();
    await this.enqueue(workflowID, job, {}).catch((thrown) => {
      // Another worker was first.
      if (!errors.isWorkflowIDInUseError(thrown)) throw thrown;
    });
    // `submit` accepts no priority below 0.
    await this.client.setWorkflowPriority(workflowID, -1);
  }

  /**
   * Restarts a workflow that has ended, unless another process was first. It was run by workers of some version, which may
   * be gone.
   */
  private async rewind(ended: Pick<WorkflowStatus, "workflowID" | "queueName" | "queuePartitionKey">): Promise<void> {
    const { workflowID, queueName, queuePartitionKey } = ended;
    const isLimited = queueName === this.limited && queuePartitionKey !== undefined;
    const where = isLimited ? { queueName, queuePartitionKey } : { queueName: this.options.queue };
    await this.client.rewindWorkflow(workflowID, { ...where, applicationVersion: noVersion }).catch(async (thrown) => {
      const [now] = await this.client.listWorkflows({ workflowIDs: [workflowID], loadInput: false, loadOutput: false });
      if (now !== undefined && ["done", "cancelled"].includes(getState(now))) throw thrown;
    });
  }

  /** Finds the latest workflow of each run that is in this queue. */
  private async findLatest(
    runIds: readonly string[],
    { loadInput = false } = {},
  ): Promise<ReadonlyMap<string, WorkflowStatus>> {
    const last = new Map<string, WorkflowStatus>();
    if (runIds.length === 0) return last;
    const numbers = Array.from({ length: this.options.maxAdoptions }, (_, index) => index + 2);
    const rows = await this.client.listWorkflows({
      workflowIDs: runIds.flatMap((runId) => [runId, ...numbers.map((number) => `${runId}/${number}`)]),
      workflowName: runWorkflow,
      loadInput,
    });
    for (const row of rows) {
      // While DBOS starts it by hand, a workflow is in no queue.
      if (![undefined, this.options.queue, this.limited].includes(row.queueName)) continue;
      const runId = getRunId(row);
      const known = last.get(runId);
      if (known === undefined || getNumber(known) < getNumber(row)) last.set(runId, row);
    }
    return last;
  }
}

/** DBOS stores null for no version, which only its type does not allow. */
const noVersion = null as unknown as undefined;

function getRunId({ workflowID }: WorkflowStatus): string {
  return workflowID.split("/")[0] ?? workflowID;
}

function getNumber({ workflowID }: WorkflowStatus): number {
  return Number(workflowID.split("/")[1] ?? 1);
}

function getJob({ input }: WorkflowStatus): Job | undefined {
  return input?.[1] as Job | undefined;
}

function getOutcome({ output }: WorkflowStatus): JobOutcome | undefined {
  return (output ?? undefined) as JobOutcome | undefined;
}

function getState({ status }: WorkflowStatus): JobState["state"] {
  if (status === "ENQUEUED" || status === "DELAYED") return "waiting";
  if (status === "CANCELLED") return "cancelled";
  return status === "PENDING" ? "taken" : "done";
}
