import { it } from "vitest";
import { seedOr } from "../random-plans/model-suite.ts";
import { mutateMany } from "../random-plans/mutation-suite.ts";

it("5 000 valid plans run, and each copy with one mistake is refused for it", async () => {
  // Others each time: the seed is told, and repeats them.
  await mutateMany({ numRuns: 5_000, seed: seedOr(Date.now() % 2 ** 31) });
});
