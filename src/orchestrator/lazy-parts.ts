// All that an engine loads for its first run, as one module to import().
export { completeTarget, conductRun } from "./conduct-run.ts";
export { decideRun } from "./continue-run.ts";
export { dryRun } from "./dry-run.ts";
export { planAndTell } from "./plan-request.ts";
export { listRuns, readRun } from "./stored-runs.ts";
