import { expect, it } from "vitest";
import { readNumber, withoutLastZeros } from "../../src/english/numbers.ts";

it("withoutLastZeros removes the zeros at the end of digits, and no others", () => {
  expect(["1200", "0012", "000", "", "10203"].map(withoutLastZeros)).toEqual(["12", "0012", "", "", "10203"]);
});

it("readNumber multiplies a decimal with very many zeros in linear time", () => {
  const zeros = "0".repeat(100_000);
  const { digits } = readNumber([`1.${zeros}1`, "thousand"], 0) ?? { digits: "" };
  expect(digits).toBe(`1000.${zeros.slice(3)}1`);
});
