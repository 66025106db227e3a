import { checkKeys, checkOption, failOption } from "../../core/options.ts";
import type { RunStore } from "../../core/run-store.ts";
import { type ConformanceCase, conformanceCase, failureOf } from "./conformance-case.ts";
import type { RunStoreCase } from "./run-store-case.ts";
import { claimCases } from "./run-store-claims.ts";
import { deletionCases } from "./run-store-deletion.ts";
import { eventCases } from "./run-store-events.ts";
import { filterCases } from "./run-store-filters.ts";
import { listCases } from "./run-store-lists.ts";
import { messageCases } from "./run-store-messages.ts";

/** Options of {@link runStoreConformance}. @inline */
export interface RunStoreConformanceOptions<TStore extends RunStore> {
  /**
   * Creates a new, empty store for each case. Its leases must use the clock `now`, which returns milliseconds and moves
   * only when the case moves it.
   */
  createStore(options: { readonly now: () => number }): TStore | Promise<TStore>;
  /** Closes a store when its case has ended, in any way. */
  closeStore?: ((store: TStore) => void | Promise<void>) | undefined;
}

/**
 * The requirements for every {@link RunStore}, as cases for a test runner: events, lists, leases and fences, messages,
 * deletion. Each case has its own store. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/24-your-own-store.ts}
 * @group Storage
 */
export function runStoreConformance<TStore extends RunStore>(
  options: RunStoreConformanceOptions<TStore>,
): readonly ConformanceCase[] {
  checkKeys("options", options, ["createStore", "closeStore"]);
  const { createStore, closeStore } = options;
  if (typeof createStore !== "function") failOption("createStore", createStore, "a function that returns a store");
  checkOption({ type: "function" }, closeStore, "closeStore");
  return [...eventCases, ...listCases, ...filterCases, ...claimCases, ...messageCases, ...deletionCases].map(
    ({ name, check }) => conformanceCase(name, () => checkStore({ createStore, closeStore }, check)),
  );
}

async function checkStore<TStore extends RunStore>(
  { createStore, closeStore }: RunStoreConformanceOptions<TStore>,
  check: RunStoreCase["check"],
): Promise<void> {
  let nowMs = Date.UTC(2026, 0, 1);
  const store = await createStore({ now: () => nowMs });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  try {
    await check({ store, advance });
  } catch (thrown) {
    // An error of closing matters less.
    await failureOf(() => closeStore?.(store));
    throw thrown;
  }
  await closeStore?.(store);
}
