import { expect, it } from "vitest";
import { inParallel } from "../../src/async/promises.ts";

it("uses each item once, in order, at most so many at a time", async () => {
  const used: string[] = [];
  let running = 0;
  let most = 0;
  await inParallel(["a", undefined, "c", "d", "e"], 2, async (item, index) => {
    used.push(`${index} ${item}`);
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  });
  expect(used).toEqual(["0 a", "1 undefined", "2 c", "3 d", "4 e"]);
  expect(most).toBe(2);
  await inParallel([], 3, () => Promise.reject(new Error("never")));
  await expect(inParallel([1], 3, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
