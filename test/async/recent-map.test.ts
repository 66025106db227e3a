import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentMap } from "../../src/async/recent-map.ts";

describe("RecentMap", () => {
  it("drops the key that was used least recently", () => {
    const map = new RecentMap<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    expect(map.get("a")).toBe(1);
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  });

  it("replaces the value of a key without dropping another", () => {
    const map = new RecentMap<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("b", 3);
    expect([map.get("a"), map.get("b"), map.get("none")]).toEqual([1, 3, undefined]);
  });

  it("keeps nothing if its size is 0", () => {
    const map = new RecentMap<number>(0);
    map.set("a", 1);
    expect(map.get("a")).toBeUndefined();
  });

  it("never exceeds its size, and keeps the most recently used keys", () => {
    const keys = fc.constantFrom("a", "b", "c", "d", "e");
    const uses = fc.array(fc.tuple(keys, fc.option(fc.nat())), { maxLength: 60 });
    fc.assert(
      fc.property(uses, fc.nat({ max: 5 }), (uses, maxSize) => {
        const map = new RecentMap<number>(maxSize);
        let model: [key: string, value: number][] = [];
        for (const [key, written] of uses) {
          const value = written ?? model.find(([name]) => name === key)?.[1];
          if (written === null) expect(map.get(key)).toBe(value);
          else map.set(key, written);
          if (value !== undefined) model = [...model.filter(([name]) => name !== key), [key, value]];
          model = model.slice(Math.max(0, model.length - maxSize));
        }
        for (const key of ["a", "b", "c", "d", "e"])
          expect(map.get(key)).toBe(model.find(([name]) => name === key)?.[1]);
      }),
    );
  });
});
