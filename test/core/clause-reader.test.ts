import { expect, it } from "vitest";
import { loadReader, readWith } from "../../src/core/clause-reader.ts";
import { createCalculator } from "../../src/index.ts";

it("loads the reader of a tool once, and none for a copy of the tool", async () => {
  let loads = 0;
  const tool = readWith(createCalculator(), async () => {
    loads++;
    return { read: () => [] };
  });
  expect(await loadReader(tool)).toBe(await loadReader(tool));
  expect(loads).toBe(1);
  expect(loadReader({ ...tool })).toBeUndefined();
});
