import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { AbortScope, onAbort } from "../../src/async/abort.ts";

describe("an abort scope", () => {
  it("aborts open sources and those opened later, with the first reason", () => {
    const scope = new AbortScope<string>();
    const early = scope.open();
    scope.abort("one");
    scope.abort("two");
    expect([early, scope.open()].map(({ reason }) => reason)).toEqual(["one", "one"]);
  });

  it("does not abort closed sources, nor those opened after a reset", () => {
    const scope = new AbortScope<string>();
    const sources = [scope.open(), scope.open(), scope.open()];
    scope.close(sources[0] as never);
    scope.close(new AbortScope<string>().open());
    expect(sources.map((source) => scope.isOpen(source))).toEqual([false, true, true]);
    scope.abort("one");
    expect(sources.map(({ aborted }) => aborted)).toEqual([false, true, true]);
    scope.reset();
    expect(scope.open().aborted).toBe(false);
    expect(scope.reason).toBeUndefined();
  });
});

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
