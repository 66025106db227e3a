import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { countPending, pendingWork } from "../../src/async/promises.ts";

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
