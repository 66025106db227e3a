// All the code that a run needs. An engine loads this module when it is first used.
export { toDelivery } from "./commands/commands.ts";
export { dryRun } from "./planning/dry-run.ts";
export { planAlone } from "./planning/planning.ts";
export { carryOut } from "./resume/carry-out.ts";
export { forkRun } from "./resume/fork-run.ts";
export { refuseRun } from "./resume/refuse-run.ts";
export { resumeAll } from "./resume/resume-all.ts";
export { fitsHere, resumeRun } from "./resume/resume-run.ts";
export { deliverEarly, sendCommand, toAnswer } from "./resume/send-command.ts";
export { startRun } from "./resume/start-run.ts";
export { undoRun } from "./resume/undo-run.ts";
export { showPage } from "./run/redaction.ts";
export { RunKeys } from "./run/run-keys.ts";
export { listPending } from "./stored/list-pending.ts";
export { readEventsOf } from "./stored/read-events.ts";
export { RunRegistry } from "./stored/run-registry.ts";
export { deleteRun, isRecorded, listRuns, listThread, prune, readRun } from "./stored/stored-runs.ts";
