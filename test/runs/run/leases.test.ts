import type { RunStore } from "planwright";
import { createFakeTool, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { eventTexts } from "../../scenario/ask-for-approval.ts";
import { planOf } from "../../scenario/plans.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";

const takes = (afterMs: number): FakeOutcome => ({ returns: "done", afterMs });
const plan = planOf("A", "A") as never;

/** As if its process were asleep: nothing is renewed. */
const asleep = (store: RunStore) => withMethods(store, { renew: () => new Promise(() => {}) });

function setUp(outcome: FakeOutcome, isSlow = false) {
  const timeoutMs = Number.POSITIVE_INFINITY;
  return share((clock) => [createFakeTool({ name: "A", outcomes: [outcome], timeoutMs, clock })], { isSlow });
}

const codeOf = (result: Promise<unknown>) =>
  result.then(
    () => "resolved",
    (error: { code: string }) => error.code,
  );

describe.each([
  ["at once", false],
  ["later", true],
])("the claim on a run, with a store that answers %s", (_when, isSlow) => {
  it("lasts as long as the run, and leaves no timer", async () => {
    const { clock, process } = await setUp(takes(5_000), isSlow);
    const [one, other] = [process(), process()];
    const { runId, result } = one.start(plan);
    for (let second = 0; second < 9; second++) {
      await clock.advance(1_000);
      expect(await codeOf(other.resume(runId))).toBe("run-owned-elsewhere");
      expect((await other.listRuns({ resumable: true })).runs).toEqual([]);
    }
    expect(await clock.runUntil(result)).toMatchObject({ status: "completed" });
    expect(clock.pendingTimers).toBe(0);
  });

  it("expires if its process does not renew it, and not before", async () => {
    const { clock, process, store } = await setUp({ hangs: "forever" }, isSlow);
    const dead = process({}, asleep);
    const { runId } = dead.start(plan);
    await clock.advance(899);
    const other = process({ tools: [createFakeTool({ name: "A" })] });
    expect(await codeOf(other.resume(runId))).toBe("run-owned-elsewhere");
    expect((await other.listRuns({ resumable: true })).runs).toEqual([]);
    await clock.advance(1);
    expect((await other.listRuns({ resumable: true })).runs).toMatchObject([{ runId }]);
    const resumed = other.resume(runId);
    await clock.advance(0);
    expect(await resumed).toMatchObject({ status: "completed" });
    expect(eventTexts(await store.read(runId)).slice(2)).toEqual([
      ...["run-resume", "step-end s1", "step-start s1", "step-end s1", "step-start s2", "step-end s2", "run-end"],
    ]);
  });

  it("stops a slow process from writing once it is lost: its result is that another process owns it", async () => {
    const { clock, process, store } = await setUp(takes(2_000), isSlow);
    const slow = process({}, asleep);
    const types: string[] = [];
    slow.subscribe(({ type }) => types.push(type));
    const { runId, result } = slow.start(plan);
    await clock.advance(900);
    const other = process({ tools: [createFakeTool({ name: "A" })] });
    const resumed = other.resume(runId);
    await clock.advance(0);
    const end = await resumed;
    const recorded = await store.read(runId);
    await clock.advance(2_000);
    expect(await result).toMatchObject({
      status: "failed",
      error: { code: "run-owned-elsewhere", details: { runId } },
    });
    expect(await store.read(runId)).toEqual(recorded);
    expect(await other.getRun(runId)).toMatchObject({ status: end.status });
    // Listeners in the slow process receive an end, too.
    expect(types).toEqual(["run-start", "step-start", "step-end", "step-skip", "run-end"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("is asked for before a tool is called, as the process may have slept while the start was recorded", async () => {
    const { clock, process } = await setUp(takes(0), isSlow);
    const unused = createFakeTool({ name: "A" });
    let wakeUp = () => {};
    const woken = new Promise<void>((resolve) => {
      wakeUp = resolve;
    });
    const slept = process({ tools: [unused] }, (store) =>
      withMethods(store, {
        append: async (...args) => {
          const answer = await store.append(...args);
          if (args[1].some(({ type }) => type === "step-start")) await woken;
          return answer;
        },
        renew: async (...args) => {
          await woken;
          return store.renew(...args);
        },
      }),
    );
    const { runId, result } = slept.start(plan);
    await clock.advance(900);
    const other = process({ tools: [createFakeTool({ name: "A" })] });
    const resumed = other.resume(runId);
    await clock.advance(0);
    expect(await resumed).toMatchObject({ status: "completed" });
    wakeUp();
    expect(await clock.runUntil(result)).toMatchObject({ error: { code: "run-owned-elsewhere" } });
    expect(unused.calls).toEqual([]);
  });

  it("is found to be lost when it is renewed, and running steps are aborted at once", async () => {
    const { clock, process } = await setUp({ hangs: "until-aborted" }, isSlow);
    let isAwake = false;
    const slow = process({}, (store) =>
      withMethods(store, { renew: (...args) => (isAwake ? store.renew(...args) : {}) }),
    );
    const { runId, result } = slow.start(plan);
    await clock.advance(900);
    const other = process({ tools: [createFakeTool({ name: "A" })] });
    const resumed = other.resume(runId);
    await clock.advance(0);
    await resumed;
    isAwake = true;
    await clock.advance(300);
    expect(await result).toMatchObject({ status: "failed", error: { code: "run-owned-elsewhere" } });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("renewing claims", () => {
  it("happens three times per claim, for all runs by one timer", async () => {
    const { clock, process } = await setUp({ hangs: "until-aborted" });
    const renewed: string[] = [];
    const agent = process({}, (store) =>
      withMethods(store, {
        renew: (runId, options) => {
          renewed.push(`${runId} ${options.ttlMs}`);
          return store.renew(runId, options);
        },
      }),
    );
    const handles = [agent.start(plan), agent.start(plan)];
    await clock.advance(299);
    expect(renewed).toEqual([]);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(601);
    expect(renewed).toEqual([1, 2, 3].flatMap(() => handles.map(({ runId }) => `${runId} 900`)));
    for (const { cancel, result } of handles) {
      cancel();
      await clock.runUntil(result);
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not keep a process alive that has nothing else to do", async () => {
    const { clock, process } = await setUp({ hangs: "forever" });
    const timers = new Set<object>();
    const setTimeout: typeof clock.setTimeout = (callback, delayMs) => {
      const timer = { inner: clock.setTimeout(callback, delayMs), unref: () => timers.delete(timer) };
      timers.add(timer);
      return timer;
    };
    const clearTimeout = (timer: unknown) => {
      timers.delete(timer as object);
      clock.clearTimeout((timer as { inner: unknown }).inner);
    };
    process({ clock: { now: () => clock.now(), setTimeout, clearTimeout } }).start(plan);
    await clock.advance(2_000);
    expect(clock.pendingTimers).toBe(1);
    expect(timers.size).toBe(0);
  });

  it("loses nothing if it fails for a while", async () => {
    const { clock, process } = await setUp(takes(2_000));
    let attempts = 0;
    const agent = process({}, (store) =>
      withMethods(store, {
        renew: (...args) => {
          if (++attempts % 2 === 1) throw new Error("busy");
          return store.renew(...args);
        },
      }),
    );
    const { runId, result } = agent.start(plan);
    await clock.advance(1_500);
    expect(await codeOf(process().resume(runId))).toBe("run-owned-elsewhere");
    expect(await clock.runUntil(result)).toMatchObject({ status: "completed" });
  });

  it("does not wait for another run's renewal", async () => {
    const { clock, process } = await setUp(takes(3_000));
    const stuck = new Set<string>();
    const agent = process({}, (store) =>
      withMethods(store, {
        renew: (runId, options) => (stuck.has(runId) ? new Promise(() => {}) : store.renew(runId, options)),
      }),
    );
    stuck.add(agent.start(plan).runId);
    const { runId } = agent.start(plan);
    await clock.advance(2_500);
    expect(await codeOf(process().resume(runId))).toBe("run-owned-elsewhere");
  });

  it("leaves no second timer when runs end and start while the store answers", async () => {
    const { clock, process } = await setUp({ hangs: "until-aborted" });
    const answers: ((said: object) => void)[] = [];
    const agent = process({}, (store) =>
      withMethods(store, { renew: () => new Promise((resolve) => answers.push(resolve)) }),
    );
    const first = agent.start(plan);
    await clock.advance(300);
    first.cancel();
    await clock.advance(0);
    await first.result;
    const second = agent.start(plan);
    await clock.advance(0);
    for (const answer of answers) answer({});
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(1);
    second.cancel();
    await clock.advance(0);
    await second.result;
    expect(clock.pendingTimers).toBe(0);
  });

  it("only checks a lease that never expires if the store ends with the process", async () => {
    const { clock, process } = await setUp({ hangs: "until-aborted" });
    const claims: number[] = [];
    const agent = process({}, (store) =>
      withMethods(store, {
        isVolatile: true,
        claim: (runId, options) => {
          claims.push(options.ttlMs);
          return store.claim(runId, options);
        },
      }),
    );
    const { cancel, result } = agent.start(plan);
    await clock.advance(0);
    expect([clock.pendingTimers, claims]).toEqual([1, [Number.POSITIVE_INFINITY]]);
    cancel();
    await clock.runUntil(result);
  });
});

describe("a lease that cannot be obtained", () => {
  it("fails the run with the store's error, and failing to give the lease up does not matter", async () => {
    const { clock, process } = await setUp(takes(1));
    const throwing = () => {
      throw new Error("no disk");
    };
    const unable = process({}, (store) => withMethods(store, { claim: throwing }));
    expect(await clock.runUntil(unable.start(plan).result)).toMatchObject({
      status: "failed",
      error: { code: "store-failed", details: { operation: "claim", reason: "no disk" } },
    });
    for (const release of [throwing, () => Promise.reject(new Error("no disk"))]) {
      const keeping = process({}, (store) => withMethods(store, { release }));
      expect(await clock.runUntil(keeping.start(plan).result)).toMatchObject({ status: "completed" });
    }
    expect(clock.pendingTimers).toBe(0);
  });
});

it("asks for messages at once when the store says that some were posted, and no more once it is closed", async () => {
  const { clock, process, store } = await setUp({ hangs: "forever" });
  const listeners = new Set<(runId?: string) => void>();
  const watchPosted = (listener: (runId?: string) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const agent = process({}, (shared) => withMethods(shared, { watchPosted }));
  const [first, second] = [agent.start(plan), agent.start(plan)];
  await clock.advance(0);
  for (const { runId } of [first, second]) store.post(runId, { type: "cancel", reason: "enough" });
  for (const told of [first.runId, undefined]) for (const listener of listeners) listener(told);
  expect(listeners.size).toBe(1);
  for (const { result } of [first, second]) expect(await clock.runUntil(result)).toMatchObject({ status: "cancelled" });
  await clock.runUntil(agent.close());
  expect(listeners.size).toBe(0);
});
