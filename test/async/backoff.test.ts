import { getEventListeners } from "node:events";
import { createManualClock } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { Backoff } from "../../src/async/backoff.ts";

describe("Backoff", () => {
  function createBackoff() {
    const clock = createManualClock();
    const backoff = new Backoff({ clock, firstMs: 20, maxMs: 100 });
    const lengthOf = async (pause: Promise<void>) => {
      const fromMs = clock.now();
      await clock.runUntil(pause);
      return clock.now() - fromMs;
    };
    return { clock, backoff, lengthOf };
  }

  it("doubles each pause up to the longest, and starts again after a reset", async () => {
    const { backoff, lengthOf } = createBackoff();
    const lengths: number[] = [];
    for (let count = 0; count < 5; count++) lengths.push(await lengthOf(backoff.pause()));
    expect(lengths).toEqual([20, 40, 80, 100, 100]);
    expect(backoff.next()).toBe(100);
    backoff.reset();
    expect([backoff.next(), backoff.next()]).toEqual([20, 40]);
  });

  it.each([0, 1])("ends at once when signal %i aborts, and leaves no timer and no listener behind", async (index) => {
    const { clock, backoff } = createBackoff();
    const controllers = [new AbortController(), new AbortController()];
    const pausing = backoff.pause(...controllers.map(({ signal }) => signal), undefined);
    controllers[index]?.abort();
    await pausing;
    expect(clock.pendingTimers).toBe(0);
    for (const { signal } of controllers) expect(getEventListeners(signal, "abort")).toHaveLength(0);
    await backoff.pause(AbortSignal.abort());
    expect(clock.pendingTimers).toBe(0);
  });

  it("reads a burst of news once, a quarter of the pause after it, and waits in full the next time", async () => {
    const { clock, backoff, lengthOf } = createBackoff();
    for (let count = 0; count < 3; count++) await lengthOf(backoff.pause());
    const ended = vi.fn();
    backoff.pause().then(ended);
    await clock.advance(30);
    backoff.wake();
    await clock.advance(15);
    backoff.wake();
    expect(ended).not.toHaveBeenCalled();
    await clock.advance(10);
    expect(ended).toHaveBeenCalledOnce();
    expect(clock.pendingTimers).toBe(0);
    expect(await lengthOf(backoff.pause())).toBe(100);
  });

  it("does not lose news that comes between two pauses", async () => {
    const { backoff, lengthOf } = createBackoff();
    for (let count = 0; count < 3; count++) await lengthOf(backoff.pause());
    backoff.wake();
    expect(await lengthOf(backoff.pause())).toBe(25);
  });

  it("ends at once when a signal aborts after news", async () => {
    const { clock, backoff } = createBackoff();
    const controller = new AbortController();
    const pausing = backoff.pause(controller.signal);
    backoff.wake();
    controller.abort();
    await pausing;
    expect(clock.pendingTimers).toBe(0);
  });
});
