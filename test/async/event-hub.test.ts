import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { EventHub } from "../../src/async/event-hub.ts";

type TestEvent = { readonly type: "a" | "b"; readonly value: number };

function createHub() {
  const onError = vi.fn();
  return { hub: new EventHub<TestEvent>(onError), onError };
}

const eventA: TestEvent = { type: "a", value: 1 };
const eventB: TestEvent = { type: "b", value: 2 };

/** Not a promise, but thenable, as promises of other libraries are. */
class RejectingThenable {
  // biome-ignore lint/suspicious/noThenProperty: that is what it is for.
  then(_resolve: unknown, reject: (error: unknown) => void): void {
    reject("thenable");
  }
}

/** Who listens to one type, and who was told. */
class PlainList {
  listeners: { readonly id: number; readonly isOnce: boolean }[] = [];
  readonly called: number[] = [];

  on(id: number): void {
    if (this.listeners.some((one) => one.id === id && !one.isOnce)) return;
    this.off(id);
    this.listeners.push({ id, isOnce: false });
  }

  once(id: number): void {
    if (!this.listeners.some((one) => one.id === id)) this.listeners.push({ id, isOnce: true });
  }

  off(id: number): void {
    this.listeners = this.listeners.filter((one) => one.id !== id);
  }

  stop(id: number): void {
    this.off(id);
  }

  clear(): void {
    this.listeners = [];
  }

  emit(): void {
    this.called.push(...this.listeners.map(({ id }) => id));
    this.listeners = this.listeners.filter(({ isOnce }) => !isOnce);
  }
}

describe("EventHub", () => {
  it("calls listeners of a type with that type, and subscribers with all events, in order", () => {
    const { hub } = createHub();
    const called: string[] = [];
    hub.on("a", ({ value }: TestEvent) => called.push(`a ${value}`));
    hub.subscribe(({ value }: TestEvent) => called.push(`all ${value}`));
    hub.on("a", ({ value }: TestEvent) => called.push(`second ${value}`));
    hub.emit(eventA);
    hub.emit(eventB);
    expect(called).toEqual(["a 1", "second 1", "all 1", "all 2"]);
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

  it("removes a listener by off and by the returned function, and ignores a second removal", () => {
    const { hub } = createHub();
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
    const unsubscribe = hub.on("a", first);
    const unsubscribeSecond = hub.subscribe(second);
    hub.on("a", third);
    unsubscribe();
    unsubscribe();
    unsubscribeSecond();
    hub.off("a", third);
    hub.off("a", third);
    hub.off("b", vi.fn());
    hub.emit(eventA);
    for (const listener of [first, second, third]) expect(listener).not.toHaveBeenCalled();
    hub.on("a", first);
    hub.emit(eventA);
    expect(first).toHaveBeenCalledOnce();
  });

  it("calls the other listeners if one throws or rejects, and reports both errors", async () => {
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

  it("survives an error handler that throws, and a thenable that throws", () => {
    const hub = new EventHub<TestEvent>(() => {
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

  it("survives an error handler that rejects", async () => {
    const hub = new EventHub<TestEvent>(() => Promise.reject(new Error("nobody left")));
    hub.on("a", () => {
      throw new Error("first");
    });
    hub.emit(eventA);
    // An unhandled rejection would fail the test run.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("keeps a listener that was added again when its old unsubscribe function is called", () => {
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

  it("lets listeners be added and removed while it emits", () => {
    const { hub } = createHub();
    const called: string[] = [];
    const once = () => {
      called.push("once");
      hub.off("a", once);
      hub.on("a", () => called.push("late"));
    };
    hub.on("a", once);
    hub.on("a", () => called.push("other"));
    hub.emit(eventA);
    expect(called).toEqual(["once", "other"]);
    hub.emit(eventA);
    expect(called).toEqual(["once", "other", "other", "late"]);
  });

  it("still calls a listener that an earlier listener has removed", () => {
    for (const add of ["on", "once"] as const) {
      const { hub } = createHub();
      const later = vi.fn();
      hub.on("a", () => hub.removeAllListeners());
      hub[add]("a", later);
      hub.emit(eventA);
      hub.emit(eventA);
      expect(later).toHaveBeenCalledOnce();
    }
  });

  it("calls a once listener only once, even if an earlier listener emits the same type", () => {
    const { hub, onError } = createHub();
    let depth = 0;
    hub.on("a", () => {
      if (depth++ < 3) hub.emit(eventA);
    });
    const once = vi.fn(() => {
      throw "thrown";
    });
    hub.once("a", once);
    hub.emit(eventA);
    expect(once).toHaveBeenCalledOnce();
    expect(onError).toHaveBeenCalledOnce();
    expect(hub.listenerCount("a")).toBe(1);
  });

  it("removes a once listener by off and by the returned function", () => {
    const { hub } = createHub();
    const [first, second] = [vi.fn(), vi.fn()];
    hub.once("a", first)();
    hub.once("a", second);
    hub.off("a", second);
    hub.emit(eventA);
    expect([first, second].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it("keeps a listener that was added with once and with on", () => {
    const { hub } = createHub();
    const listener = vi.fn();
    const endOnce = hub.once("a", listener);
    const end = hub.on("a", listener);
    hub.once("a", listener);
    endOnce();
    hub.emit(eventA);
    hub.emit(eventA);
    expect(listener).toHaveBeenCalledTimes(2);
    end();
    hub.emit(eventA);
    expect(listener).toHaveBeenCalledTimes(2);
  });

  it("counts and removes the listeners of a type, but not the subscribers", () => {
    const { hub } = createHub();
    const [a, b, all] = [vi.fn(), vi.fn(), vi.fn()];
    const endA = hub.on("a", a);
    hub.on("b", b);
    hub.once("b", vi.fn());
    hub.subscribe(all);
    const count = () => [hub.listenerCount("a"), hub.listenerCount("b")];
    expect(count()).toEqual([1, 2]);
    hub.removeAllListeners("b");
    expect(count()).toEqual([1, 0]);
    hub.emit(eventA);
    hub.on("b", b);
    hub.removeAllListeners();
    expect(count()).toEqual([0, 0]);
    hub.emit(eventA);
    hub.emit(eventB);
    expect([a, b, all].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 3]);
    // Somebody who was removed may come again, and an old subscription does not end that.
    hub.on("a", a);
    endA();
    hub.emit(eventA);
    expect(a).toHaveBeenCalledTimes(2);
  });

  it("calls the same listeners, in the same order, as a plain list", () => {
    const names = fc.constantFrom("on", "once", "off", "stop", "clear", "emit");
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.nat(3)), { maxLength: 30 }), (actions) => {
        const { hub } = createHub();
        const called: number[] = [];
        const list = new PlainList();
        const listeners = [0, 1, 2, 3].map((id) => () => void called.push(id));
        const stops = new Map<number, () => void>();
        const ofHub = {
          on: (id: number) => stops.set(id, hub.on("a", listeners[id] as () => void)),
          once: (id: number) => stops.set(id, hub.once("a", listeners[id] as () => void)),
          off: (id: number) => hub.off("a", listeners[id] as () => void),
          stop: (id: number) => stops.get(id)?.(),
          clear: (id: number) => hub.removeAllListeners(id === 0 ? undefined : "a"),
          emit: () => hub.emit(eventA),
        };
        for (const [name, id] of actions) {
          ofHub[name](id);
          list[name](id);
          expect(hub.listenerCount("a")).toBe(list.listeners.length);
        }
        expect(called).toEqual(list.called);
      }),
    );
  });

  it("accepts any string as a type", () => {
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
