import fc from "fast-check";
import { expect, it } from "vitest";
import { type Placed, placeRows } from "../../src/view/graph-svg.ts";

const place = (width: number): Placed => ({
  ...{ layer: 0, width, isEdge: width === 12, row: 0, offset: 0, x: 0 },
  ...{ above: [], below: [] },
});
const widths = fc.array(fc.array(fc.constantFrom(12, 196), { minLength: 1, maxLength: 8 }), { maxLength: 6 });

it("nothing overlaps, or stands left of the beginning", () => {
  fc.assert(
    fc.property(widths, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }), (layers, pairs) => {
      const rows = layers.map((row) => row.map(place));
      const all = rows.flat();
      for (const [one, other] of all.length === 0 ? [] : pairs) {
        const [upper, lower] = [all[one % all.length] as Placed, all[other % all.length] as Placed];
        upper.below.push(lower);
        lower.above.push(upper);
      }
      placeRows(rows);
      for (const row of rows) {
        let end = -1e-6;
        for (const { x, width } of row) {
          expect(x - width / 2).toBeGreaterThanOrEqual(end);
          end = x + width / 2 + 20 - 1e-6;
        }
      }
    }),
  );
});

it("what has one neighbour stands below it", () => {
  const [upper, lower] = [[0, 0, 0].map(() => place(100)), place(100)];
  const last = upper[2] as Placed;
  last.below.push(lower);
  lower.above.push(last);
  placeRows([upper, [lower]]);
  expect(lower.x).toBeCloseTo(last.x);
});
