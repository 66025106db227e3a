import { describe, expect, it, vi } from "vitest";
import { EventHub } from "../../src/async/event-hub.ts";

type Told = { readonly type: "a" | "b"; readonly value: number };

function createHub() {
  const onError = vi.fn();
  return { hub: new EventHub<Told>(onError), onError };
}

const eventA: Told = { type: "a", value: 1 };
const eventB: Told = { type: "b", value: 2 };

/** Not a promise, but thenable, as promises of other libraries are. */
class RejectingThenable {
  // biome-ignore lint/suspicious/noThenProperty: that is what it is for.
  then(_resolve: unknown, reject: (error: unknown) => void): void {
    reject("thenable");
  }
}

describe("EventHub", () => {
  it("tells listeners of a type that type, and listeners of everything all, in order", () => {
    const { hub } = createHub();
    const told: string[] = [];
    hub.on("a", ({ value }: Told) => told.push(`a ${value}`));
    hub.on(undefined, ({ value }: Told) => told.push(`all ${value}`));
    hub.on("a", ({ value }: Told) => told.push(`second ${value}`));
    hub.emit(eventA);
    hub.emit(eventB);
    expect(told).toEqual(["a 1", "second 1", "all 1", "all 2"]);
  });

  it("adds the same listener once for a type", () => {
    const { hub } = createHub();
    const listener = vi.fn();
    hub.on("a", listener);
    hub.on("a", listener);
    hub.on("b", listener);
    hub.emit(eventA);
    hub.emit(eventB);
    expect(listener.mock.calls).toEqual([[eventA], [eventB]]);
  });

  it("forgets a listener, by off and by what on returned; doing it again does nothing", () => {
    const { hub } = createHub();
    const [first, second] = [vi.fn(), vi.fn()];
    const unsubscribe = hub.on("a", first);
    hub.on(undefined, second);
    unsubscribe();
    unsubscribe();
    hub.off(undefined, second);
    hub.off(undefined, second);
    hub.off("b", vi.fn());
    hub.emit(eventA);
    expect(first).not.toHaveBeenCalled();
    expect(second).not.toHaveBeenCalled();
    hub.on("a", first);
    hub.emit(eventA);
    expect(first).toHaveBeenCalledOnce();
  });

  it("tells the others when one throws or rejects, and reports both", async () => {
    const { hub, onError } = createHub();
    const last = vi.fn();
    hub.on("a", () => {
      throw "thrown";
    });
    hub.on("a", () => Promise.reject(new Error("rejected")));
    hub.on("a", () => new RejectingThenable());
    hub.on("a", last);
    expect(() => hub.emit(eventA)).not.toThrow();
    await Promise.resolve();
    await Promise.resolve();
    expect(last).toHaveBeenCalledOnce();
    const reported = onError.mock.calls.map(([error, event]) => [
      error instanceof Error ? error.message : error,
      event,
    ]);
    expect(reported).toEqual([
      ["thrown", eventA],
      ["thenable", eventA],
      ["rejected", eventA],
    ]);
  });

  it("survives a report that fails, and a promise whose then throws", () => {
    const hub = new EventHub<Told>(() => {
      throw new Error("nobody left");
    });
    const last = vi.fn();
    hub.on("a", () => {
      throw new Error("first");
    });
    const unreadable = {
      get() {
        throw new Error("getter");
      },
    };
    hub.on("a", () => new Proxy({}, unreadable));
    hub.on("a", last);
    hub.emit(eventA);
    expect(last).toHaveBeenCalledOnce();
  });

  it("survives a report that rejects", async () => {
    const hub = new EventHub<Told>(() => Promise.reject(new Error("nobody left")));
    hub.on("a", () => {
      throw new Error("first");
    });
    hub.emit(eventA);
    // An unhandled rejection would fail the test run.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("an old unsubscription does not end a newer subscription of the same listener", () => {
    const { hub } = createHub();
    const listener = vi.fn();
    const first = hub.on("a", listener);
    first();
    const second = hub.on("a", listener);
    first();
    hub.emit(eventA);
    expect(listener).toHaveBeenCalledOnce();
    second();
    second();
    hub.emit(eventA);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("lets listeners come and go while it tells", () => {
    const { hub } = createHub();
    const told: string[] = [];
    const once = () => {
      told.push("once");
      hub.off("a", once);
      hub.on("a", () => told.push("late"));
    };
    hub.on("a", once);
    hub.on("a", () => told.push("other"));
    hub.emit(eventA);
    expect(told).toEqual(["once", "other"]);
    hub.emit(eventA);
    expect(told).toEqual(["once", "other", "other", "late"]);
  });

  it("takes any text for a type", () => {
    const hub = new EventHub<{ type: string }>(() => {});
    const listener = vi.fn();
    for (const type of ["__proto__", "constructor", "error", ""]) {
      hub.emit({ type });
      hub.on(type, listener);
      hub.emit({ type });
    }
    expect(listener).toHaveBeenCalledTimes(4);
  });
});
