import { describe, expect, it } from "vitest";
import { isSetAside } from "./data.ts";
import { checkGold, goldRows } from "./gold.ts";

/** How many come out exactly as expected; it may only rise. */
const exactToday = 167;

describe("the project's own requests", () => {
  it("are mostly planned or refused as expected", async () => {
    const { count, misses } = await checkGold();
    console.info(`gold: ${count - misses.length} of ${count} exactly as expected`);
    expect(count - misses.length, misses.join("\n")).toBeGreaterThanOrEqual(exactToday);
  });

  it("include many refusals and many plans of several steps", () => {
    const steps = goldRows.map(({ expect }) => expect.steps?.length ?? 0);
    expect(goldRows.length).toBeGreaterThanOrEqual(200);
    expect(steps.filter((count) => count === 0).length).toBeGreaterThanOrEqual(40);
    expect(steps.filter((count) => count > 1).length).toBeGreaterThanOrEqual(35);
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
