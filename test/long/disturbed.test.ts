import { it } from "vitest";
import { disturbMany } from "../random-plans/disturbed-suite.ts";
import { seedOr } from "../random-plans/model-suite.ts";

it.each([
  { storeKind: "memory", numRuns: 9_000 },
  { storeKind: "sqlite", numRuns: 1_000 },
] as const)(
  "$numRuns random runs end the same in $storeKind, whatever happens to their processes",
  {
    timeout: 3_600_000,
  },
  async ({ storeKind, numRuns }) => {
    // Others each time: the seed is told, and repeats them.
    await disturbMany({ storeKind, numRuns, seed: seedOr(Date.now() % 2 ** 31) });
  },
);
