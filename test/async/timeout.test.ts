import { getEventListeners } from "node:events";
import { createManualClock } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { settleOrAbort } from "../../src/async/promises.ts";
import { notInTime, settleWithin } from "../../src/async/timeout.ts";

const never = new Promise<never>(() => {});

describe("settleOrAbort", () => {
  it("settles as the promise does, and leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    expect(await settleOrAbort(Promise.resolve(7), signal)).toBe(7);
    await expect(settleOrAbort(Promise.reject("text"), signal)).rejects.toBe("text");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("rejects with the signal's reason, whatever its type", async () => {
    const controller = new AbortController();
    const settled = settleOrAbort(never, controller.signal);
    const reason = { why: "the user left" };
    controller.abort(reason);
    await expect(settled).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("rejects at once if the signal has already aborted", async () => {
    await expect(settleOrAbort(never, AbortSignal.abort("before"))).rejects.toBe("before");
  });

  it("does not affect the promise itself", async () => {
    const controller = new AbortController();
    let finish: (value: string) => void = () => {};
    const promise = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const settled = settleOrAbort(promise, controller.signal);
    controller.abort("stop");
    await expect(settled).rejects.toBe("stop");
    finish("late");
    expect(await promise).toBe("late");
  });
});

describe("settleWithin", () => {
  it("settles as the promise does, and clears its timer", async () => {
    const clock = createManualClock();
    expect(await settleWithin(Promise.resolve(7), 100, clock)).toBe(7);
    await expect(settleWithin(Promise.reject(new Error("no")), 100, clock)).rejects.toThrow("no");
    expect(clock.pendingTimers).toBe(0);
  });

  it("resolves to notInTime once the time has passed, and not before", async () => {
    const clock = createManualClock();
    const settledWith = vi.fn();
    const settled = settleWithin(never, 100, clock).then(settledWith);
    await clock.advance(99);
    expect(settledWith).not.toHaveBeenCalled();
    await clock.advance(1);
    await settled;
    expect(settledWith).toHaveBeenCalledExactlyOnceWith(notInTime);
    expect(clock.pendingTimers).toBe(0);
  });

  it("treats 0 as no time, not as no limit", async () => {
    const clock = createManualClock();
    const settled = settleWithin(never, 0, clock);
    await clock.advance(1);
    expect(await settled).toBe(notInTime);
  });
});
