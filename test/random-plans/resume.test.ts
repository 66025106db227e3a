import { it } from "vitest";
import { seedOr } from "./model-suite.ts";
import { resumeMany } from "./resume-suite.ts";

it("40 random plans end the same, whenever their process dies", async () => {
  await resumeMany({ numRuns: Number(process.env.RUNS ?? 40), seed: seedOr(20_260_101) });
});
