import { describe, expect, it } from "vitest";
import { isOffered } from "../../../src/plan/grounding/prescribed.ts";

describe("a value that a description offers", () => {
  it.each([
    ["USD", "Currency code. Defaults to USD."],
    ["public", 'Database schema; "public" unless another is named'],
    [2, "Decimal places; use 2 unless the user asks for something else"],
    ["all", "The league, 'all' if not specified"],
    ["gas", "'gas' refers to a gasoline vehicle, 'EV' to an electric one"],
    [1.4, "Optional factor. Default factor is 1.4 for gas vehicles"],
  ])("%j: %s", (value, description) => {
    expect(isOffered(value, [{ description }])).toBe(true);
  });

  it.each([
    ["anna@example.com", "Who gets it, e.g. 'anna@example.com'"],
    ["Paris", "A city such as 'Paris'"],
    ["USD", "Currency code, such as USD by default"],
    [2, "Decimal places, at most 2"],
    [2, "20 by default"],
    ["", "Empty by default"],
    ["pub", "public by default"],
    [100, "Amount in USD. Must not exceed 100 unless approved"],
    [5, "At least 5 unless stated"],
    [true, "true by default"],
    ["x", undefined],
    ["x", `${"x by default ".repeat(1_000)}`],
  ])("not %j: %s", (value, description) => {
    expect(isOffered(value, [{ ...(description !== undefined && { description }) }])).toBe(false);
    expect(isOffered(value, undefined)).toBe(false);
  });
});
