// All that an engine loads for its first run, as one module to import().
export { startRun } from "./active-runs.ts";
export { decideRun } from "./continue-run.ts";
export { dryRun } from "./dry-run.ts";
export { planAlone } from "./plan-alone.ts";
export { listRuns, readRun } from "./stored-runs.ts";
