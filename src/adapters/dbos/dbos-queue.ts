import { createHash, randomUUID } from "node:crypto";
import type { DBOSClient, WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { inParallel } from "../../async/promises.ts";
import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/option-tables.ts";
import { runConflict } from "../../runs/run/run-errors.ts";
import { loadPg, type PostgresQueryable } from "../postgres/sql-pool.ts";
import type { Job, JobContent, JobOrder, JobOutcome, ScheduleOptions } from "./jobs.ts";

/** Limit for idle transactions: a process that sleeps during a transaction would lock rows and delay adoption. */
export const idleTransactionMs = 2_000;

export const runWorkflow = "planwright.run";
export const scheduledWorkflow = "planwright.scheduled";
export const wakingWorkflow = "planwright.wake";

export type WakingInput = readonly [runId: string, delayMs: number];

export interface ScheduleContext extends Pick<ScheduleOptions, "rateKey" | "overlap"> {
  readonly queue: string;
  readonly name: string;
  readonly content: JobContent;
}

/** Queue of runs with a rate key, which is the partition key. DBOS requires a key for each job in such a queue. */
export function limitedQueue(queue: string): string {
  return `${queue}/limited`;
}

/** Queue of runs with a thread, whose hash is the partition key. DBOS runs jobs with the same key in order. */
export function threadQueue(queue: string): string {
  return `${queue}/threads`;
}

export function queuesOf(queue: string): string[] {
  return [queue, limitedQueue(queue), threadQueue(queue)];
}

export async function loadDbos(): Promise<typeof import("@dbos-inc/dbos-sdk")> {
  try {
    return await import("@dbos-inc/dbos-sdk");
  } catch (thrown) {
    const command = "npm install @dbos-inc/dbos-sdk pg";
    throw new AgentError("missing-dependency", `The package "@dbos-inc/dbos-sdk" is not available. Run "${command}".`, {
      details: { packages: ["@dbos-inc/dbos-sdk", "pg"], command },
      cause: thrown,
    });
  }
}

const lockKey = 7_208_214_552;
const pollMs = 50;
/** Limits polling, as the workflow of a dead worker stays taken. */
const maxPolls = 20;

export function oneAtATime<T>(databaseUrl: string, use: () => Promise<T>): Promise<T> {
  return withConnection(databaseUrl, async (locking) => {
    // Polls instead of waiting in a statement, which would block migrations of DBOS.
    const isLocked = async () => {
      const { rows } = await locking.query("select pg_try_advisory_lock($1) as locked", [lockKey]);
      return (rows[0] as { readonly locked?: unknown } | undefined)?.locked === true;
    };
    while (!(await isLocked())) await new Promise((resolve) => setTimeout(resolve, pollMs));
    return use();
  });
}

async function withConnection<T>(databaseUrl: string, use: (connection: PostgresQueryable) => Promise<T>): Promise<T> {
  const { Client } = await loadPg();
  const connection = new Client({ connectionString: databaseUrl });
  // Without a listener, a broken idle connection ends the process.
  connection.on("error", () => {});
  await connection.connect();
  try {
    return await use(connection);
  } finally {
    await connection.end();
  }
}

const width = 4;
const brief = { loadInput: false, loadOutput: false };

interface DbosQueueOptions {
  readonly databaseUrl: string;
  readonly queue: string;
  readonly version: string | undefined;
}

export interface QueuedRun {
  readonly runId: string;
  readonly number: number;
  readonly state: "waiting" | "taken" | "done" | "cancelled";
  readonly job: Job | undefined;
  /** Ids of the run's earlier workflows that are still marked as taken by workers that have died. */
  readonly left: readonly string[];
  readonly outcome: JobOutcome | undefined;
  readonly row: WorkflowStatus;
}

export async function openDbosQueue(options: DbosQueueOptions): Promise<DbosQueue> {
  const { DBOSClient, Error: errors } = await loadDbos();
  const client = await DBOSClient.create({
    systemDatabaseUrl: options.databaseUrl,
    systemDatabasePoolSize: 4,
    systemDatabaseIdleTransactionTimeoutMs: idleTransactionMs,
    logger: { info() {}, debug() {}, warn() {}, error() {} },
  });
  return new DbosQueue(client, options, errors.isWorkflowIDInUseError);
}

/**
 * A run is a workflow with the run's id. Adopting a run of a dead worker, or retrying a stopped run, adds a workflow:
 * `<run>/2`, … Fixed ids prevent duplicates. Later workflows have no version: workers of the run's version may be gone.
 */
export class DbosQueue {
  constructor(
    private readonly client: DBOSClient,
    private readonly options: DbosQueueOptions,
    private readonly isIdInUse: (thrown: unknown) => boolean,
  ) {}

  get #queue(): string {
    return this.options.queue;
  }

  async submit(job: Job, jobOrder: JobOrder, isRecorded: IsRecorded): Promise<Job | undefined> {
    const { priority, delayMs, schedule } = jobOrder;
    const { version: appVersion } = this.options;
    const delaySeconds = delayMs && delayMs / 1_000;
    const attributes = schedule === undefined ? undefined : { schedule };
    const order = { appVersion, priority, delaySeconds, attributes, ...this.#placeOf(jobOrder) };
    for (let isFree = false; ; isFree = true) {
      if (await this.#enqueue(job.runId, job, order)) return undefined;
      const known = await this.find(job.runId);
      if (known?.job === undefined) throw runConflict(job.runId);
      if (isFree || !isOver(known) || (await isRecorded(job.runId))) return known.job;
      await this.removeGone([job.runId], isRecorded);
    }
  }

  async schedule(
    { name, ...rest }: Omit<ScheduleContext, "queue">,
    { cron, timeZone }: Pick<ScheduleOptions, "cron" | "timeZone">,
  ): Promise<void> {
    const queue = this.#queue;
    const context: ScheduleContext = { queue, name, ...rest };
    const schedule = { scheduleName: name, workflowName: scheduledWorkflow, schedule: cron, context, queueName: queue };
    try {
      await this.client.applySchedules([{ ...schedule, cronTimezone: timeZone }]);
    } catch (thrown) {
      const { message } = thrown as Error;
      if (/^Invalid timezone/.test(message)) failOption("timeZone", timeZone, "the IANA name of a time zone", true);
      if (!/expression|fields|day of month|characters/.test(message)) throw thrown;
      failOption("cron", cron, `a cron expression of five or six fields (${message})`, true);
    }
  }

  async findLastOf(schedule: string): Promise<QueuedRun | undefined> {
    const query = { attributes: { schedule }, workflowName: runWorkflow, sortDesc: true, limit: 1 };
    const [id] = await this.#findIds(query);
    return id === undefined ? undefined : this.find(readId(id).runId);
  }

  count(): Promise<{ readonly waiting: number; readonly oldestMs: number }> {
    return withConnection(this.options.databaseUrl, async (connection) => {
      const { rows } = await connection.query(
        `SELECT count(*)::int AS waiting,
            coalesce(extract(epoch FROM clock_timestamp()) * 1000 - min(updated_at), 0)::float8 AS oldest
          FROM dbos.workflow_status WHERE status = 'ENQUEUED' AND queue_name = ANY ($1) AND name = $2`,
        [queuesOf(this.#queue), runWorkflow],
      );
      const { waiting, oldest } = rows[0] as { readonly waiting: number; readonly oldest: number };
      return { waiting, oldestMs: Math.max(0, Math.round(oldest)) };
    });
  }

  unschedule(name: string): Promise<void> {
    return this.client.deleteSchedule(name);
  }

  async find(runId: string): Promise<QueuedRun | undefined> {
    return (await this.#findLatest([runId]))[0];
  }

  async cancel(runId: string): Promise<void> {
    const run = await this.find(runId);
    if (run?.state === "waiting") await this.client.cancelWorkflow(run.row.workflowID);
  }

  async wake(runId: string): Promise<boolean> {
    const run = await this.find(runId);
    if (run?.state === "done" || run?.state === "cancelled") await this.#rewind(run.row);
    return run?.state !== "taken";
  }

  async retry(runId: string, stoppedAt: string): Promise<void> {
    const run = await this.find(runId);
    if (run?.job === undefined || run.state === "waiting") return;
    const workflowID = toWorkflowId(runId, run.number + 1);
    await this.#enqueue(workflowID, { ...run.job, stoppedAt, adoptions: 0 }, this.#samePlace(run.row));
  }

  async deleteWith(deleteRuns: () => Promise<readonly string[]>): Promise<void> {
    await oneAtATime(this.options.databaseUrl, async () => this.#remove(await deleteRuns()));
  }

  removeGone(runIds: readonly string[], isRecorded: IsRecorded): Promise<readonly string[]> {
    return oneAtATime(this.options.databaseUrl, async () => {
      const gone: string[] = [];
      for (const run of await this.#findLatest(runIds))
        if (isOver(run) && !(await isRecorded(run.runId))) gone.push(run.runId);
      await this.#remove(gone);
      return gone;
    });
  }

  async #remove(runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    let rows = await this.#findRows(runIds);
    // A worker that is about to end one of these workflows could otherwise end a later run with the same id.
    for (let polls = 0; polls < maxPolls && rows.some((row) => getState(row) === "taken"); polls++) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      rows = await this.#findRows(runIds);
    }
    const found = [...rows, ...(await this.#findWaking(runIds))].map(({ workflowID }) => workflowID);
    const removed = [...found, ...runIds.flatMap((runId) => scheduledId(runId) ?? [])];
    if (removed.length > 0) await this.client.deleteWorkflows(removed);
  }

  async #findWaking(runIds: readonly string[]): Promise<readonly WorkflowStatus[]> {
    const prefixes = runIds.map((runId) => laterId(runId, ""));
    const query = { workflow_id_prefix: prefixes, workflowName: wakingWorkflow, loadOutput: false };
    const rows = await this.client.listWorkflows(query);
    // DBOS treats an underscore in a prefix as a wildcard.
    return rows.filter(({ workflowID }) => runIds.includes(readId(workflowID).runId));
  }

  async wakeLater(runId: string, delayMs: number): Promise<void> {
    const waking = await this.#findWaking([runId]);
    const done = waking.filter((row) => getState(row) === "done").map(({ workflowID }) => workflowID);
    if (done.length > 0) await this.client.deleteWorkflows(done);
    const isEarlier = ({ input }: WorkflowStatus) => (input?.[2] as WakingInput[1]) <= delayMs;
    if (waking.some((row) => getState(row) === "waiting" && isEarlier(row))) return;
    const workflowID = laterId(runId, randomUUID());
    const task = { workflowID, queueName: this.#queue, workflowName: wakingWorkflow, delaySeconds: delayMs / 1_000 };
    await this.client.enqueue(task, this.#queue, ...([runId, delayMs] satisfies WakingInput));
  }

  async adopt(runIds: readonly string[], isDead: (runId: string) => boolean): Promise<void> {
    await inParallel(await this.#findLatest(runIds), width, async (run) => {
      const { runId, number, state, job, left, row } = run;
      await this.end(left);
      if (isOver(run)) return this.#rewind(row);
      if (state !== "taken" || !isDead(runId)) return;
      if (job !== undefined) {
        const workflowID = toWorkflowId(runId, number + 1);
        await this.#enqueue(workflowID, { ...job, adoptions: (job.adoptions ?? 0) + 1 });
        // Set here, as `enqueue` accepts no negative priority. An adopted run must not wait in a long queue.
        await this.client.setWorkflowPriority(workflowID, -1);
      }
      await this.client.cancelWorkflow(row.workflowID);
    });
  }

  taken(): Promise<readonly string[]> {
    const queueName = queuesOf(this.#queue);
    return this.#findIds({ queueName, workflowName: runWorkflow, status: "PENDING", sortDesc: true });
  }

  async end(workflowIDs: readonly string[]): Promise<void> {
    if (workflowIDs.length > 0) await this.client.cancelWorkflows([...workflowIDs]);
  }

  ended(offset: number): Promise<readonly string[]> {
    const status = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"] as const;
    return this.#findIds({ workflowName: runWorkflow, status: [...status], offset, limit: 100 });
  }

  takenTasks(): Promise<readonly string[]> {
    const workflowName = [wakingWorkflow, scheduledWorkflow];
    // A worker may have died between cancelling a task and queueing it again.
    return this.#findIds({ queueName: this.#queue, workflowName, status: ["PENDING", "CANCELLED"], limit: 100 });
  }

  async #findIds(query: NonNullable<Parameters<DBOSClient["listWorkflows"]>[0]>): Promise<readonly string[]> {
    return (await this.client.listWorkflows({ ...query, ...brief })).map(({ workflowID }) => workflowID);
  }

  async restart(workflowIDs: readonly string[]): Promise<void> {
    if (workflowIDs.length === 0) return;
    const rows = await this.client.listWorkflows({ workflowIDs: [...workflowIDs], ...brief });
    await inParallel(rows, width, async (row) => {
      await this.client.cancelWorkflow(row.workflowID);
      await this.#rewind(row);
    });
  }

  close(): Promise<void> {
    return this.client.destroy();
  }

  async #enqueue(workflowID: string, job: Job, order: Order = {}): Promise<boolean> {
    const workflow = { workflowID, queueName: this.#queue, workflowName: runWorkflow, ...order };
    try {
      await this.client.enqueue({ ...workflow, workflowIDReusePolicy: "reject" }, this.#queue, job);
      return true;
    } catch (thrown) {
      if (!this.isIdInUse(thrown)) throw thrown;
      return false;
    }
  }

  #placeOf({ rateKey, thread }: JobOrder) {
    const queue = this.#queue;
    if (thread !== undefined) {
      const hash = createHash("sha256").update(JSON.stringify(thread)).digest("base64url");
      return { queueName: threadQueue(queue), queuePartitionKey: hash };
    }
    if (rateKey !== undefined) return { queueName: limitedQueue(queue), queuePartitionKey: rateKey };
    return { queueName: queue };
  }

  #samePlace({ queueName, queuePartitionKey }: WorkflowStatus) {
    const isKeyed = queueName !== undefined && queuePartitionKey !== undefined;
    return isKeyed ? { queueName, queuePartitionKey } : { queueName: this.#queue };
  }

  /** Queues the run for workers of any version, as those of its own version may be gone. */
  async #rewind(row: WorkflowStatus): Promise<void> {
    const { workflowID } = row;
    const where = this.#samePlace(row);
    for (let tries = 1; ; tries++) {
      try {
        // DBOS stores null if there is no version, but its type does not allow null.
        await this.client.rewindWorkflow(workflowID, { ...where, applicationVersion: null as never });
        return;
      } catch (thrown) {
        const [now] = await this.client.listWorkflows({ workflowIDs: [workflowID], ...brief });
        if (now === undefined || !["done", "cancelled"].includes(getState(now))) return;
        // Tries again, as the run may have ended only after the attempt.
        if (tries === 3) throw thrown;
      }
    }
  }

  async #findRows(runIds: readonly string[]): Promise<readonly WorkflowStatus[]> {
    const rows: WorkflowStatus[] = [];
    for (let [first, left] = [1, runIds]; left.length > 0; first += numbersAtATime) {
      const numbers = Array.from({ length: numbersAtATime }, (_, index) => first + index);
      const workflowIDs = left.flatMap((runId) => numbers.map((number) => toWorkflowId(runId, number)));
      const found = await this.client.listWorkflows({ workflowIDs, workflowName: runWorkflow });
      rows.push(...found);
      const known = new Set(found.map(({ workflowID }) => workflowID));
      left = left.filter((runId) => known.has(toWorkflowId(runId, first + numbersAtATime - 1)));
    }
    // Compares the input, as a workflow that was cancelled or started by hand has no queue in its row.
    return rows.filter(({ input }) => input?.[0] === this.#queue);
  }

  async #findLatest(runIds: readonly string[]): Promise<readonly QueuedRun[]> {
    const latest = new Map<string, QueuedRun>();
    const rows = (await this.#findRows(runIds)).map((row) => ({
      ...readId(row.workflowID),
      state: getState(row),
      row,
    }));
    for (const { runId, number, state, row } of rows.sort((one, other) => one.number - other.number)) {
      const before = latest.get(runId);
      const left = [...(before?.left ?? []), ...(before?.state === "taken" ? [before.row.workflowID] : [])];
      const job = row.input?.[1] as Job | undefined;
      const outcome = (row.output ?? undefined) as JobOutcome | undefined;
      latest.set(runId, { runId, number, state, job, outcome, row, left });
    }
    return [...latest.values()];
  }
}

function laterId(runId: string, unique: string): string {
  return `${runId}/later/${unique}`;
}

type Order = Partial<Parameters<DBOSClient["enqueue"]>[0]>;
type IsRecorded = (runId: string) => Promise<boolean>;

export function isOver({ state, outcome }: Pick<QueuedRun, "state" | "outcome">): boolean {
  return state === "cancelled" || (state === "done" && outcome?.outcome !== "postponed");
}

export function scheduledRunId(schedule: string, date: Date): string {
  return `${schedule}.${date.toISOString().replaceAll(":", ".")}`;
}

function scheduledId(runId: string): string | undefined {
  const [, name, hours, minutes, seconds] = /^(.+)\.(\d{4}-\d\d-\d\dT\d\d)\.(\d\d)\.(\d\d\.\d{3}Z)$/.exec(runId) ?? [];
  return name && `sched-${name}-${hours}:${minutes}:${seconds}`;
}

const numbersAtATime = 8;

function toWorkflowId(runId: string, number: number): string {
  return number === 1 ? runId : `${runId}/${number}`;
}

export function readId(workflowID: string): { readonly runId: string; readonly number: number } {
  const [runId = workflowID, number = 1] = workflowID.split("/");
  return { runId, number: Number(number) };
}

function getState({ status }: WorkflowStatus): QueuedRun["state"] {
  if (status === "ENQUEUED" || status === "DELAYED") return "waiting";
  if (status === "CANCELLED") return "cancelled";
  return status === "PENDING" ? "taken" : "done";
}
