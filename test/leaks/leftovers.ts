import { getEventListeners } from "node:events";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What runs may leave behind in a process. */
export interface Leftovers {
  /** Timers that have not fired. */
  readonly timers: number;
  /** Abort signals that are still held. */
  readonly signals: number;
  /** Abort listeners on the signal that the runs have shared. */
  readonly listeners: number;
  /** In bytes, after a full collection. */
  readonly heapUsed: number;
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Counts what is there now. */
export async function countLeftovers(sharedSignal: AbortSignal): Promise<Leftovers> {
  // What is collected may set free more that a later turn can collect.
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return {
    timers: process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length,
    signals: queryObjects(AbortSignal, { format: "count" }),
    listeners: getEventListeners(sharedSignal, "abort").length,
    heapUsed: process.memoryUsage().heapUsed,
  };
}
