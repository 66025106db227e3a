import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";

/** Sets a timer for each delay and tells when they fire, relative to the beginning. */
function record(...delays: readonly number[]) {
  const clock = createManualClock({ nowMs: 1_000 });
  const fired: string[] = [];
  for (const delayMs of delays) clock.setTimeout(() => fired.push(`${delayMs} at ${clock.now() - 1_000}`), delayMs);
  return { clock, fired };
}

describe("createManualClock", () => {
  it("stands still, at the start of 2026 by default", () => {
    expect(new Date(createManualClock().now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
    expect(createManualClock({ nowMs: 5 }).now()).toBe(5);
  });

  it("fires due timers in order, each at its own time", async () => {
    const { clock, fired } = record(30, 10, 20, 10, 41);
    await clock.advance(40);
    expect(fired).toEqual(["10 at 10", "10 at 10", "20 at 20", "30 at 30"]);
    expect(clock.now()).toBe(1_040);
    expect(clock.pendingTimers).toBe(1);
  });

  it("can be set forward and back without affecting timers and intervals", async () => {
    const { clock } = record();
    const fired: string[] = [];
    clock.setTimeout(() => fired.push(`${clock.now()} after ${clock.monotonic()}`), 10);
    await clock.advance(4);
    clock.setNow(500);
    await clock.advance(5);
    expect(fired).toEqual([]);
    clock.setNow(9_000);
    await clock.advance(1);
    expect(fired).toEqual(["9001 after 10"]);
  });

  it("does not fire cleared timers", async () => {
    const { clock, fired } = record(10);
    const timer = clock.setTimeout(() => fired.push("cleared"), 5);
    clock.clearTimeout(timer);
    clock.clearTimeout(timer);
    clock.clearTimeout(undefined);
    await clock.advance(10);
    expect(fired).toEqual(["10 at 10"]);
  });

  it("fires timers that are set while it advances", async () => {
    const { clock, fired } = record();
    clock.setTimeout(async () => {
      await Promise.resolve();
      clock.setTimeout(() => fired.push(`second at ${clock.now() - 1_000}`), 10);
    }, 10);
    await clock.advance(20);
    expect(fired).toEqual(["second at 20"]);
  });

  it("treats a negative delay as 0", async () => {
    const { clock, fired } = record(-5);
    await clock.advance(0);
    expect(fired).toEqual(["-5 at 0"]);
  });

  it("advances until a promise settles, and no further", async () => {
    const { clock, fired } = record(10, 500, 2_000);
    const slow = new Promise<string>((resolve) => {
      clock.setTimeout(() => resolve("done"), 1_000);
    });
    expect(await clock.runUntil(slow)).toBe("done");
    expect(fired).toEqual(["10 at 10", "500 at 500"]);
    expect(clock.now()).toBe(2_000);
    await expect(clock.runUntil(Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(clock.now()).toBe(2_000);
  });

  it("reports a promise that would never settle", async () => {
    const clock = createManualClock();
    await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow("does not settle");
  });
});
