import { it } from "vitest";
import { seedOr } from "./model-suite.ts";
import { resumeMany } from "./resume-suite.ts";

it("40 random plans end the same, whenever their process dies", { timeout: 120_000 }, async () => {
  await resumeMany({ numRuns: Number(process.env.RUNS ?? 40), seed: seedOr(20_260_101) });
});
