import { Decimal as DecimalBase } from "decimal.js";
import { describe, expect, it } from "vitest";
import { add, asRounded, Decimal, multiply, precision, settle, subtract } from "../../../src/core/decimal.ts";
import { constantTexts } from "../../../src/tools/calculator/functions.ts";
import { outcome } from "./outcome.ts";

const third = new Decimal(1).div(3);

describe("Decimal", () => {
  it("does not change the settings of decimal.js itself", () => {
    expect(DecimalBase.precision).toBe(20);
    expect(Decimal.precision).toBe(precision);
  });

  it("has constants of more digits than its precision", () => {
    expect(Decimal.acos(-1).minus(constantTexts.pi).abs().lessThan("1e-38")).toBe(true);
    expect(Decimal.exp(1).minus(constantTexts.e).abs().lessThan("1e-38")).toBe(true);
    expect(new Decimal(constantTexts.tau).div(2).minus(constantTexts.pi).abs().lessThan("1e-38")).toBe(true);
  });
});

describe("settle", () => {
  it("corrects the rounding error of a simple result", () => {
    expect(settle(third.times(3)).toString()).toBe("1");
    expect(settle(new Decimal(2).sqrt().pow(2)).toString()).toBe("2");
  });

  it("leaves every other result unchanged", () => {
    expect(settle(third)).toBe(third);
    const nearlyOne = new Decimal("0.99999999999999999999999999999999999");
    expect(settle(nearlyOne)).toBe(nearlyOne);
  });

  it("refuses an infinite result", () => {
    expect(() => settle(new Decimal("1e9999").times(10))).toThrow(expect.objectContaining({ problem: "overflow" }));
  });
});

describe("add", () => {
  it("treats the rounding error of equal values as 0", () => {
    const [two = third, three = third, six = third] = [2, 3, 6].map((value) => asRounded(new Decimal(value).sqrt()));
    const product = multiply(two, three);
    expect(subtract(product, six).toString()).toBe("0");
  });

  it("keeps small exact values and small terms", () => {
    expect(add(new Decimal("1.00000000000000000000000000000000000001"), new Decimal(-1)).toString()).toBe("1e-38");
    expect(add(new Decimal(0), third.times("1e-50")).toString()).toBe(third.times("1e-50").toString());
  });
});

describe("operators on decimals", () => {
  it.each([
    ["1e0 + 2", 3],
    ["1e0 - 2", -1],
    ["3e0 * 2", 6],
    ["3e0 / 2", 1.5],
    ["-8e0 % 3", -2],
    ["8e0% - 3", 8 / 100 - 3],
    ["0e0 % 3", 0],
    ["2e0 ^ 10", 1024],
    ["2e0 ^ -1", 0.5],
    ["0e0 ^ 0", 1],
    ["-(1e0)", -1],
    ["50e0%", 0.5],
    ["5e0!", 120],
    ["0e0!", 1],
    ["1e37 % 7", 3],
    ["2^1000 / 2^999", 2],
  ])("%s is %s", async (expression, expected) => {
    expect(await outcome(expression)).toBe(expected);
  });

  it.each([
    ["1e0 / 0", "division-by-zero at 4"],
    ["1e0 % 0", "division-by-zero at 4"],
    ["0e0 ^ -1", "division-by-zero at 4"],
    ["0 ^ -0.5", "division-by-zero at 2"],
    ["(-8) ^ (1/3)", "not-a-number at 5"],
    ["1e40 % 7", "not-a-number at 5"],
    ["(-1)!", "not-a-number at 4"],
    ["1001!", "overflow at 4"],
    ["10 ^ 400", "overflow at 3"],
    ["10 ^ 10000", "overflow at 3"],
  ])("%s fails: %s", async (expression, expected) => {
    expect(await outcome(expression)).toBe(expected);
  });
});
