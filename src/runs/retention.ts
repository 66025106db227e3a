import { AgentError, isAgentError } from "../core/errors.ts";
import { failOption, type OptionTable, readOptions } from "../core/options.ts";
import { type ListRunsOptions, type RunStore, readStatuses, readTime } from "../core/run-store.ts";
import { endedStatuses, type RunStatus } from "../core/run-summary.ts";
import { cancelledBy } from "./run-errors.ts";
import { toStoreError } from "./run-recorder.ts";
import { listRuns } from "./stored-runs.ts";

/** Options of pruning: `before`, `keep`, or both. @inline */
export interface PruneOptions {
  /** Only runs created before this time; ISO 8601. */
  before?: string | undefined;
  /** How many of the selected runs to keep, the newest; at least 0. @default 0 */
  keep?: number | undefined;
  /** Only runs with this status, or one of these. @default completed, failed and cancelled */
  status?: RunStatus | readonly RunStatus[] | undefined;
  /** Stops deleting. */
  signal?: AbortSignal | undefined;
}

/** Deletes stored runs. */
export interface RunKeeper {
  /**
   * Deletes a run, and frees its id. Rejects with `run-not-found`, `run-owned-elsewhere` while a process owns it,
   * `invalid-options` or `store-failed`.
   */
  deleteRun(this: void, runId: string): Promise<void>;
  /**
   * Deletes the runs that the options select, newest first, but none that a process owns. Resolves to how many.
   * Rejects with `invalid-options`, `store-failed`, or `cancelled` by the signal.
   */
  prune(this: void, options: PruneOptions): Promise<{ readonly deleted: number }>;
}

const pruneOptions = {
  before: readTime,
  keep: { type: "integer", min: 0, default: 0 },
  status: readStatuses,
  signal: { type: "signal" },
} satisfies OptionTable<PruneOptions>;

/** Deletes a run. Rejects as {@link RunKeeper.deleteRun} does. */
export async function deleteRun(store: RunStore, runId: string): Promise<void> {
  await deleteStored(store, runId);
}

/** Deletes the runs that the options select. Rejects as {@link RunKeeper.prune} does. */
export async function prune(store: RunStore, options: PruneOptions): Promise<{ readonly deleted: number }> {
  const { keep, status: statuses = endedStatuses, signal } = readOptions(pruneOptions, options);
  const { before } = options;
  if (before === undefined && options.keep === undefined) failOption("options", "neither", "before, keep, or both");
  const status = [...statuses];
  let [deleted, toKeep] = [0, keep];
  let cursor: string | undefined;
  do {
    const selected: ListRunsOptions = { status, limit: 1_000, ...(before !== undefined && { until: before }) };
    const page = await listRuns(store, { ...selected, ...(cursor !== undefined && { cursor }) });
    for (const { runId } of page.runs.slice(toKeep)) {
      if (signal?.aborted) throw cancelledBy(signal.reason);
      if (await deleteUnlessGone(store, runId, status)) deleted++;
    }
    toKeep = Math.max(0, toKeep - page.runs.length);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { deleted };
}

/** It may have been resumed since it was listed, or deleted by somebody else. */
async function deleteUnlessGone(store: RunStore, runId: string, status: readonly RunStatus[]): Promise<boolean> {
  try {
    return await deleteStored(store, runId, { status });
  } catch (thrown) {
    if (isAgentError(thrown, "run-owned-elsewhere") || isAgentError(thrown, "run-not-found")) return false;
    throw thrown;
  }
}

async function deleteStored(store: RunStore, ...args: Parameters<RunStore["delete"]>): Promise<boolean> {
  const [runId] = args;
  try {
    return await store.delete(...args);
  } catch (thrown) {
    if (isAgentError(thrown, "run-not-found")) {
      throw new AgentError(thrown.code, thrown.message, { details: thrown.details, cause: thrown });
    }
    throw toStoreError(thrown, { runId, operation: "delete" });
  }
}
