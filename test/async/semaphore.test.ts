import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AbortSource, onAbort } from "../../src/async/abort.ts";
import { Semaphore } from "../../src/async/limits.ts";

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
