/** @module planwright/dbos */

export { createDbosClient, type DbosClient, type DbosClientOptions } from "./dbos-client.ts";
export { type DbosWorker, type DbosWorkerOptions, startDbosWorker } from "./dbos-worker.ts";
export { registerDbosRuns } from "./register-runs.ts";
export type { SubmitOptions } from "./submit-options.ts";
