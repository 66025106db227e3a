import type { ListRunsOptions, RunStore } from "../../core/run-store.ts";
import { runStart } from "./sample-events.ts";

/** One requirement for every run store. */
export interface RunStoreCase {
  readonly name: string;
  /** Rejects if it is not met. The store is new and empty; `advance` moves the clock of its claims. */
  check(tested: { readonly store: RunStore; readonly advance: (ms: number) => void }): Promise<void>;
}

/** Records runs up to number `count`, `r1` first, each created a minute after the one before. */
export async function fillStore(store: RunStore, count: number, from = 1): Promise<void> {
  for (let number = from; number <= count; number++) {
    await store.append(`r${number}`, [runStart(`r${number}`, { minute: number })], { sequence: 1 });
  }
}

/** The ids of a page of runs, in its order. */
export async function listIds(store: RunStore, options?: ListRunsOptions): Promise<string> {
  const { runs } = await store.list(options);
  return runs.map(({ runId }) => runId).join(" ");
}
