import { describe, expect, it } from "vitest";
import { isSetAside } from "./data.ts";
import { checkGold, goldRows } from "./gold.ts";

describe("the project's own requests", () => {
  it("are all planned or refused as expected", async () => {
    expect((await checkGold()).misses).toEqual([]);
  });

  it("include many refusals and many plans of several steps", () => {
    const steps = goldRows.map(({ expect }) => expect.steps?.length ?? 0);
    expect(goldRows.length).toBeGreaterThanOrEqual(200);
    expect(steps.filter((count) => count === 0).length).toBeGreaterThanOrEqual(50);
    expect(steps.filter((count) => count > 1).length).toBeGreaterThanOrEqual(40);
    expect(new Set(goldRows.map(({ prompt }) => prompt)).size).toBe(goldRows.length);
  });
});

describe("isSetAside", () => {
  it("selects about a fifth of all rows, always the same", () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => ({ id: `row-${index}` }));
    const count = ids.filter((row) => isSetAside({ ...row, prompt: "", expect: { kind: "reject" } })).length;
    expect(count).toBeGreaterThan(150);
    expect(count).toBeLessThan(250);
  });
});
