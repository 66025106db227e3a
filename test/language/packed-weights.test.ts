import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxStep, unpackWeights, weightOf } from "../../src/language/packed-weights.ts";
import { packWeights } from "../../training/pack.ts";

describe("packed weights", () => {
  it("come out as they went in, wherever they stand", () => {
    const step = fc.integer({ min: -maxStep, max: maxStep });
    const place = fc.record({ at: fc.nat(4_000), step });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(place, { minLength: 1, maxLength: 60 }),
        (columns, places) => {
          const features = 400;
          const weights = new Float64Array(features * columns);
          for (const { at, step } of places) weights[at % weights.length] = weightOf(step, 0.5);
          // The largest weight sets the scale.
          weights[0] = weightOf(maxStep, 0.5);
          const { text, scale, kept } = packWeights(weights, columns);
          const table = unpackWeights(text, { columns, features, scale });
          const found = [...weights.keys()].map(
            (at) => table.values[(table.rows[Math.floor(at / columns)] ?? 0) + (at % columns)],
          );
          expect(found).toEqual([...weights]);
          expect(kept).toBe(weights.filter((weight) => weight !== 0).length);
        },
      ),
    );
  });

  it("have nothing in a string of JSON to escape", () => {
    const weights = Float64Array.from({ length: 3_000 }, (_, at) => (at % 7 === 0 ? weightOf((at % 15) - 7, 1) : 0));
    const { text } = packWeights(weights, 3);
    expect(JSON.stringify(text)).toBe(`"${text}"`);
  });
});
