import { afterAll, beforeAll, expect, type TestContext } from "vitest";
import { noneWrong } from "./check-runs.ts";
import { type ChainReport, KillChain } from "./kill-chain.ts";
import { buildChild } from "./start-child.ts";

/** Starts a chain, passes it to the test, lets it end, and expects that nothing is wrong. */
export type PlayChain = (context: TestContext, kill: (chain: KillChain) => Promise<void>) => Promise<ChainReport>;

/** For the tests of a file: bundles the code of the processes before the first test. */
export function useKillChains(): PlayChain {
  let built: ReturnType<typeof buildChild>;
  beforeAll(() => {
    built = buildChild();
  });
  afterAll(() => built.remove());
  return async ({ onTestFinished }, kill) => {
    const chain = new KillChain(built.script);
    onTestFinished(() => chain.remove());
    await kill(chain);
    const report = await chain.report();
    expect(report).toMatchObject(noneWrong);
    return report;
  };
}
