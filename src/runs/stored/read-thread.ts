import type { RunSnapshot } from "../../core/run-result.ts";
import type { RunSummary } from "../../core/run-summary.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { isDamaged, listRuns, readRun } from "./stored-runs.ts";

const maxRead = 8;
/** More than are read: some may be damaged, gone, or lines whose meaning is not known yet. */
const maxListed = 2 * maxRead;

export interface ThreadPlace {
  readonly thread: string;
  /** The run of the line. */
  readonly runId: string;
}

/** A thread as it was listed for a line, newest first. */
export interface ThreadListing {
  /** Runs whose plan or other meaning is known. */
  readonly read: readonly RunSummary[];
  readonly earlier: readonly RunSummary[];
}

export async function listThread({ store }: EngineSettings, { thread, runId }: ThreadPlace): Promise<ThreadListing> {
  const { runs } = await listRuns(store, { thread, limit: maxListed });
  const isRead = (run: RunSummary) => run.runId !== runId && run.status !== "planning";
  // By its place and not by its time: a clock may have been set back.
  const own = runs.findIndex((run) => run.runId === runId);
  return { read: runs.filter(isRead), earlier: runs.slice(own + 1).filter(isRead) };
}

/** True if an earlier line, of another process, has got its plan since. */
export function hasNews(before: ThreadListing, { earlier }: ThreadListing): boolean {
  const known = new Set(before.read.map(({ runId }) => runId));
  return earlier.some(({ runId }) => !known.has(runId));
}

export async function readThread(settings: EngineSettings, { read }: ThreadListing): Promise<readonly RunSnapshot[]> {
  const runs: RunSnapshot[] = [];
  for (const { runId } of read) {
    if (runs.length === maxRead) break;
    const run = await readRun(settings, runId).catch((thrown) => {
      if (!isDamaged(thrown)) throw thrown;
      return undefined;
    });
    if (run !== undefined) runs.push(run);
  }
  return runs;
}
