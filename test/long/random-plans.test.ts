import { it } from "vitest";
import { playMany, seedOr } from "../random-plans/model-suite.ts";

it("10 000 random plans run correctly, whatever their tools do", async () => {
  // Others each time: the seed is told, and repeats them.
  await playMany({ numRuns: 10_000, seed: seedOr(Date.now() % 2 ** 31) });
});
