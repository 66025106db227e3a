/** @module planwright/dbos */

export { registerDbosRuns } from "./dbos.ts";
export { createDbosClient, type DbosClient, type DbosClientOptions } from "./dbos-client.ts";
export { type DbosWorker, type DbosWorkerOptions, startDbosWorker } from "./dbos-worker.ts";
export type { SubmitOptions } from "./jobs.ts";
