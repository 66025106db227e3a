import { describe, expect, it } from "vitest";
import { countOutside, outsideWork } from "../../src/async/outside-work.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

describe("countOutside", () => {
  it("counts a promise until it settles, and settles in the same way", async () => {
    const first = countOutside(Promise.resolve(1));
    const second = countOutside(Promise.reject(new Error("no")));
    expect(outsideWork()).toBe(2);
    expect(await first).toBe(1);
    await expect(second).rejects.toThrow("no");
    expect(outsideWork()).toBe(0);
  });

  it("stops a manual clock meanwhile", async () => {
    const clock = createManualClock({ nowMs: 0 });
    const waited = countOutside(new Promise((resolve) => setTimeout(resolve, 20))).then(() => clock.now());
    clock.setTimeout(() => {}, 5);
    await clock.advance(10);
    expect(await waited).toBe(0);
  });
});
