import { it } from "vitest";
import { seedOr } from "./model-suite.ts";
import { mutateMany } from "./mutation-suite.ts";

it("500 valid plans run, and each copy with one mistake is refused for it", async () => {
  await mutateMany({ numRuns: Number(process.env.RUNS ?? 500), seed: seedOr(20_260_101) });
});
