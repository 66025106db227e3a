/** @module planwright/log */

export { createRunLog, type RunLogger } from "./run-log.ts";
