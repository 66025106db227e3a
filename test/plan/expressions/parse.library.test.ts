import { it } from "vitest";
import { compareMany } from "./compare-with-library.ts";

it("reads texts as the parser of @marcbachmann/cel-js does", () => {
  compareMany({ numRuns: 5_000, seed: 54 });
});
