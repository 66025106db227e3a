import { tokenize } from "../../src/language/tokens.ts";
import { readSum, type SumReading } from "../../src/sums/read-sum.ts";

/** The sum in a text, with this many earlier results. */
export function readText(text: string, results = 0): SumReading | undefined {
  return readSum(tokenize(text), { results });
}
