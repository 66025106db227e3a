import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectFirst } from "../../../src/tools/todo-store/select-first.ts";

describe("selectFirst", () => {
  it("gives what sorting everything would", () => {
    const numbers = fc.uniqueArray(fc.integer(), { maxLength: 200 });
    fc.assert(
      fc.property(numbers, fc.nat({ max: 50 }), (items, size) => {
        const selection = selectFirst<number>(size, (left, right) => left - right);
        for (const item of items) selection.add(item);
        expect(selection.items()).toEqual([...items].sort((left, right) => left - right).slice(0, size));
      }),
    );
  });
});
