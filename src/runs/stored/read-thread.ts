import type { RunSnapshot } from "../../core/run-result.ts";
import type { RunSummary } from "../../core/run-summary.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import type { OpenThread } from "../run/run.ts";
import { isDamaged, listRuns, readRun } from "./stored-runs.ts";

const maxRead = 8;
/** Greater than `maxRead`, as some runs may be damaged, deleted or not yet understood. */
const maxListed = 2 * maxRead;

export function createThreadReaders(settings: EngineSettings): OpenThread {
  return ({ thread, runId }) => ({
    async list() {
      const { runs } = await listRuns(settings.store, { thread, limit: maxListed });
      const isRead = (run: RunSummary) => run.runId !== runId && run.status !== "planning";
      // Compares positions, as a clock may have been set back.
      const own = runs.findIndex((run) => run.runId === runId);
      return { read: runs.filter(isRead), earlier: runs.slice(own + 1).filter(isRead) };
    },

    async read({ read }) {
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
    },
  });
}
