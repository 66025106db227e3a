import { describe, expect, it } from "vitest";
import { RecentMap } from "../../../src/planners/llm/recent-map.ts";

describe("RecentMap", () => {
  it("forgets what was asked for longest ago", () => {
    const map = new RecentMap<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    expect(map.get("a")).toBe(1);
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  });

  it("replaces the value of a key without forgetting another", () => {
    const map = new RecentMap<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("b", 3);
    expect([map.get("a"), map.get("b"), map.get("none")]).toEqual([1, 3, undefined]);
  });

  it("keeps nothing if it may keep nothing", () => {
    const map = new RecentMap<number>(0);
    map.set("a", 1);
    expect(map.get("a")).toBeUndefined();
  });
});
