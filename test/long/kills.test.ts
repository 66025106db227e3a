import { describe, expect, it } from "vitest";
import { expectOnlyCallsOnTheirWay, onlyCallsOnTheirWay, useKillChains } from "../kills/kill-chains.ts";
import { planKinds } from "../kills/kill-plans.ts";
import { seededRandom } from "../kills/seeded-random.ts";

const playChain = useKillChains();

// Almost 5000 kills, which take some ten minutes on two cores.
describe.concurrent("processes that are killed lose nothing and repeat nothing", { timeout: 3_600_000 }, () => {
  for (const kind of planKinds) {
    it(`at each point of a run, ${kind}, and at each point of going on with it`, async (context) => {
      const report = await playChain(context, (chain) => chain.killBothLegs(kind));
      console.log(kind, JSON.stringify(report));
      expect(report.kills).toBeGreaterThan(100);
    });
  }

  for (const kind of planKinds) {
    it(`at each point of a run, ${kind}, while two processes go on with it at once`, async (context) => {
      const report = await playChain(context, (chain) => chain.killAndResumeTwice(kind));
      console.log(kind, "resumed twice", JSON.stringify(report));
      expect(report.kills).toBeGreaterThanOrEqual(10);
    });
  }

  it("while they sleep, and others go on with their runs, but for calls that were on their way", async (context) => {
    const how = { pauses: 100, random: seededRandom(5), withinMs: 60 };
    const report = await playChain(context, (chain) => chain.pauseAtRandom(how), onlyCallsOnTheirWay);
    console.log("asleep", JSON.stringify(report));
    expectOnlyCallsOnTheirWay(report, how.pauses);
  });

  for (const waits of [false, true]) {
    it(`at any time, while claims ${waits ? "end by the clock" : "have ended"}`, async (context) => {
      const how = { kills: 400, random: seededRandom(waits ? 3 : 2), withinMs: 150, waits };
      const report = await playChain(context, (chain) => chain.killAtRandom(how));
      console.log("at random", JSON.stringify(report));
      expect(report.kills).toBe(how.kills);
    });
  }
});
