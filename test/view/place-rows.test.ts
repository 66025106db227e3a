import fc from "fast-check";
import { expect, it } from "vitest";
import { placeRows } from "../../src/view/graph-svg.ts";

const widths = fc.array(fc.array(fc.constantFrom(12, 196), { minLength: 1, maxLength: 8 }), { maxLength: 6 });

it("nothing overlaps, or stands left of the beginning", () => {
  fc.assert(
    fc.property(widths, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }), (layers, pairs) => {
      let next = 0;
      const rows = layers.map((row) => row.map((width) => ({ id: next++, width, isEdge: width === 12 })));
      const neighbours: number[][] = Array.from({ length: next }, () => []);
      for (const [one, other] of next === 0 ? [] : pairs) {
        neighbours[one % next]?.push(other % next);
        neighbours[other % next]?.push(one % next);
      }
      const places = placeRows(rows, neighbours);
      for (const row of rows) {
        let end = -1e-6;
        for (const { id, width } of row) {
          const middle = places[id] ?? Number.NaN;
          expect(middle - width / 2).toBeGreaterThanOrEqual(end);
          end = middle + width / 2 + 20 - 1e-6;
        }
      }
    }),
  );
});

it("what has one neighbour stands below it", () => {
  const rows = [[0, 1, 2], [3]].map((ids) => ids.map((id) => ({ id, width: 100, isEdge: false })));
  const places = placeRows(rows, [[], [], [3], [2]]);
  expect(places[3]).toBeCloseTo(places[2] as number);
});
