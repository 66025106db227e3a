// All that an engine loads when it is first used, as one module to import().
import { receivePosted } from "./decisions/commands.ts";
import { resumeLeft } from "./resume/resume-run.ts";
import type { RunHost } from "./run.ts";
import { RunRegistry } from "./run-registry.ts";

export { cancelRun, decideRun, deliverEarly, deliverEvent, settleRun } from "./decisions/send-command.ts";
export { dryRun } from "./dry-run.ts";
export { planAlone } from "./planning/plan-alone.ts";
export { refuseRun } from "./refuse-run.ts";
export { forkRun } from "./resume/fork-run.ts";
export { resumeAll, resumeRun } from "./resume/resume-run.ts";
export { deleteRun, prune } from "./retention.ts";
export { readEventsOf } from "./run-events.ts";
export { showPage } from "./show.ts";
export { startRun } from "./start-run.ts";
export { listRuns, readRun } from "./stored-runs.ts";

/** The registry of an engine's runs. */
export function createRegistry(
  engine: Pick<RunHost, "settings" | "hub"> & { readonly leavesWaits: boolean },
): RunRegistry {
  const { settings, hub } = engine;
  const leavesWaits = () => engine.leavesWaits;
  return new RunRegistry({ settings, hub, leavesWaits, receive: receivePosted, resumeLeft });
}
