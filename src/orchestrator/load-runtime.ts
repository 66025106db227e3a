import { countOutside } from "../core/outside-work.ts";

/** What plans and executes runs. */
export type Runtime = typeof import("./runtime.ts");

let loaded: Runtime | undefined;

/** What plans and executes runs, once it is loaded. */
export function loadedRuntime(): Runtime | undefined {
  return loaded;
}

/**
 * Loads what plans and executes runs: half of the code, which nobody needs before the first run. This is the one `import()`
 * of the orchestrator; after it, {@link loadedRuntime} saves runs the wait.
 */
export async function loadRuntime(): Promise<Runtime> {
  loaded = await countOutside(import("./runtime.ts"));
  return loaded;
}
