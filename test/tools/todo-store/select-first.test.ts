import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectFirst, takeFirst } from "../../../src/tools/todo-store/select-first.ts";

const numbers = fc.uniqueArray(fc.integer(), { maxLength: 200 });
const page = fc.record({ offset: fc.nat({ max: 30 }), limit: fc.nat({ max: 50 }) });
const compare = (left: number, right: number) => left - right;

describe("selectFirst", () => {
  it("gives what sorting everything would", () => {
    const property = fc.property(numbers, page, (items, { offset, limit }) => {
      const selection = selectFirst<number>({ offset, limit, compare });
      for (const item of items) selection.add(item);
      expect(selection.items()).toEqual([...items].sort(compare).slice(offset, offset + limit));
    });
    fc.assert(property);
  });
});

describe("takeFirst", () => {
  it("gives what slice would", () => {
    const property = fc.property(numbers, page, (items, { offset, limit }) => {
      const selection = takeFirst<number>({ offset, limit });
      for (const item of items) selection.add(item);
      expect(selection.items()).toEqual(items.slice(offset, offset + limit));
    });
    fc.assert(property);
  });
});
