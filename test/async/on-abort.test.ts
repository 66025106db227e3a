import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { onAbort } from "../../src/async/abort.ts";

describe("onAbort", () => {
  it("calls all callbacks through one listener", () => {
    const controller = new AbortController();
    const callbacks = Array.from({ length: 50 }, () => vi.fn());
    for (const callback of callbacks) onAbort(controller.signal, callback);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort();
    for (const callback of callbacks) expect(callback).toHaveBeenCalledTimes(1);
  });

  it("does not call removed callbacks, and leaves no listener behind", () => {
    const controller = new AbortController();
    const [stays, leaves] = [vi.fn(), vi.fn()];
    const stopStaying = onAbort(controller.signal, stays);
    const leave = onAbort(controller.signal, leaves);
    leave();
    leave();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    stopStaying();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    const comesBack = vi.fn();
    onAbort(controller.signal, comesBack);
    leave();
    controller.abort();
    expect(comesBack).toHaveBeenCalledTimes(1);
    expect(stays).not.toHaveBeenCalled();
    expect(leaves).not.toHaveBeenCalled();
  });

  it("lets a callback remove itself while it is called", () => {
    const controller = new AbortController();
    const stop = onAbort(controller.signal, () => stop());
    controller.abort();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });
});
