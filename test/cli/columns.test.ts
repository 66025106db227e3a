import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToColumns, getColumns, padToColumns } from "../../src/cli/printer.ts";

describe("getColumns", () => {
  it.each([
    ["", 0],
    ["add milk", 8],
    ["é – ü → д", 9],
    ["⠋ [███░░]…", 10],
    ["日本語", 6],
    ["ｆｕｌｌ", 8],
    ["👍", 2],
  ])("counts %j as %i", (text, columns) => {
    expect(getColumns(text)).toBe(columns);
  });

  it.each(["👨‍👩‍👧", "☺️", "1️⃣", "\ud800", "e\u0301"])("counts no fewer for %j than a terminal may need", (text) => {
    expect(getColumns(text)).toBeGreaterThanOrEqual(2);
  });
});

describe("cutToColumns", () => {
  it.each([
    ["add milk", 8, "add milk"],
    ["add milk", 7, "add mi…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👍👍", 3, "👍…"],
    ["add", 1, "…"],
    ["add", 0, ""],
    ["", 0, ""],
  ])("cuts %j to %i columns", (text, columns, cut) => {
    expect(cutToColumns(text, columns)).toBe(cut);
  });

  it("never needs more columns, nor cuts a text that fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, columns) => {
        const cut = cutToColumns(text, columns);
        expect(getColumns(cut)).toBeLessThanOrEqual(columns);
        if (getColumns(text) <= columns) expect(cut).toBe(text);
      }),
    );
  });
});

it("padToColumns fills up to the columns, and leaves a longer text alone", () => {
  expect(padToColumns("日本", 6)).toBe("日本  ");
  expect(padToColumns("add milk", 3)).toBe("add milk");
});
