import fc from "fast-check";
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type RunStore,
} from "planwright";
import { createFakeTool, createManualClock, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { isTransient } from "../../../src/core/events.ts";
import type { EventsOptions } from "../../../src/runs/run/run-options.ts";
import { approvalOf, askingTool, eventTexts } from "../../scenario/ask-for-approval.ts";
import { planOf } from "../../scenario/plans.ts";
import { withMethods } from "../../scenario/two-processes.ts";

interface Setup {
  readonly clock: ManualClock;
  readonly store: RunStore;
  /** How many times the store was read. */
  readonly reads: { count: number };
  /** Another agent, as in another process. */
  agent(options?: Partial<AgentOptions>): Agent;
}

function setUp(): Setup {
  const clock = createManualClock();
  const memory = createMemoryRunStore();
  const reads = { count: 0 };
  const read: RunStore["read"] = async (...args) => {
    reads.count++;
    return JSON.parse(JSON.stringify(await memory.read(...args)));
  };
  const store = withMethods(memory, { read });
  let ids = 0;
  const agent = (options: Partial<AgentOptions> = {}) => {
    const createId = () => `${++ids}`;
    const tools = [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock }), askingTool("B")];
    return createAgent({ tools, store, clock, createId, random: () => 1, ...options });
  };
  return { clock, store, reads, agent };
}

/** Reads to the end. */
async function readAll(agent: Agent, runId: string, options?: EventsOptions): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.events(runId, options)) events.push(event);
  return events;
}

/** A tool that reports progress that many times. */
const chatty = (count: number) =>
  defineTool({
    name: "Chat",
    description: "Talks",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: (_input, { progress }) => {
      for (let index = 0; index < count; index++) progress(index);
    },
  });

describe("the events of a run by its id", () => {
  it("come from the store, in pages, if it has ended", async () => {
    const { agent, store, reads } = setUp();
    const writer = agent({ tools: [createFakeTool({ name: "A" })] });
    const { runId } = await writer.execute(planOf(...Array.from({ length: 120 }, () => "A")));
    reads.count = 0;
    const events = await readAll(agent(), runId);
    expect(events).toEqual(await store.read(runId));
    expect(events.every((event) => Object.isFrozen(event))).toBe(true);
    expect(reads.count).toBe(4);
  });

  it("can start after a given sequence number", async () => {
    const { agent, clock, store } = setUp();
    const { runId } = await clock.runUntil(agent().execute(planOf("A")));
    const all = await store.read(runId);
    for (let after = 0; after <= all.length + 1; after++) {
      expect(await readAll(agent(), runId, { after })).toEqual(all.slice(after));
    }
  });

  it("are read again from the beginning by each loop", async () => {
    const { agent, clock } = setUp();
    const { runId } = await clock.runUntil(agent().execute(planOf("A")));
    const events = agent().events(runId);
    const types: string[] = [];
    for (const _time of [1, 2]) for await (const { type } of events) types.push(type);
    expect(types).toHaveLength(8);
  });

  it("equal those of the handle, from before the run has started, and the store is read only once", async () => {
    const { agent, clock, reads } = setUp();
    const one = agent({ tools: [chatty(2)] });
    const handle = one.start(planOf("Chat"));
    const events = await clock.runUntil(readAll(one, handle.runId));
    const types: AgentEvent[] = [];
    for await (const event of handle.events) types.push(event);
    expect(events).toEqual(types);
    expect(events.filter(isTransient)).toHaveLength(2);
    expect(reads.count).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("are polled by the clock if it is running elsewhere", async () => {
    const { agent, clock, store } = setUp();
    const handle = agent().start(planOf("A", "A"));
    await clock.advance(55);
    const reading = readAll(agent(), handle.runId, { pollMs: 10 });
    const events = await clock.runUntil(reading);
    expect(events).toEqual(await store.read(handle.runId));
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1) + 205);
    expect(clock.pendingTimers).toBe(0);
  });

  it("are polled every second by default", async () => {
    const { agent, clock, reads } = setUp();
    const handle = agent().start(planOf("A"));
    await clock.advance(0);
    const reading = readAll(agent(), handle.runId);
    await clock.advance(999);
    expect(reads.count).toBe(1);
    await clock.runUntil(reading);
    expect(reads.count).toBe(2);
  });

  it("end when the run is suspended or interrupted", async () => {
    const { agent, clock } = setUp();
    const one = agent();
    const handle = one.start(planOf("B"));
    expect(eventTexts(await readAll(one, handle.runId)).at(-1)).toBe("run-suspend");
    const other = one.start(planOf("A", "A"));
    const reading = readAll(one, other.runId);
    await clock.advance(10);
    await clock.runUntil(Promise.all([one.close(), reading]));
    expect((await reading).at(-1)).toMatchObject({ type: "run-end", outcome: { status: "interrupted" } });
    expect(await readAll(agent(), other.runId)).toEqual(await reading);
  });

  it("continue with follow, here or elsewhere, until the run ends for good", async () => {
    for (const isElsewhere of [true, false]) {
      const { agent, clock, store } = setUp();
      const one = agent();
      const handle = one.start(planOf("B", "A"));
      const reading = readAll(one, handle.runId, { follow: true });
      const { pending } = await handle.result;
      const item = approvalOf({ pending } as never, "s1");
      await clock.advance(5_000);
      const decided = (isElsewhere ? agent() : one).approve(handle.runId, item);
      await clock.runUntil(decided.result);
      const events = await clock.runUntil(reading);
      expect(events).toEqual(await store.read(handle.runId));
      expect(eventTexts(events)).toContain("run-resume");
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it("do not end while the run is executing", async () => {
    const { agent, clock } = setUp();
    const one = agent();
    const { runId, pending } = await one.execute(planOf("B", "A"));
    const { result } = one.approve(runId, approvalOf({ pending } as never, "s1"));
    const events = await clock.runUntil(readAll(one, runId));
    expect(events.at(-1)?.type).toBe("run-end");
    expect((await result).status).toBe("completed");
  });

  it("include every recorded event for a slow reader, but may drop transient ones", async () => {
    const { agent, store } = setUp();
    const one = agent({ tools: [chatty(1_500), createFakeTool({ name: "A" })] });
    const plan = planOf("A", "Chat", ...Array.from({ length: 700 }, () => "A"));
    const handle = one.start(plan);
    const reading = one.events(handle.runId)[Symbol.asyncIterator]();
    const events = [(await reading.next()).value as AgentEvent];
    await handle.result;
    for (let next = await reading.next(); !next.done; next = await reading.next()) events.push(next.value);
    expect(events.filter((event) => !isTransient(event))).toEqual(await store.read(handle.runId));
    expect(events.filter(isTransient).length).toBeLessThan(1_500);
  });

  it("come in order, each recorded one once, however slowly they are read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(40), { minLength: 1, maxLength: 12 }), fc.nat(9), async (waits, after) => {
        const { agent, clock, store } = setUp();
        const talks = createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 15 }], clock });
        const one = agent({ tools: [chatty(3), talks] });
        const handle = one.start(planOf("Chat", "A", "Chat", "A", "Chat"));
        const read = async () => {
          const events: AgentEvent[] = [];
          for await (const event of one.events(handle.runId, { after, pollMs: 7 })) {
            events.push(event);
            const ms = waits[events.length % waits.length] ?? 0;
            if (ms > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
          }
          return events;
        };
        const events = await clock.runUntil(read());
        const sequences = events.map(({ sequence }) => sequence);
        expect(sequences).toEqual([...sequences].sort((one, other) => one - other));
        expect(events.filter((event) => !isTransient(event))).toEqual((await store.read(handle.runId)).slice(after));
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 40, seed: 5 },
    );
  });

  it("show the end of a run whose store has failed, which only this process knows", async () => {
    const { agent, clock, store } = setUp();
    let isDown = false;
    const append: RunStore["append"] = (...args) => {
      if (isDown) throw new Error("disk full");
      return store.append(...args);
    };
    const one = agent({ store: withMethods(store, { append }) });
    const handle = one.start(planOf("A"));
    await clock.advance(10);
    isDown = true;
    const events = await clock.runUntil(readAll(one, handle.runId));
    expect(events.at(-1)).toMatchObject({
      type: "run-end",
      recorded: false,
      outcome: { error: { code: "store-failed" } },
    });
    isDown = false;
    const followed = one.events(handle.runId, { follow: true, after: 2 })[Symbol.asyncIterator]();
    const next = followed.next();
    await clock.runUntil(one.resume(handle.runId));
    expect((await clock.runUntil(next)).value).toMatchObject({ type: "run-resume", sequence: 3 });
    await followed.return?.();
  });
});

describe("reading events", () => {
  it("rejects for a run that does not exist, was deleted, or whose id was reused", async () => {
    const { agent, clock, store } = setUp();
    await expect(readAll(agent(), "nope")).rejects.toMatchObject({ code: "run-not-found", details: { runId: "nope" } });
    const handle = agent().start(planOf("A", "A", "A"));
    await clock.advance(10);
    const events = await store.read(handle.runId);
    for (const after of [[], events.map((event) => ({ ...event, timestamp: "2027-01-01T00:00:00.000Z" }))]) {
      let isDeleted = false;
      const read: RunStore["read"] = (id, options = {}) =>
        isDeleted ? after.slice(options.after ?? 0) : store.read(id, options);
      const other = agent({ store: withMethods(store, { read }) });
      const reading = readAll(other, handle.runId, { pollMs: 5 }).catch((error: unknown) => error);
      await clock.advance(5);
      isDeleted = true;
      expect(await clock.runUntil(reading)).toMatchObject({ code: "run-not-found" });
    }
  });

  it("rejects for a run that never started", async () => {
    const { agent, clock } = setUp();
    const one = agent();
    await clock.runUntil(one.execute(planOf("A")));
    const handle = one.start({ steps: [{ id: "s1", tool: "A", input: { a: { $ref: "none" } } }] });
    const reading = readAll(one, handle.runId).catch((error: unknown) => error);
    expect(await clock.runUntil(reading)).toMatchObject({ code: "run-not-found" });
    await expect(handle.result).rejects.toMatchObject({ code: "invalid-plan" });
  });

  it("rejects for damaged records, and for a store that fails", async () => {
    const { agent, clock, store } = setUp();
    const { runId } = await clock.runUntil(agent().execute(planOf("A")));
    const stored = await store.read(runId);
    const damaged = stored.map((event, index) => (index === 2 ? { ...event, outcome: {} } : event)) as AgentEvent[];
    const failing: readonly RunStore["read"][] = [
      () => damaged,
      () => null as never,
      () => {
        throw new Error("down");
      },
    ];
    for (const read of failing)
      await expect(readAll(agent({ store: withMethods(store, { read }) }), runId)).rejects.toMatchObject({
        code: "store-failed",
      });
  });

  it("ends with cancelled when the signal aborts, before it or while it waits", async () => {
    const { agent, clock } = setUp();
    const handle = agent().start(planOf("B"));
    await handle.result;
    const early = readAll(agent(), handle.runId, { signal: AbortSignal.abort("no"), follow: true });
    await expect(early).rejects.toMatchObject({ code: "cancelled" });
    const controller = new AbortController();
    const late = readAll(agent(), handle.runId, { signal: controller.signal, follow: true });
    const ended = late.catch((error: unknown) => error);
    await clock.advance(2_500);
    controller.abort("enough");
    expect(await ended).toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    expect(clock.pendingTimers).toBe(0);
  });

  it("leaves nothing behind when it is stopped, part-way or while it waits", async () => {
    const { agent, clock, store } = setUp();
    const one = agent();
    const handle = one.start(planOf("B", "A"));
    for await (const event of one.events(handle.runId, { follow: true })) if (event.type === "run-suspend") break;
    expect(clock.pendingTimers).toBe(0);
    const length = (await store.read(handle.runId)).length;
    const reading = one.events(handle.runId, { follow: true, after: length })[Symbol.asyncIterator]();
    const waiting = reading.next();
    await clock.advance(10);
    expect(clock.pendingTimers).toBe(1);
    expect(await reading.return?.()).toEqual({ value: undefined, done: true });
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(await reading.next()).toEqual({ value: undefined, done: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it("can stop in the middle of a page", async () => {
    const { agent, clock } = setUp();
    const { runId } = await clock.runUntil(agent().execute(planOf("A", "A")));
    const controller = new AbortController();
    const types: string[] = [];
    const read = async () => {
      for await (const { type } of agent().events(runId, { signal: controller.signal })) {
        types.push(type);
        controller.abort();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "cancelled" });
    expect(types).toEqual(["run-start"]);
  });

  it.each([
    ["after", { after: -1 }],
    ["after", { after: 1.5 }],
    ["signal", { signal: 1 }],
    ["follow", { follow: "yes" }],
    ["pollMs", { pollMs: 0 }],
    ["pollMs", { pollMs: Number.POSITIVE_INFINITY }],
    ["options.limit", { limit: 1 }],
    ["options", null],
  ])("checks its options at once: %s", (option, options) => {
    const { agent } = setUp();
    expect(() => agent().events("r", options as EventsOptions)).toThrow(
      expect.objectContaining({ code: "invalid-options", details: expect.objectContaining({ option }) }),
    );
  });

  it("requires a run id", () => {
    const { agent } = setUp();
    expect(() => agent().events(5 as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});

it("many readers can watch one run, and come and go as they like", async () => {
  const { agent, clock } = setUp();
  const one = agent();
  const handle = one.start(planOf("A", "A"));
  await clock.advance(10);
  for (let times = 0; times < 3; times++) for await (const _event of one.events(handle.runId)) break;
  const readers = Promise.all([readAll(one, handle.runId), readAll(one, handle.runId, { after: 2 })]);
  const [all, some] = await clock.runUntil(readers);
  expect(some).toEqual(all.slice(2));
  expect(new Set(all).size).toBe(all.length);
});
