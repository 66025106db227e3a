import { countOutside } from "../core/outside-work.ts";

/** What plans and conducts runs. */
export type Conductor = typeof import("./conductor.ts");

let loaded: Conductor | undefined;

/** What plans and conducts runs, once it is loaded. */
export function loadedConductor(): Conductor | undefined {
  return loaded;
}

/**
 * Loads what plans and conducts runs: half of the code, which nobody needs before the first run. This is the one `import()`
 * of the orchestrator; after it, {@link loadedConductor} saves runs the wait.
 */
export async function loadConductor(): Promise<Conductor> {
  loaded = await countOutside(import("./conductor.ts"));
  return loaded;
}
