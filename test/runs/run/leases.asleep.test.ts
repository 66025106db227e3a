import type { Clock, RunStore, Tool } from "planwright";
import { createFakeTool, type FakeOutcome, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../../scenario/plans.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";

/** The clock of a process that can sleep: time passes, and timers that come due fire when it wakes up. */
function sleepable(clock: ManualClock): Clock & { sleep(): void; wake(): Promise<void> } {
  let missed: (() => void)[] | undefined;
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimeout: (callback, delayMs) =>
      clock.setTimeout(() => (missed === undefined ? callback() : missed.push(callback)), delayMs),
    clearTimeout: (timer) => clock.clearTimeout(timer),
    sleep: () => {
      missed = [];
    },
    wake: async () => {
      const due = missed ?? [];
      missed = undefined;
      for (const callback of due) {
        callback();
        // As between the timers of a process, the effects of this one come before the next.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

const busy: FakeOutcome = { throws: Object.assign(new Error("busy"), { retryable: true }) };
const broken: FakeOutcome = { throws: { retryable: false } };
const retry = { maxAttempts: 3, minDelayMs: 200, factor: 1 };

/** Where a process is when it falls asleep: its tools, and those of the process that takes its run over. */
const waits: Record<
  string,
  {
    readonly own: (clock: ManualClock) => readonly Tool[];
    readonly next: () => readonly Tool[];
    readonly plan: unknown;
    readonly options?: object;
    /** The tool that must not be called again, and how many calls it had before. */
    readonly watched: { readonly index: number; readonly calls: number };
  }
> = {
  "the pause before a retry": {
    own: (clock) => [createFakeTool({ name: "A", outcomes: [busy], retry, clock })],
    next: () => [createFakeTool({ name: "A", outcomes: [{ returns: 1 }] })],
    plan: planOf("A"),
    watched: { index: 0, calls: 1 },
  },
  "the pause before a retry of a tool with limits": {
    own: (clock) => [
      { ...createFakeTool({ name: "A", outcomes: [busy], retry, clock }), concurrency: 1 } as unknown as Tool,
    ],
    next: () => [createFakeTool({ name: "A", outcomes: [{ returns: 1 }] })],
    plan: planOf("A"),
    watched: { index: 0, calls: 1 },
  },
  "the queue of a rate limit": {
    own: (clock) => [
      {
        ...createFakeTool({ name: "A", outcomes: [{ returns: 1 }], clock }),
        rateLimit: { limit: 1, intervalMs: 250 },
      } as unknown as Tool,
    ],
    next: () => [createFakeTool({ name: "A", outcomes: [{ returns: 1 }] })],
    plan: planOf("A", "A"),
    watched: { index: 0, calls: 1 },
  },
  "the pause before an undo is tried again": {
    own: (clock) => {
      const undone = createFakeTool({ name: "Undo", outcomes: [busy], clock });
      const undoable = { ...createFakeTool({ name: "A", retry, clock }), undo: undone.execute } as unknown as Tool;
      return [undoable, createFakeTool({ name: "B", outcomes: [broken] }), undone];
    },
    next: () => [
      { ...createFakeTool({ name: "A" }), undo: async () => {} } as unknown as Tool,
      createFakeTool({ name: "B", outcomes: [broken] }),
      createFakeTool({ name: "Undo" }),
    ],
    plan: planOf("A", "B"),
    options: { undoOnFailure: true },
    watched: { index: 2, calls: 1 },
  },
};

const callsOf = (tool: Tool | undefined) => (tool as { calls?: readonly unknown[] }).calls?.length;

async function setUp(name: string) {
  const wait = waits[name];
  if (wait === undefined) throw new Error(`There is no wait "${name}".`);
  const shared = await share(wait.own);
  const clock = sleepable(shared.clock);
  const tools = wait.own(shared.clock);
  const start = (reach?: (store: RunStore) => RunStore) => {
    const agent = shared.process({ tools: tools as never, clock, random: () => 1 }, reach);
    return agent.start(wait.plan as never, wait.options);
  };
  const other = () => shared.process({ tools: wait.next() as never });
  const calls = () => callsOf(tools[wait.watched.index]);
  return { ...shared, wait, clock, manual: shared.clock, start, other, calls };
}

describe.each(Object.keys(waits))("a process that sleeps in %s", (name) => {
  it("does not call the tool when it wakes up, if another process has taken the run over", async () => {
    const { manual, clock, start, other, calls, wait, store } = await setUp(name);
    const { runId, result } = start();
    await manual.advance(100);
    expect(calls()).toBe(wait.watched.calls);
    clock.sleep();
    await manual.advance(1_000);
    const taken = await manual.runUntil(other().resume(runId));
    const recorded = await store.read(runId);
    await clock.wake();
    expect(await manual.runUntil(result)).toMatchObject({ error: { code: "run-owned-elsewhere" } });
    expect(calls()).toBe(wait.watched.calls);
    expect(await store.read(runId)).toEqual(recorded);
    expect(taken.runId).toBe(runId);
  });

  it("calls the tool if nobody has, once the store has confirmed that", async () => {
    const { manual, clock, start, calls, wait } = await setUp(name);
    const { result } = start();
    await manual.advance(100);
    clock.sleep();
    await manual.advance(1_000);
    await clock.wake();
    await manual.runUntil(result);
    expect(calls()).toBeGreaterThan(wait.watched.calls);
  });
});

describe("a store that is asked whether the lease is still held", () => {
  const name = "the pause before a retry";

  it.each([
    ["throws", () => Promise.reject(new Error("gone")), "store-failed"],
    ["does not answer", () => new Promise<never>(() => {}), "store-failed"],
  ])("and %s counts as a no", async (_what, renew, code) => {
    const { manual, clock, start, calls } = await setUp(name);
    const { result } = start((store) => withMethods(store, { renew }));
    await manual.advance(100);
    clock.sleep();
    await manual.advance(500);
    await clock.wake();
    expect(await manual.runUntil(result)).toMatchObject({ status: "failed", error: { code } });
    expect(calls()).toBe(1);
  });

  /** Starts a run whose store counts how often it is asked. */
  async function startCounted() {
    const around = await setUp(name);
    let asked = 0;
    const { result } = around.start((store) =>
      withMethods(store, {
        renew: (...args) => {
          asked++;
          return store.renew(...args);
        },
      }),
    );
    return { ...around, result, asked: () => asked };
  }

  it("is not asked if it has confirmed that recently", async () => {
    const { manual, calls, result, asked } = await startCounted();
    await manual.advance(250);
    expect(calls()).toBe(2);
    expect(asked()).toBe(0);
    await manual.runUntil(result);
  });

  it.each([
    ["back", -3_600_000],
    ["forward", 3_600_000],
  ])("is asked if the wall clock was set %s, as nobody knows how much time has passed", async (_to, byMs) => {
    const { manual, calls, result, asked } = await startCounted();
    await manual.advance(100);
    manual.setNow(manual.now() + byMs);
    await manual.advance(150);
    expect(asked()).toBe(1);
    expect(calls()).toBe(2);
    await manual.runUntil(result);
  });
});
