import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { countPending, inParallel, pendingWork } from "../../src/async/promises.ts";

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

describe("countPending", () => {
  it("counts a promise until it settles, and settles in the same way", async () => {
    const first = countPending(Promise.resolve(1));
    const second = countPending(Promise.reject(new Error("no")));
    expect(pendingWork()).toBe(2);
    expect(await first).toBe(1);
    await expect(second).rejects.toThrow("no");
    expect(pendingWork()).toBe(0);
  });

  it("stops a manual clock meanwhile", async () => {
    const clock = createManualClock({ nowMs: 0 });
    const waited = countPending(new Promise((resolve) => setTimeout(resolve, 20))).then(() => clock.now());
    clock.setTimeout(() => {}, 5);
    await clock.advance(10);
    expect(await waited).toBe(0);
  });
});
