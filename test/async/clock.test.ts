import { getEventListeners } from "node:events";
import { createManualClock } from "planwright/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { monotonicNow, sleep, systemClock } from "../../src/async/clock.ts";

describe("sleep", () => {
  it("resolves to true once the whole time has passed, and not before", async () => {
    const clock = createManualClock();
    const { signal } = new AbortController();
    const woken = vi.fn();
    const sleeping = sleep(100, { clock, signal }).then(woken);
    await clock.advance(99);
    expect(woken).not.toHaveBeenCalled();
    await clock.advance(1);
    await sleeping;
    expect(woken).toHaveBeenCalledExactlyOnceWith(true);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("resolves to false when the signal aborts, and leaves no timer and no listener behind", async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const sleeping = sleep(100, { clock, signal: controller.signal });
    controller.abort(new Error("stop"));
    expect(await sleeping).toBe(false);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("does not start if the signal has already aborted", async () => {
    const clock = createManualClock();
    expect(await sleep(100, { clock, signal: AbortSignal.abort() })).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it("resolves asynchronously even for 0 ms", async () => {
    const clock = createManualClock();
    const woken = vi.fn();
    const sleeping = sleep(0, { clock, signal: new AbortController().signal }).then(woken);
    await Promise.resolve();
    expect(woken).not.toHaveBeenCalled();
    await clock.advance(0);
    await sleeping;
    expect(woken).toHaveBeenCalledWith(true);
  });
});

describe("monotonicNow", () => {
  it("returns the clock's monotonic time, or its wall time if it has none", () => {
    const clock = createManualClock({ nowMs: 1_000 });
    expect(monotonicNow(clock)).toBe(0);
    expect(monotonicNow({ ...clock, monotonic: undefined } as never)).toBe(1_000);
  });
});

describe("systemClock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("uses the machine's time and timers", () => {
    const callback = vi.fn();
    const stopped = vi.fn();
    systemClock.setTimeout(callback, 50);
    systemClock.clearTimeout(systemClock.setTimeout(stopped, 10));
    vi.advanceTimersByTime(50);
    expect(systemClock.now()).toBe(1_050);
    expect(callback).toHaveBeenCalledOnce();
    expect(stopped).not.toHaveBeenCalled();
  });
});
