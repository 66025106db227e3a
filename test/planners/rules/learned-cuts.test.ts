import { describe, expect, it } from "vitest";
import { cutWhereWishesBegin } from "../../../src/planners/rules/learned-cuts.ts";
import { loadCuts } from "../../../src/planners/rules/load-cuts.ts";
import { readRequest, TooMuchWork, WorkMeter } from "../../../src/planners/rules/match-input.ts";

const model = await loadCuts();

function cut(text: string) {
  const input = readRequest(text, { nowMs: 0, timeZone: "UTC" });
  const { clauses, words } = cutWhereWishesBegin(input, model);
  const texts = clauses.map(({ start, end }) => words.slice(start, end).join(" "));
  return { clauses, texts };
}

describe("cutWhereWishesBegin", () => {
  it.each([
    ["what is 5 times 8 plus put eggs on my list", ["what is 5 times 8", "put eggs on my list"]],
    ["remind me to feed the cat also what is 3 times 4", ["remind me to feed the cat", "what is 3 times 4"]],
    ["show me my list as well as what is 12 divided by 4", ["show me my list", "what is 12 divided by 4"]],
    ["what is 5 plus 8", ["what is 5 plus 8"]],
  ])("cuts %s", (text, texts) => {
    expect(cut(text).texts).toEqual(texts);
  });

  it("makes it cheaper to begin a wish where one is probable than within a title", () => {
    const two = cut("put milk on my list and what is 5 times 8").clauses[1]?.startCost;
    const one = cut("put milk and eggs on my list").clauses[1]?.startCost;
    expect(two).toBeLessThan(0);
    expect(one).toBeGreaterThan(0);
  });

  it("lets no text go on where a wish surely begins", () => {
    expect(cut("put milk on my list and remind me to feed the cat").clauses[0]?.endsHard).toBe(true);
    expect(cut("put milk and eggs on my list").clauses[0]?.endsHard).toBe(false);
  });

  it("counts its work", () => {
    const input = readRequest(
      "add milk ".repeat(1_000),
      { nowMs: 0, timeZone: "UTC" },
      { work: new WorkMeter(10_000) },
    );
    expect(() => cutWhereWishesBegin(input, model)).toThrow(TooMuchWork);
  });
});
