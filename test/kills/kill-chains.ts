import { afterAll, beforeAll, expect, type TestContext } from "vitest";
import { noneWrong } from "./check-runs.ts";
import { type ChainReport, KillChain } from "./kill-chain.ts";
import { buildChild } from "./start-child.ts";

/** Starts a chain, does with it what a test says, lets it end, and expects that nothing is wrong, or what is expected. */
export type PlayChain = (
  context: TestContext,
  kill: (chain: KillChain) => Promise<void>,
  expected?: object,
) => Promise<ChainReport>;

/**
 * What must be so if a process only slept: it can record nothing any more, but a call that was on its way takes effect, as
 * well as the one that took its place.
 */
export const onlyCallsOnTheirWay = { ...noneWrong, ranAgain: expect.any(Number), onceTwice: expect.any(Number) };

/** The most calls that are on their way of one run of each kind: 4 in parallel, 2 of a loop, 1 of the others. */
const callsAtOnce = 9;

/** A `once` step takes effect twice only where somebody settled it while its call was still on its way. */
export function expectOnlyCallsOnTheirWay({ ranAgain, onceTwice, settled }: ChainReport, pauses: number): void {
  expect(onceTwice).toBeLessThanOrEqual(settled);
  expect(ranAgain).toBeLessThanOrEqual(pauses * callsAtOnce);
}

/** For the tests of a file: what its processes do is bundled before the first of them. */
export function useKillChains(): PlayChain {
  let built: ReturnType<typeof buildChild>;
  beforeAll(() => {
    built = buildChild();
  });
  afterAll(() => built.remove());
  return async ({ onTestFinished }, kill, expected = noneWrong) => {
    const chain = new KillChain(built.script);
    onTestFinished(() => chain.remove());
    await kill(chain);
    const report = await chain.report();
    expect(report).toMatchObject(expected);
    return report;
  };
}
