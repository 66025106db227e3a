import { describe, expect, it } from "vitest";
import { outcome } from "./outcome.ts";

// 1e0 is no small fraction, so that these are decimals.
describe("operators on decimals", () => {
  it.each([
    ["1e0 + 2", 3],
    ["1e0 - 2", -1],
    ["3e0 * 2", 6],
    ["3e0 / 2", 1.5],
    ["-8e0 % 3", -2],
    ["8e0 % -3", 8 / 100 - 3],
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
