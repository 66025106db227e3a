import type { AgentEvent, AgentWarning, RunStore, Tool } from "planwright";
import { createFakeTool, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { eventTexts, statuses } from "../scenario/ask-for-approval.ts";
import { planOf } from "../scenario/plans.ts";
import { share, withMethods } from "../scenario/two-processes.ts";

const never = () => new Promise<never>(() => {});
const broken: FakeOutcome = { throws: { retryable: false } };
const works = (name: string) => createFakeTool({ name });
const hanging = (name: string, rest: Partial<Tool> = {}) =>
  ({ ...createFakeTool({ name, outcomes: [{ hangs: "forever" }] }), ...rest }) as Tool;
const undoable = (undo: () => Promise<void>) => ({ ...works("U"), undo, timeoutMs: 30_000 }) as unknown as Tool;

interface Case {
  readonly tools: readonly Tool[];
  readonly plan: unknown;
  readonly options?: object;
  readonly reach?: (store: RunStore) => RunStore;
  /** In the process that resumes the run. */
  readonly next: readonly Tool[];
  readonly warns: readonly string[];
  readonly end: readonly string[];
}

/** What hangs while an agent is closed. */
const cases: Record<string, Case> = {
  "a tool that ignores its signal": {
    tools: [hanging("A")],
    plan: planOf("A"),
    next: [works("A")],
    warns: ["overlapping-call"],
    end: ["s1 completed"],
  },
  "the undo of a step": {
    tools: [undoable(never), createFakeTool({ name: "B", outcomes: [broken] })],
    plan: planOf("U", "B"),
    options: { undoOnFailure: true },
    next: [undoable(async () => {}), works("B")],
    warns: ["overlapping-call"],
    end: ["s1 undone", "s2 failed"],
  },
  "a store that does not answer to an append": {
    tools: [works("A")],
    plan: planOf("A"),
    reach: (store) =>
      withMethods(store, {
        append: (...args) => (args[1].some(({ type }) => type === "step-end") ? never() : store.append(...args)),
      }),
    next: [works("A")],
    warns: ["overlapping-call"],
    end: ["s1 completed"],
  },
  "a store that does not give a claim back": {
    tools: [hanging("A")],
    plan: planOf("A"),
    reach: (store) => withMethods(store, { release: never }),
    next: [works("A")],
    warns: ["overlapping-call"],
    end: ["s1 completed"],
  },
};

describe.each(Object.keys(cases))("an agent that is closed while %s hangs", (name) => {
  it.each([0, 1, 100, 10_000])("closes within its timeoutMs of %i, and leaves the run to others", async (timeoutMs) => {
    const { tools, plan, options, reach, next, warns, end } = cases[name] as Case;
    const { clock, process, store } = await share(() => tools);
    const warnings: AgentWarning[] = [];
    const events: AgentEvent[] = [];
    const agent = process({ onWarning: (warning) => warnings.push(warning) }, reach);
    agent.subscribe((event) => events.push(event));
    const { runId, result } = agent.start(plan as never, options);
    await clock.advance(10);
    const before = clock.monotonic();
    await clock.runUntil(agent.close({ timeoutMs }));
    expect(clock.monotonic() - before).toBeLessThanOrEqual(timeoutMs);
    expect(await result).toMatchObject({ status: "interrupted", error: { code: "interrupted" } });
    expect(warnings.map(({ code }) => code)).toEqual(warns);
    // Every start has an end for listeners; events that are not in the store are marked as such.
    expect(eventTexts(events).at(-1)).toBe("run-end");
    const recorded = await store.read(runId);
    expect(events.filter((event) => event.recorded !== false).map(({ sequence }) => sequence)).toEqual(
      recorded.map(({ sequence }) => sequence),
    );
    for (const event of events) if (event.recorded === false) expect(event.sequence).toBe(recorded.length);
    if (name === "a store that does not give a claim back") await clock.advance(1_000);
    const resumed = await clock.runUntil(process({ tools: next as never }).resume(runId));
    expect(statuses(resumed)).toEqual(end);
    expect(await store.read(runId)).not.toHaveLength(recorded.length);
  });
});

describe("an agent that is closed", () => {
  it("emits nothing about a run it has left behind, whatever happens to it later", async () => {
    let answer = (): void => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { clock, process, store } = await share(() => [works("A"), works("B")]);
    const events: AgentEvent[] = [];
    const agent = process({}, (reached) =>
      withMethods(reached, {
        append: async (...args) => {
          if (args[1].some(({ type }) => type === "step-end")) await slow;
          return reached.append(...args);
        },
      }),
    );
    agent.subscribe((event) => events.push(event));
    const { runId, result } = agent.start(planOf("A", "B") as never);
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 20 }));
    const closed = eventTexts(events);
    expect(statuses(await result)).toEqual(["s1 interrupted", "s2 pending"]);
    answer();
    await clock.advance(1_000);
    expect(eventTexts(events)).toEqual(closed);
    // It was recorded after all, so nobody does it again.
    expect(eventTexts(await store.read(runId))).toEqual(["run-start", "step-start s1", "step-end s1", "step-start s2"]);
    expect(statuses(await clock.runUntil(process().resume(runId)))).toEqual(["s1 completed", "s2 completed"]);
  });
});
