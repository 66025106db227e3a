import { describe, expect, it } from "vitest";
import { allBoundaries } from "./kill-chain.ts";
import { useKillChains } from "./kill-chains.ts";
import { planKinds } from "./kill-plans.ts";
import { seededRandom } from "./seeded-random.ts";

const playChain = useKillChains();
const inside = ["append", "effect"] as const;

// The processes of a chain live one after another, so chains may run side by side.
describe.concurrent("processes that are killed lose nothing and repeat nothing", () => {
  // The kinds that somebody answers are below, and the slow one is disturbed at any time.
  for (const kind of planKinds.filter((each) => !["approved", "asked", "stumbling"].includes(each))) {
    it(`at each point of a run, ${kind}`, async (context) => {
      // Claims are the same for all kinds.
      const boundaries = kind === "sequential" ? allBoundaries : inside;
      const { kills, runs } = await playChain(context, (chain) => chain.killFirstExecution(kind, boundaries));
      expect(kills).toBeGreaterThanOrEqual(10);
      // Each boundary had one try that found no further point.
      expect(runs).toBe(kills + boundaries.length);
    });
  }

  it("at each append of a run that needs approval, while two processes resume it at once", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killAndResumeTwice("approved"));
    expect(kills).toBeGreaterThanOrEqual(10);
  });

  it("at each point of an execution that starts with an approval", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killSecondExecution("approved", inside));
    expect(kills).toBeGreaterThanOrEqual(10);
  });

  it("at each append of an execution that starts with an answer, and asks twice more", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killSecondExecution("asked", ["append"]));
    expect(kills).toBeGreaterThanOrEqual(20);
  });

  it("at each append and effect of a loop, while a process handles SIGTERM", async (context) => {
    const { closes } = await playChain(context, (chain) => chain.killFirstExecution("looped", inside, "SIGTERM"));
    expect(closes).toBeGreaterThanOrEqual(10);
  });

  it("at any time, while others resume their runs, or have slept for longer than their claims", async (context) => {
    const how = { disturbances: 12, random: seededRandom(1), withinMs: 150, leaseMs: 300 };
    const { kills, closes, sleeps } = await playChain(context, (chain) => chain.disturbAtRandom(how));
    expect(kills + closes).toBe(how.disturbances);
    expect(sleeps).toBeGreaterThanOrEqual(how.disturbances / 2 - 1);
  });
});
