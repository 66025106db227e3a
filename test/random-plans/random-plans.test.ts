import { it } from "vitest";
import { playMany, seedOr } from "./model-suite.ts";

it("1 000 random plans run correctly, whatever their tools do", async () => {
  await playMany({ numRuns: Number(process.env.RUNS ?? 1_000), seed: seedOr(20_260_101) });
});
