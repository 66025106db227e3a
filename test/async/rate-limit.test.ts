import { getEventListeners } from "node:events";
import fc from "fast-check";
import type { Clock } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { AbortSource } from "../../src/async/abort.ts";
import { RateLimit, type RateLimitOptions } from "../../src/async/limits.ts";

const never = new AbortSource();

function create(limit: number, intervalMs = 1_000) {
  const clock = createManualClock({ nowMs: 0 });
  return { clock, rate: new RateLimit({ limit, intervalMs }, clock) };
}

/** Asks for starts one after the other, and tells when each was given, or `false`. */
function ask(rate: RateLimit, clock: Clock, signals: readonly (AbortSource | AbortSignal)[]) {
  const starts: (number | false | undefined)[] = signals.map(() => undefined);
  for (const [index, signal] of signals.entries()) {
    const start = rate.acquire(signal);
    if (start === true) starts[index] = clock.now();
    else
      void start.then((isStart) => {
        starts[index] = isStart && clock.now();
      });
  }
  return starts;
}

const times = <T>(count: number, create: () => T) => Array.from({ length: count }, create);

describe("RateLimit", () => {
  it("allows as many starts at once as its limit", () => {
    const { rate, clock } = create(3);
    expect(times(3, () => rate.acquire(never))).toEqual([true, true, true]);
    expect(clock.pendingTimers).toBe(0);
    expect(rate.acquire(never)).toBeInstanceOf(Promise);
  });

  it("makes other calls wait until the oldest start has left the window", async () => {
    const { rate, clock } = create(2);
    const starts = ask(
      rate,
      clock,
      times(5, () => never),
    );
    await clock.advance(999);
    expect(starts).toEqual([0, 0, undefined, undefined, undefined]);
    await clock.advance(10_000);
    expect(starts).toEqual([0, 0, 1_000, 1_000, 2_000]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("slides its window: no more than its limit start around the border of an interval", async () => {
    const { rate, clock } = create(2);
    expect(rate.acquire(never)).toBe(true);
    await clock.advance(900);
    const starts = ask(
      rate,
      clock,
      times(4, () => never),
    );
    await clock.advance(10_000);
    expect(starts).toEqual([900, 1_000, 1_900, 2_000]);
  });

  it("allows a start at once after a pause", async () => {
    const { rate, clock } = create(1);
    expect(rate.acquire(never)).toBe(true);
    await clock.advance(1_000);
    expect(rate.acquire(never)).toBe(true);
    await clock.advance(999);
    expect(rate.acquire(never)).toBeInstanceOf(Promise);
  });

  it("never lets a later call start first", async () => {
    const { rate, clock } = create(1);
    rate.acquire(never);
    const order: string[] = [];
    const first = rate.acquire(never);
    const wait = async (name: string, start: true | Promise<boolean>) => {
      if (await start) order.push(name);
    };
    const waiting = [wait("first", first)];
    clock.setTimeout(() => waiting.push(wait("second", rate.acquire(never))), 1_000);
    await clock.advance(5_000);
    await Promise.all(waiting);
    expect(order).toEqual(["first", "second"]);
  });

  it("uses one timer for any number of waiting calls", async () => {
    const { rate, clock } = create(1);
    const starts = ask(
      rate,
      clock,
      times(100, () => never),
    );
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(99_000);
    expect(starts).toEqual(Array.from({ length: 100 }, (_, index) => index * 1_000));
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not count a call whose signal has already aborted", async () => {
    const { rate } = create(1);
    expect(await rate.acquire(AbortSignal.abort())).toBe(false);
    expect(rate.acquire(never)).toBe(true);
  });

  it.each([1, 2, 3])("loses no start when a waiting call is aborted: number %i of 3", async (index) => {
    const { rate, clock } = create(1);
    const sources = times(4, () => new AbortSource());
    const starts = ask(rate, clock, sources);
    await clock.advance(500);
    sources[index]?.abort("stop");
    await clock.advance(0);
    expect(starts).toEqual([0, 1, 2, 3].map((other) => (other === 0 ? 0 : other === index ? false : undefined)));
    await clock.advance(10_000);
    expect(starts.filter((start) => start !== false)).toEqual([0, 1_000, 2_000]);
  });

  it("leaves no timer and no listener behind after an abort", async () => {
    const { rate, clock } = create(1);
    rate.acquire(never);
    const controller = new AbortController();
    const waiting = times(3, () => rate.acquire(controller.signal));
    expect(getEventListeners(controller.signal, "abort").length).toBeGreaterThan(0);
    controller.abort();
    expect(await Promise.all(waiting)).toEqual([false, false, false]);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    await clock.advance(1_000);
    expect(rate.acquire(never)).toBe(true);
  });

  it("gives the start to the next call if the first is aborted as its timer fires", async () => {
    const manual = createManualClock({ nowMs: 0 });
    const source = new AbortSource();
    const clock: Clock = {
      ...manual,
      setTimeout: (callback, delayMs) =>
        manual.setTimeout(() => {
          callback();
          source.abort("stop");
        }, delayMs),
    };
    const starts = ask(new RateLimit({ limit: 1, intervalMs: 1_000 }, clock), clock, [never, source, never]);
    await manual.advance(1_000);
    expect(starts).toEqual([0, false, 1_000]);
    expect(manual.pendingTimers).toBe(0);
  });

  it("waits again if a timer fires early", async () => {
    const manual = createManualClock({ nowMs: 0 });
    const clock: Clock = { ...manual, setTimeout: (callback, delayMs) => manual.setTimeout(callback, delayMs * 0.75) };
    const starts = ask(new RateLimit({ limit: 1, intervalMs: 1_024 }, clock), clock, [never, never]);
    await manual.advance(1_023);
    expect(starts).toEqual([0, undefined]);
    await manual.advance(100);
    expect(starts[1]).toBeGreaterThanOrEqual(1_024);
  });

  it("never waits longer than the interval, nor allows more starts, if the clock is set back", async () => {
    const manual = createManualClock({ nowMs: 0 });
    let offsetMs = 0;
    const clock: Clock = { ...manual, now: () => manual.now() + offsetMs };
    const rate = new RateLimit({ limit: 2, intervalMs: 1_000 }, clock);
    rate.acquire(never);
    await manual.advance(600);
    rate.acquire(never);
    offsetMs = -3_600_000;
    const starts = ask(rate, manual, [never, never, never]);
    await manual.advance(10_000);
    expect(starts).toEqual([1_000, 1_600, 2_000]);
  });

  it("handles 30 000 waiting calls", async () => {
    const { rate, clock } = create(10_000);
    const leaves = new AbortSource();
    const starts = ask(
      rate,
      clock,
      Array.from({ length: 40_000 }, (_, index) => (index % 2 === 0 ? never : leaves)),
    );
    leaves.abort("stop");
    await clock.advance(1_000);
    expect(starts.filter((start) => start === 0)).toHaveLength(10_000);
    expect(starts.filter((start) => start === 1_000)).toHaveLength(10_000);
    await clock.advance(1_000);
    expect(starts.filter((start) => start === false)).toHaveLength(15_000);
    expect(starts.filter((start) => start === 2_000)).toHaveLength(5_000);
  });

  it("allows each start in order and as early as its window permits, under random calls", async () => {
    const operation = fc.oneof(
      fc.constant({ type: "acquire" } as const),
      fc.record({ type: fc.constant("abort" as const), caller: fc.nat(20) }),
      fc.record({ type: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 300 }) }),
    );
    const limits = fc.record({ limit: fc.integer({ min: 1, max: 4 }), intervalMs: fc.integer({ min: 1, max: 400 }) });
    const play = fc.asyncProperty(limits, fc.array(operation, { maxLength: 40 }), async (options, operations) => {
      const clock = createManualClock({ nowMs: 0 });
      const rate = new RateLimit(options, clock);
      const model = new RateModel(options);
      const sources: AbortSource[] = [];
      const starts: (() => number | false | undefined)[] = [];
      for (const step of operations) {
        if (step.type === "acquire") {
          const source = new AbortSource();
          const asked = ask(rate, clock, [source]);
          sources.push(source);
          starts.push(() => asked[0]);
          model.acquire(clock.now());
        } else if (step.type === "abort") {
          sources[step.caller]?.abort("stop");
          model.abort(step.caller);
        }
        await clock.advance(step.type === "advance" ? step.ms : 0);
        model.give(clock.now());
        expect(starts.map((start) => start())).toEqual(model.outcomes);
        expect(clock.pendingTimers).toBe(model.line.length > 0 ? 1 : 0);
      }
      expect(model.closestMs).toBeGreaterThanOrEqual(options.intervalMs);
    });
    await fc.assert(play, { numRuns: 200 });
  });
});

/** What a rate limit should do, as simply as it can be said. */
class RateModel {
  readonly outcomes: (number | false | undefined)[] = [];
  line: { readonly caller: number; readonly arrivedMs: number }[] = [];
  private readonly startsMs: number[] = [];

  constructor(private readonly options: RateLimitOptions) {}

  acquire(nowMs: number): void {
    this.line.push({ caller: this.outcomes.length, arrivedMs: nowMs });
    this.outcomes.push(undefined);
  }

  abort(caller: number): void {
    if (this.line.some((other) => other.caller === caller)) this.outcomes[caller] = false;
    this.line = this.line.filter((other) => other.caller !== caller);
  }

  /** Gives the starts that were free until now. */
  give(nowMs: number): void {
    for (let [first] = this.line; first !== undefined; [first] = this.line) {
      const oldestMs = this.startsMs.at(-this.options.limit);
      const isFull = this.startsMs.length >= this.options.limit && oldestMs !== undefined;
      const startMs = Math.max(first.arrivedMs, isFull ? oldestMs + this.options.intervalMs : 0);
      if (startMs > nowMs) return;
      this.outcomes[first.caller] = startMs;
      this.startsMs.push(startMs);
      this.line.shift();
    }
  }

  /** The shortest time in which there was one start more than the limit. */
  get closestMs(): number {
    const { limit } = this.options;
    return Math.min(...this.startsMs.slice(limit).map((startMs, index) => startMs - (this.startsMs[index] ?? 0)));
  }
}
