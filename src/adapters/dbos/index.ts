/** @module planwright/dbos */

export { createDbosClient, type DbosClient, type DbosClientOptions } from "./dbos-client.ts";
export { type DbosWorker, type DbosWorkerOptions, registerDbosRuns, startDbosWorker } from "./dbos-worker.ts";
export type { SubmitOptions } from "./jobs.ts";
