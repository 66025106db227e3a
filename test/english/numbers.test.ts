import { expect, it } from "vitest";
import { readNumber, withoutLastZeros } from "../../src/english/numbers.ts";

it("takes the zeros off the end of digits, and no others", () => {
  expect(["1200", "0012", "000", "", "10203"].map(withoutLastZeros)).toEqual(["12", "0012", "", "", "10203"]);
});

it("multiplies a decimal with very many zeros in it in time that grows with its length", () => {
  const zeros = "0".repeat(100_000);
  const { digits } = readNumber([`1.${zeros}1`, "thousand"], 0) ?? { digits: "" };
  expect(digits).toBe(`1000.${zeros.slice(3)}1`);
});
