import { randomUUID } from "node:crypto";
import type { RateLimitOptions } from "../../async/limits.ts";
import { limitedQueue } from "./dbos-queue.ts";
import { type DbosModule, idleTransactionMs, loadDbos } from "./load-dbos.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { type QueueWorker, registerDbosRuns, workers } from "./register-runs.ts";
import type { JobServer } from "./run-queue.ts";

/** What DBOS is launched with. */
interface ServeOptions {
  readonly databaseUrl: string;
  readonly queue: string;
  readonly concurrency: number;
  readonly version: string;
  /** Of the runs with one rate key. */
  readonly rateLimit: RateLimitOptions | undefined;
}

/** How often a queue that is empty is looked at: if runs with a rate key have no limit, there are few. */
const [pollMs, seldomMs] = [100, 1_000];

/** Hands out the jobs of a queue to a worker: by the DBOS that this process has launched, or one that it launches. */
export async function serveJobs(worker: QueueWorker, options: ServeOptions): Promise<JobServer> {
  const { DBOS } = await loadDbos();
  const isJoining = DBOS.isInitialized();
  await registerDbosRuns();
  const { queue, concurrency: workerConcurrency, rateLimit } = options;
  workers.set(queue, worker);
  try {
    if (!isJoining) await launch(DBOS, options);
    const settings = { workerConcurrency, onConflict: "always_update" } as const;
    await DBOS.registerQueue(queue, { ...settings, minPollingIntervalMs: pollMs });
    await DBOS.registerQueue(limitedQueue(queue), {
      ...settings,
      minPollingIntervalMs: rateLimit === undefined ? seldomMs : pollMs,
      ...(rateLimit !== undefined && {
        partitionRateLimit: { limitPerPeriod: rateLimit.limit, periodSec: rateLimit.intervalMs / 1_000 },
      }),
    });
  } catch (thrown) {
    workers.delete(queue);
    throw thrown;
  }
  return {
    async drain(timeoutMs) {
      if (!isJoining) await DBOS.shutdown({ workflowCompletionTimeoutMS: timeoutMs });
    },
    stop() {
      workers.delete(queue);
    },
  };
}

function launch(DBOS: DbosModule["DBOS"], { databaseUrl, version, queue }: ServeOptions): Promise<void> {
  DBOS.setConfig({
    name: "planwright",
    systemDatabaseUrl: databaseUrl,
    // It only hands out runs; what they do goes through the store.
    systemDatabasePoolSize: 6,
    systemDatabaseIdleTransactionTimeoutMs: idleTransactionMs,
    applicationVersion: version,
    // Unknown to later processes: what the store knows of its runs shows that they are to be adopted.
    executorID: randomUUID(),
    logLevel: "error",
    listenQueues: [queue, limitedQueue(queue)],
  });
  return oneAtATime(databaseUrl, () => DBOS.launch());
}
