import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PathSet } from "../../src/plan/check-step.ts";

describe("PathSet", () => {
  it("finds paths above, at and below its own, like a comparison with each of them", () => {
    const path = fc.array(fc.constantFrom<string | number>("a", "b", 0, "0"), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), path, (paths, asked) => {
        const set = new PathSet(paths);
        const isPrefix = (short: readonly unknown[], long: readonly unknown[]) =>
          short.length <= long.length && short.every((key, index) => long[index] === key);
        expect(set.hasAtOrAbove(asked)).toBe(paths.some((one) => isPrefix(one, asked)));
        expect(set.hasAtOrBelow(asked)).toBe(paths.some((one) => isPrefix(asked, one)));
      }),
      { numRuns: 500 },
    );
  });
});
