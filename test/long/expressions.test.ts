import { it } from "vitest";
import { compareMany } from "../plan/expressions/compare-with-library.ts";
import { seedOr } from "../random-plans/model-suite.ts";

it("200 000 random texts are read as the parser of @marcbachmann/cel-js does", () => {
  // Others each time: the seed is told, and repeats them.
  compareMany({ numRuns: 200_000, seed: seedOr(Date.now() % 2 ** 31) });
});
