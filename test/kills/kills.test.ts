import { describe, expect, it } from "vitest";
import { allBoundaries } from "./kill-chain.ts";
import { expectOnlyCallsOnTheirWay, onlyCallsOnTheirWay, useKillChains } from "./kill-chains.ts";
import { planKinds } from "./kill-plans.ts";
import { seededRandom } from "./seeded-random.ts";

const playChain = useKillChains();
const inside = ["append", "effect"] as const;

// The processes of a chain live one after another, so that chains may go on side by side.
describe.concurrent("processes that are killed lose nothing and repeat nothing", { timeout: 300_000 }, () => {
  // The one that needs approval is below.
  for (const kind of planKinds.filter((each) => each !== "approved")) {
    it(`at each point of a run, ${kind}`, async (context) => {
      // Claims are the same for all kinds.
      const boundaries = kind === "sequential" ? allBoundaries : inside;
      const { kills, runs } = await playChain(context, (chain) => chain.killFirstLeg(kind, boundaries));
      expect(kills).toBeGreaterThanOrEqual(10);
      // Of each boundary there was one try that found no more of it.
      expect(runs).toBe(kills + boundaries.length);
    });
  }

  it("at each append of a run that needs approval, while two processes go on with it at once", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killAndResumeTwice("approved"));
    expect(kills).toBeGreaterThanOrEqual(10);
  });

  it("at each point of a leg that begins with an approval", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killSecondLeg("approved", inside));
    expect(kills).toBeGreaterThanOrEqual(10);
  });

  it("at any time, while claims end by the clock", async (context) => {
    const random = seededRandom(1);
    const how = { kills: 12, random, withinMs: 150, waits: true };
    const { kills } = await playChain(context, (chain) => chain.killAtRandom(how));
    expect(kills).toBe(12);
  });

  it("nor do those that slept while others went on with their runs, but for calls that were on their way", async (context) => {
    const how = { pauses: 4, random: seededRandom(4), withinMs: 60 };
    const report = await playChain(context, (chain) => chain.pauseAtRandom(how), onlyCallsOnTheirWay);
    expect(report.runs).toBe(4 * planKinds.length);
    expectOnlyCallsOnTheirWay(report, how.pauses);
  });
});
