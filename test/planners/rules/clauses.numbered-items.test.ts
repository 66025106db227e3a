import { describe, expect, it } from "vitest";
import { tokenize } from "../../../src/language/tokens.ts";
import { itemMarks } from "../../../src/planners/rules/clauses.ts";
import { inputsFor } from "./plan-for.ts";

describe("itemMarks", () => {
  it.each([
    ["1. show my list 2. what is 3 + 4", 2],
    ["1) show my list\n2) what is 3 + 4", 2],
    ["step 1: show my list, step 2: clear it, step 3: show it", 3],
    ["step one, show my list. step two, clear it", 2],
    ["step 1 show my list", 1],
    ["1. show my list", 0],
    ["1.5 + 2.5", 0],
    ["2. show my list", 0],
    ["show my list", 0],
    ["", 0],
  ])("finds the numbers of items in %j", (text, count) => {
    expect(itemMarks(tokenize(text)).size).toBe(count);
  });
});

describe("a numbered request", () => {
  it("is split only at its numbers", async () => {
    expect(await inputsFor("1. what is 8 + 1 2. show my list")).toEqual([
      { expression: "8 + 1" },
      { operation: "list" },
    ]);
    expect(await inputsFor("step 1: clear my list, step 2: what is 2 times 2")).toEqual([
      { operation: "clear" },
      { expression: "2 * 2" },
    ]);
  });

  it('"go ahead and" does not split a request', async () => {
    expect(await inputsFor("go ahead and show my list")).toEqual([{ operation: "list" }]);
  });
});
