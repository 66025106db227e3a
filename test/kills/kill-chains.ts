import { afterAll, beforeAll, expect, type TestContext } from "vitest";
import { noneWrong } from "./check-runs.ts";
import { type ChainReport, KillChain } from "./kill-chain.ts";
import { buildChild } from "./start-child.ts";
import type { StoreAddress } from "./store-address.ts";

/** Starts a chain, passes it to the test, lets it end, and expects that nothing is wrong. */
export type PlayChain = (context: TestContext, kill: (chain: KillChain) => Promise<void>) => Promise<ChainReport>;

/**
 * For the tests of a file: bundles the code of the processes before the first test.
 *
 * @param newAddress An empty store for each chain; left out, a file of SQLite.
 */
export function useKillChains(newAddress?: () => Promise<StoreAddress>): PlayChain {
  let built: ReturnType<typeof buildChild>;
  beforeAll(() => {
    built = buildChild("test/kills/child.ts", ["pg"]);
  });
  afterAll(() => built.remove());
  return async ({ onTestFinished }, kill) => {
    const chain = new KillChain(built.script, await newAddress?.());
    onTestFinished(() => chain.remove());
    await kill(chain);
    const report = await chain.report();
    expect(report).toMatchObject(noneWrong);
    return report;
  };
}
