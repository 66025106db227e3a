import { randomUUID } from "node:crypto";
import type { DBOSClient, WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { inParallel } from "../../async/in-parallel.ts";
import { idleTransactionMs, loadDbos } from "./load-dbos.ts";
import { runWorkflow, type ScheduleContext, scheduledWorkflow, wakingWorkflow } from "./register-runs.ts";
import type { Job, JobOrder, JobOutcome, JobState, RunQueue } from "./run-queue.ts";

/** How many messages to the database may be under way at a time. */
const width = 4;

/** What a queue in DBOS needs. */
interface DbosQueueOptions {
  readonly databaseUrl: string;
  readonly queue: string;
  /** Which workers take its runs. @default those of the latest version */
  readonly version: string | undefined;
  readonly maxAdoptions: number;
}

/** Opens the queue of a database. Rejects with `missing-dependency`, or as DBOS does if it cannot connect. */
export async function openDbosQueue(options: DbosQueueOptions): Promise<RunQueue> {
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
 * A run is a workflow whose id is that of the run. If the worker that has it dies, another workflow takes its place,
 * `<run>/2` and so on: their ids count the adoptions, and each is made once however many workers notice.
 */
class DbosQueue implements RunQueue {
  constructor(
    private readonly client: DBOSClient,
    private readonly options: DbosQueueOptions,
  ) {}

  async submit(job: Job, { priority, delayMs }: JobOrder): Promise<{ readonly known: Job | undefined }> {
    const { Error: errors } = await loadDbos();
    try {
      await this.enqueue(job.runId, job, {
        ...(priority !== undefined && { priority }),
        ...(delayMs !== undefined && { delaySeconds: delayMs / 1_000 }),
      });
      return { known: undefined };
    } catch (thrown) {
      if (!errors.isWorkflowIDInUseError(thrown)) throw thrown;
      return { known: (await this.find(job.runId))?.job };
    }
  }

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

  async find(runId: string): Promise<JobState | undefined> {
    const row = (await this.lastRows([runId], { loadInput: true })).get(runId);
    return row && { job: jobOf(row), state: stateOf(row), outcome: outcomeOf(row) };
  }

  async cancel(runId: string): Promise<boolean> {
    const row = (await this.lastRows([runId])).get(runId);
    if (row === undefined || stateOf(row) !== "waiting") return false;
    await this.client.cancelWorkflow(row.workflowID);
    const after = (await this.lastRows([runId])).get(runId);
    return after?.status === "CANCELLED" && after.dequeuedAt === undefined;
  }

  async wake(runIds: readonly string[]): Promise<void> {
    const rows = await this.lastRows(runIds);
    await inParallel([...rows.values()], width, async (row) => {
      if (stateOf(row) === "done") await this.rewind(row);
    });
  }

  async wakeLater(runId: string, delayMs: number): Promise<void> {
    const { queue, version } = this.options;
    await this.client.enqueue(
      {
        ...{ workflowID: `${runId}/later/${randomUUID()}`, queueName: queue, workflowName: wakingWorkflow },
        delaySeconds: delayMs / 1_000,
        ...(version !== undefined && { appVersion: version }),
      },
      queue,
      runId,
    );
  }

  async adopt(runIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.lastRows(runIds, { loadInput: true });
    const givenUp: string[] = [];
    await inParallel([...rows], width, async ([runId, row]) => {
      if (stateOf(row) === "done" && outcomeOf(row)?.outcome !== "postponed") return this.rewind(row);
      if (stateOf(row) !== "taken") return;
      const number = numberOf(row) + 1;
      const job = jobOf(row);
      if (number > this.options.maxAdoptions + 1) givenUp.push(runId);
      else if (job !== undefined) await this.enqueueFirst(`${runId}/${number}`, job);
      // Its worker is dead; if it only slept, it records nothing any more, neither here nor in the run.
      await this.client.cancelWorkflow(row.workflowID);
    });
    return givenUp;
  }

  async taken(): Promise<readonly string[]> {
    const rows = await this.client.listWorkflows({
      queueName: this.options.queue,
      workflowName: runWorkflow,
      status: "PENDING",
      limit: 100,
      loadInput: false,
      loadOutput: false,
    });
    return [...new Set(rows.map(runIdOf))];
  }

  close(): Promise<void> {
    return this.client.destroy();
  }

  private enqueue(
    workflowID: string,
    job: Job,
    order: { readonly priority?: number; readonly delaySeconds?: number },
  ): Promise<unknown> {
    const { queue, version } = this.options;
    return this.client.enqueue(
      {
        ...{ workflowID, queueName: queue, workflowName: runWorkflow, workflowIDReusePolicy: "reject" },
        ...(version !== undefined && { appVersion: version }),
        ...order,
      },
      queue,
      job,
    );
  }

  /** Before all that nobody has started yet: an adopted run must not wait until a long queue is empty. */
  private async enqueueFirst(workflowID: string, job: Job): Promise<void> {
    // Refused if another worker was first.
    await this.enqueue(workflowID, job, {}).catch(() => {});
    // Nobody can submit with a number below 0.
    await this.client.setWorkflowPriority(workflowID, -1);
  }

  /** Has a workflow that ended start again, unless another process was first, and it is in the queue by now. */
  private async rewind({ workflowID }: WorkflowStatus): Promise<void> {
    await this.client.rewindWorkflow(workflowID, { queueName: this.options.queue }).catch(() => {});
  }

  /** The latest workflow of each run that is in this queue. */
  private async lastRows(
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
      if (row.queueName !== undefined && row.queueName !== this.options.queue) continue;
      const runId = runIdOf(row);
      const known = last.get(runId);
      if (known === undefined || numberOf(known) < numberOf(row)) last.set(runId, row);
    }
    return last;
  }
}

function runIdOf({ workflowID }: WorkflowStatus): string {
  return workflowID.split("/")[0] ?? workflowID;
}

function numberOf({ workflowID }: WorkflowStatus): number {
  return Number(workflowID.split("/")[1] ?? 1);
}

function jobOf({ input }: WorkflowStatus): Job | undefined {
  return input?.[1] as Job | undefined;
}

function outcomeOf({ output }: WorkflowStatus): JobOutcome | undefined {
  return (output ?? undefined) as JobOutcome | undefined;
}

function stateOf({ status }: WorkflowStatus): JobState["state"] {
  if (status === "ENQUEUED" || status === "DELAYED") return "waiting";
  if (status === "CANCELLED") return "cancelled";
  return status === "PENDING" ? "taken" : "done";
}
