import { it } from "vitest";
import { disturbMany } from "./disturbed-suite.ts";
import { seedOr } from "./model-suite.ts";

it.each([
  { storeKind: "memory", usual: 200 },
  { storeKind: "sqlite", usual: 40 },
] as const)(
  "random runs end the same in $storeKind, whatever happens to their processes",
  async ({ storeKind, usual }) => {
    await disturbMany({ storeKind, numRuns: Number(process.env.RUNS ?? usual), seed: seedOr(20_260_101) });
  },
);
