import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toOrderText } from "../../../src/adapters/sql/statement.ts";
import { drivers, openRaw } from "../sqlite/sqlite-files.ts";

/** Any code units: halves of pairs, the null character, and often those that are near to where something changes. */
const unit = fc.oneof(
  fc.nat({ max: 8 }),
  fc.constantFrom(0x61, 0x62, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffd, 0xffff),
  fc.nat({ max: 0xffff }),
);
const text = fc.array(unit, { maxLength: 6 }).map((units) => String.fromCharCode(...units));

describe("toOrderText", () => {
  it("returns most texts unchanged", () => {
    for (const plain of ["", "buy milk", "äpfel 100%", "你好", "a\nb\u007f"]) expect(toOrderText(plain)).toBe(plain);
  });

  it("returns valid UTF-8 without null characters", () => {
    fc.assert(fc.property(text, (any) => /^[^\0]*$/.test(toOrderText(any)) && toOrderText(any).isWellFormed()));
  });

  it.each(drivers)("makes %s compare and search as JavaScript does", (driver) => {
    const db = openRaw(":memory:", driver);
    const compare = "SELECT ? < ? AS isLess, ? = ? AS isEqual, instr(?, ?) > 0 AS isIn";
    fc.assert(
      fc.property(text, text, fc.nat({ max: 6 }), fc.nat({ max: 6 }), (left, other, from, length) => {
        for (const right of [other, left.slice(from, from + length)]) {
          const [a, b] = [toOrderText(left), toOrderText(right)];
          const row = db.get(compare, a, b, a, b, a, b);
          const expected = [left < right, left === right, left.includes(right)];
          expect([row?.isLess, row?.isEqual, row?.isIn]).toEqual(expected.map(Number));
        }
      }),
      { numRuns: 2_000 },
    );
    db.close();
  });
});
