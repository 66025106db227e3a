import { it } from "vitest";
import { seedOr } from "./model-suite.ts";
import { forkMany } from "./resume-suite.ts";

it("10 random plans end the same in a fork, wherever it is made", async () => {
  await forkMany({ numRuns: Number(process.env.RUNS ?? 10), seed: seedOr(20_260_101) });
});
