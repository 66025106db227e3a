import { receivePosted } from "./receive-posted.ts";
import { resumeLeft } from "./resume-run.ts";
import type { RunHost } from "./run.ts";
import { RunRegistry } from "./run-registry.ts";

// All that an engine loads for its first run, as one module to import().
export { cancelRun } from "./cancel-run.ts";
export { decideRun } from "./decide-run.ts";
export { dryRun } from "./dry-run.ts";
export { planAlone } from "./plan-alone.ts";
export { resumeAll, resumeRun } from "./resume-run.ts";
export { deleteRun, prune } from "./retention.ts";
export { readEventsOf } from "./run-events.ts";
export { settleRun } from "./settle-run.ts";
export { showPage } from "./show.ts";
export { startRun } from "./start-run.ts";
export { listRuns, readRun } from "./stored-runs.ts";

/** The registry of an engine's runs. */
export function createRegistry({ settings, hub }: Pick<RunHost, "settings" | "hub">): RunRegistry {
  return new RunRegistry({ settings, hub, receive: receivePosted, resumeLeft });
}
