import { AgentError, isAgentError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/events.ts";
import { failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { RunResult, RunSnapshot } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import {
  type ListRunsOptions,
  type RunPage,
  type RunStore,
  readStatuses,
  readTime,
  runNotFound,
  threadOption,
} from "../../core/run-store.ts";
import { endedStatuses, type RunStatus, type RunSummary, runStatuses } from "../../core/run-summary.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { shownResult, shownSnapshot } from "../run/redaction.ts";
import type { ThreadListing } from "../run/run.ts";
import { cancelledBy, runElsewhere } from "../run/run-errors.ts";
import { toStoreError } from "../run/run-recorder.ts";
import { parseEvents, parseRunPage, type RecordedRun } from "./parse-stored.ts";

export async function readRun(
  settings: EngineSettings,
  runId: string,
  thread?: string,
): Promise<RunSnapshot | undefined> {
  const { state } = await readRecorded(settings.store, runId);
  const isHidden = state.sequence === 0 || (thread !== undefined && state.thread !== thread);
  return isHidden ? undefined : shownSnapshot(state, settings);
}

export async function listRuns(store: RunStore, options: ListRunsOptions): Promise<RunPage> {
  try {
    return parseRunPage(await store.list(options), options);
  } catch (thrown) {
    if (thrown instanceof AgentError && thrown.code === "invalid-options") throw thrown;
    throw toStoreError(thrown, { runId: "", operation: "list" });
  }
}

export function isDamaged(thrown: unknown): boolean {
  if (!isAgentError(thrown, "store-failed")) return false;
  return thrown.details.problem === "corrupt" || thrown.details.problem === "wrong-format";
}

export async function* listPages(store: RunStore, selected: ListRunsOptions): AsyncIterable<readonly RunSummary[]> {
  let cursor: string | undefined;
  do {
    const page = await listRuns(store, { ...selected, limit: 1_000, ...(cursor !== undefined && { cursor }) });
    yield page.runs;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

const maxRead = 8;
/** Greater than `maxRead`, as some runs may be damaged, deleted or still in planning. */
const maxListed = 2 * maxRead;

export async function listThread(
  settings: EngineSettings,
  { thread, runId }: { thread: string; runId: string },
): Promise<ThreadListing> {
  const { runs } = await listRuns(settings.store, { thread, limit: maxListed });
  const isRead = (run: RunSummary) => run.runId !== runId && run.status !== "planning";
  // Compares positions, as a clock may have been set back.
  const own = runs.findIndex((run) => run.runId === runId);
  const listed = runs.filter(isRead);
  return { listed, earlier: runs.slice(own + 1).filter(isRead), read: () => readSound(settings, listed) };
}

async function readSound(settings: EngineSettings, listed: readonly RunSummary[]): Promise<readonly RunSnapshot[]> {
  const runs: RunSnapshot[] = [];
  for (const { runId } of listed) {
    if (runs.length === maxRead) break;
    const run = await readUndamaged(settings, runId);
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

/** Resolves to undefined if the run is damaged or deleted. */
export function readUndamaged(settings: EngineSettings, runId: string): Promise<RunSnapshot | undefined> {
  return readRun(settings, runId).catch((thrown) => {
    if (!isDamaged(thrown)) throw thrown;
    return undefined;
  });
}

export async function readRecorded(store: RunStore, runId: string): Promise<RecordedRun> {
  return parseEvents(runId, await readEvents(store, runId, { after: 0 }));
}

async function readAgain(store: RunStore, before: RecordedRun): Promise<RecordedRun> {
  const { first, last, state } = before;
  const started = await readEvents(store, state.runId, { after: 0, limit: 1 });
  const found = isEvent(started, first) ? await readEvents(store, state.runId, { after: state.sequence - 1 }) : [];
  return isEvent(found, last) ? parseEvents(state.runId, found.slice(1), before) : readRecorded(store, state.runId);
}

function isEvent(found: unknown, event: AgentEvent | undefined): found is readonly unknown[] {
  return Array.isArray(found) && JSON.stringify(found[0]) === JSON.stringify(event);
}

export async function isRecorded(store: RunStore, runId: string): Promise<boolean> {
  const first = await readEvents(store, runId, { after: 0, limit: 1 });
  return Array.isArray(first) && first.length > 0;
}

export async function readEvents(
  store: RunStore,
  runId: string,
  options: { readonly after: number; readonly limit?: number },
): Promise<unknown> {
  try {
    return await store.read(runId, options);
  } catch (thrown) {
    throw toStoreError(thrown, { runId, operation: "read" });
  }
}

export function resultOfState(state: RunState, settings: EngineSettings): RunResult {
  const { runId, status } = state;
  if (status === "planning" || status === "running") throw runElsewhere(runId);
  return shownResult(state, settings);
}

export async function readExisting(
  { store }: EngineSettings,
  runId: string,
  known?: RecordedRun,
): Promise<RecordedRun> {
  const recorded = await (known === undefined ? readRecorded(store, runId) : readAgain(store, known));
  if (recorded.state.sequence > 0) return recorded;
  throw runNotFound(runId);
}

/** Options of `prune`: at least one of `before`, `keep` and `thread`. @inline */
export interface PruneOptions {
  /** Selects runs created before this time; ISO 8601. */
  before?: string | undefined;
  /** Number of newest selected runs to keep, at least 0. @default 0 */
  keep?: number | undefined;
  /** Selects runs of this dialogue, of any status unless `status` is set. */
  thread?: string | undefined;
  /** Selects runs with this status, or one of these. @default completed, failed and cancelled; all with `thread` */
  status?: RunStatus | readonly RunStatus[] | undefined;
  /** Stops deleting when aborted. */
  signal?: AbortSignal | undefined;
}

const pruneOptions = {
  before: readTime,
  keep: { type: "integer", min: 0, default: 0 },
  thread: threadOption,
  status: readStatuses,
  signal: { type: "signal" },
} satisfies OptionTable<PruneOptions>;

export type DeleteWithin = (deleteRuns: () => Promise<readonly string[]>) => Promise<void>;

const pruneSize = 50;

export async function prune(
  store: RunStore,
  options: PruneOptions,
  deleteWithin: DeleteWithin,
): Promise<{ readonly deleted: number }> {
  const { keep, thread, status: statuses, signal } = readOptions(pruneOptions, options);
  const { before } = options;
  if (before === undefined && options.keep === undefined && thread === undefined)
    failOption("options", options, "an object with at least one of before, keep and thread");
  const status = [...(statuses ?? (thread === undefined ? endedStatuses : runStatuses))];
  let [deleted, toKeep] = [0, keep];
  for await (const runs of listPages(store, { status, thread, ...(before !== undefined && { until: before }) })) {
    const selected = runs.slice(toKeep);
    for (let start = 0; start < selected.length; start += pruneSize) {
      await deleteWithin(async () => {
        const gone: string[] = [];
        for (const { runId } of selected.slice(start, start + pruneSize))
          if (!signal?.aborted && (await deleteUnlessGone(store, runId, status))) gone.push(runId);
        deleted += gone.length;
        return gone;
      });
      if (signal?.aborted) throw cancelledBy(signal.reason);
    }
    toKeep = Math.max(0, toKeep - runs.length);
  }
  return { deleted };
}

async function deleteUnlessGone(store: RunStore, runId: string, status: readonly RunStatus[]): Promise<boolean> {
  try {
    return await deleteRun(store, runId, { status });
  } catch (thrown) {
    if (isAgentError(thrown, "run-owned-elsewhere") || isAgentError(thrown, "run-not-found")) return false;
    throw thrown;
  }
}

export async function deleteRun(store: RunStore, ...args: Parameters<RunStore["delete"]>): Promise<boolean> {
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
