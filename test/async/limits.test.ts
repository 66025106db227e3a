import { getEventListeners } from "node:events";
import fc from "fast-check";
import type { Clock } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { AbortSource, onAbort } from "../../src/async/abort.ts";
import { RateLimit, type RateLimitOptions, Semaphore } from "../../src/async/limits.ts";

const never = new AbortSource();

/** A semaphore whose places are all taken. */
function createFull(limit = 1): Semaphore {
  const semaphore = new Semaphore(limit);
  for (let taken = 0; taken < limit; taken++) expect(semaphore.acquire(never)).toBe(true);
  return semaphore;
}

/** What has become of waiters so far: true, false, or undefined while they wait. */
function watch(waiting: readonly (true | Promise<boolean>)[]): (boolean | undefined)[] {
  const outcomes = waiting.map((): boolean | undefined => undefined);
  for (const [index, turn] of waiting.entries()) {
    void Promise.resolve(turn).then((isTurn) => {
      outcomes[index] = isTurn;
    });
  }
  return outcomes;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("Semaphore", () => {
  it("grants as many places at once as its limit", () => {
    const semaphore = new Semaphore(2);
    expect(semaphore.limit).toBe(2);
    expect(semaphore.acquire(never)).toBe(true);
    expect(semaphore.acquire(never)).toBe(true);
    expect(semaphore.acquire(never)).toBeInstanceOf(Promise);
  });

  it("grants a released place again", () => {
    const semaphore = createFull(2);
    semaphore.release();
    expect(semaphore.acquire(never)).toBe(true);
    expect(semaphore.acquire(never)).toBeInstanceOf(Promise);
  });

  it("grants any number of places if its limit is infinite", () => {
    const semaphore = new Semaphore(Number.POSITIVE_INFINITY);
    for (let index = 0; index < 1_000; index++) expect(semaphore.acquire(never)).toBe(true);
  });

  it("grants places to waiting calls in order", async () => {
    const semaphore = createFull();
    const outcomes = watch([semaphore.acquire(never), semaphore.acquire(never)]);
    await settle();
    expect(outcomes).toEqual([undefined, undefined]);
    semaphore.release();
    await settle();
    expect(outcomes).toEqual([true, undefined]);
    semaphore.release();
    await settle();
    expect(outcomes).toEqual([true, true]);
  });

  it("passes a released place to a waiting call before a later call can take it", async () => {
    const semaphore = createFull();
    const waiting = semaphore.acquire(never);
    semaphore.release();
    const late = watch([semaphore.acquire(never)]);
    expect(await waiting).toBe(true);
    expect(late).toEqual([undefined]);
  });

  it("grants no place to a call whose signal has already aborted", async () => {
    const semaphore = new Semaphore(1);
    const turn = semaphore.acquire(AbortSignal.abort());
    expect(turn).toBeInstanceOf(Promise);
    expect(await turn).toBe(false);
    expect(semaphore.acquire(never)).toBe(true);
  });

  it.each([0, 1, 2])("removes an aborted call from the queue: number %i of 3", async (index) => {
    const semaphore = createFull();
    const sources = [0, 1, 2].map(() => new AbortSource());
    const outcomes = watch(sources.map((source) => semaphore.acquire(source)));
    sources[index]?.abort("stop");
    await settle();
    expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual([false]);
    for (let released = 0; released < 3; released++) semaphore.release();
    await settle();
    expect(outcomes).toEqual([0, 1, 2].map((other) => other !== index));
    expect(semaphore.acquire(never)).toBe(true);
    expect(semaphore.acquire(never)).toBeInstanceOf(Promise);
  });

  it("accepts new waiting calls after all others were aborted", async () => {
    const semaphore = createFull();
    const source = new AbortSource();
    const left = [semaphore.acquire(source), semaphore.acquire(source)];
    source.abort("stop");
    expect(await Promise.all(left)).toEqual([false, false]);
    const next = semaphore.acquire(never);
    semaphore.release();
    expect(await next).toBe(true);
  });

  it("keeps a granted place granted if the signal aborts afterwards", async () => {
    const semaphore = createFull();
    const source = new AbortSource();
    const turn = semaphore.acquire(source);
    semaphore.release();
    source.abort("stop");
    expect(await turn).toBe(true);
    expect(semaphore.acquire(never)).toBeInstanceOf(Promise);
  });

  it("grants a place that the abort itself has freed", async () => {
    const semaphore = createFull();
    const controller = new AbortController();
    onAbort(controller.signal, () => semaphore.release());
    const turn = semaphore.acquire(controller.signal);
    const last = semaphore.acquire(never);
    controller.abort();
    expect(await turn).toBe(true);
    semaphore.release();
    expect(await last).toBe(true);
  });

  it("leaves no listener behind, and uses at most one for each signal", async () => {
    const semaphore = createFull();
    const [leaves, stays] = [new AbortController(), new AbortController()];
    const waiting = [leaves, leaves, stays].map(({ signal }) => semaphore.acquire(signal));
    expect(getEventListeners(leaves.signal, "abort")).toHaveLength(1);
    leaves.abort();
    semaphore.release();
    expect(await Promise.all(waiting)).toEqual([false, false, true]);
    expect(getEventListeners(leaves.signal, "abort")).toHaveLength(0);
    expect(getEventListeners(stays.signal, "abort")).toHaveLength(0);
  });

  it("does not exceed its limit if a place is released too often", () => {
    const semaphore = new Semaphore(1);
    semaphore.release();
    expect(semaphore.acquire(never)).toBe(true);
    expect(semaphore.acquire(never)).toBeInstanceOf(Promise);
  });

  // Were a step of it to take time that grows with the line, this would take minutes.
  it.each(["a signal each", "one signal"])("handles 100 000 waiting calls with %s", async (kind) => {
    const semaphore = createFull();
    const shared = new AbortSource();
    const sources = Array.from({ length: 100_000 }, () => (kind === "one signal" ? shared : new AbortSource()));
    const staying = Array.from({ length: 100_000 }, () => new AbortSource());
    const waiting = sources.flatMap((source, index) => [
      semaphore.acquire(source),
      semaphore.acquire(staying[index] ?? never),
    ]);
    for (const source of sources.toReversed()) source.abort("stop");
    for (const _ of staying) semaphore.release();
    const turns = await Promise.all(waiting);
    expect(turns.every((isTurn, index) => isTurn === (index % 2 === 1))).toBe(true);
  });

  it("never exceeds its limit and keeps the order of waiting calls, under random calls", async () => {
    const operation = fc.oneof(
      { arbitrary: fc.constant({ type: "acquire" } as const), weight: 3 },
      { arbitrary: fc.constant({ type: "release" } as const), weight: 2 },
      { arbitrary: fc.record({ type: fc.constant("abort" as const), caller: fc.nat(30) }), weight: 1 },
    );
    const play = fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(operation), async (limit, operations) => {
      const semaphore = new Semaphore(limit);
      const model = new SemaphoreModel(limit);
      const sources: AbortSource[] = [];
      const turns: (true | Promise<boolean>)[] = [];
      for (const step of operations) {
        if (step.type === "acquire") {
          const source = new AbortSource();
          const turn = semaphore.acquire(source);
          expect(turn === true).toBe(model.acquire());
          sources.push(source);
          turns.push(turn);
        } else if (step.type === "abort") {
          sources[step.caller]?.abort("stop");
          model.abort(step.caller);
        } else if (model.taken > 0) {
          semaphore.release();
          model.release();
        }
        expect(model.taken).toBeLessThanOrEqual(limit);
      }
      const outcomes = watch(turns);
      await settle();
      expect(outcomes).toEqual(model.outcomes);
    });
    await fc.assert(play, { numRuns: 500 });
  });
});

/** What a semaphore should do, as simply as it can be said. */
class SemaphoreModel {
  taken = 0;
  readonly outcomes: (boolean | undefined)[] = [];
  private line: number[] = [];

  constructor(private readonly limit: number) {}

  acquire(): boolean {
    const isFree = this.taken < this.limit;
    if (isFree) this.taken++;
    else this.line.push(this.outcomes.length);
    this.outcomes.push(isFree ? true : undefined);
    return isFree;
  }

  release(): void {
    const next = this.line.shift();
    if (next === undefined) this.taken--;
    else this.outcomes[next] = true;
  }

  abort(caller: number): void {
    if (this.line.includes(caller)) this.outcomes[caller] = false;
    this.line = this.line.filter((other) => other !== caller);
  }
}

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
