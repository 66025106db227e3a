import { countPending } from "../async/pending-work.ts";

/** The code that plans and executes runs. */
export type Runtime = typeof import("./engine-runtime.ts");

let loaded: Runtime | undefined;

/** The runtime, once it is loaded. */
export function loadedRuntime(): Runtime | undefined {
  return loaded;
}

/**
 * Loads the runtime: half of the code, which is not needed before the first run. This is the one `import()`
 * of it; after that, {@link loadedRuntime} saves runs the wait.
 */
export async function loadRuntime(): Promise<Runtime> {
  loaded = await countPending(import("./engine-runtime.ts"));
  return loaded;
}
