import { expect } from "vitest";
import { type AgentOptions, createAgent } from "../../src/agent.ts";
import { type AgentEvent, isTransient } from "../../src/core/events.ts";
import type { PlanInput } from "../../src/core/plan.ts";
import { type RunResult, toRunResult } from "../../src/core/run-result.ts";
import { foldEvents, initialRunState, reduceRunState } from "../../src/core/run-state.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import type { Tool } from "../../src/core/tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import type { AgentWarning } from "../../src/orchestrator/options.ts";
import type { RunHandle } from "../../src/orchestrator/orchestrator.ts";
import type { RunOptions } from "../../src/orchestrator/run-options.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";

/** One run, and what happens around it. */
export interface Scenario extends Partial<Omit<AgentOptions, "tools">> {
  tools: readonly Tool[];
  /** Exactly one of these. */
  plan?: PlanInput;
  request?: string;
  options?: RunOptions;
  /** What is done while the run goes on; the clock moves only here until it returns. */
  act?: (around: { handle: RunHandle; clock: ManualClock; events: readonly AgentEvent[] }) => Promise<void> | void;
  /** Timers that may be left behind, such as those of a tool that ignores its signal. */
  leftoverTimers?: number;
}

/** What a run came to. */
export interface Played {
  readonly result: RunResult;
  /** As they were told. */
  readonly events: readonly AgentEvent[];
  readonly recorded: readonly AgentEvent[];
  readonly warnings: readonly AgentWarning[];
  readonly clock: ManualClock;
}

/**
 * Plays a scenario with a store that answers at once and again with one that answers by promises, and checks the
 * invariants of every run each time. The scenario is made anew for each, as its tools remember their calls.
 */
export async function runScenario(create: (clock: ManualClock) => Scenario): Promise<Played> {
  const played = await play(create, (store) => store);
  const slow = await play(create, answerLater);
  expect(slow.recorded.map(({ type }) => type)).toEqual(played.recorded.map(({ type }) => type));
  expect(slow.result.status).toBe(played.result.status);
  return played;
}

async function play(create: (clock: ManualClock) => Scenario, wrap: (store: RunStore) => RunStore): Promise<Played> {
  const clock = createManualClock();
  const { plan, request, options, act, leftoverTimers = 0, ...agentOptions } = create(clock);
  // Hashes take real time, in which a manual clock must not run ahead.
  await Promise.all(agentOptions.tools.map(toolFingerprint));
  const memory = createMemoryRunStore();
  const warnings: AgentWarning[] = [];
  let ids = 0;
  const agent = createAgent({
    store: wrap(memory),
    clock,
    random: () => 1,
    createId: () => `${++ids}`,
    onWarning: (warning) => warnings.push(warning),
    ...agentOptions,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const handle = agent.start(plan ?? request ?? "", options);
  await act?.({ handle, clock, events });
  const result = await clock.runUntil(handle.result);
  const recorded = await memory.read(handle.runId);
  expect(clock.pendingTimers).toBe(leftoverTimers);
  checkInvariants({ events, recorded, result });
  return { result, events, recorded, warnings, clock };
}

/** A store that does what another one does, a turn later. */
export function answerLater(store: RunStore): RunStore {
  const later = async <T>(answer: () => T | Promise<T>): Promise<T> => {
    await Promise.resolve();
    return answer();
  };
  return {
    append: (...args) => later(() => store.append(...args)),
    read: (...args) => later(() => store.read(...args)),
    list: (...args) => later(() => store.list(...args)),
    claim: (...args) => later(() => store.claim(...args)),
    renew: (...args) => later(() => store.renew(...args)),
    release: (...args) => later(() => store.release(...args)),
  };
}

/** The five invariants of a run of one leg whose store did not fail. */
export function checkInvariants({ events, recorded, result }: Pick<Played, "events" | "recorded" | "result">): void {
  checkLeg(events);
  checkStartsAndEnds(recorded);
  checkSequence(events, recorded);
  for (const event of events) {
    expect(JSON.parse(JSON.stringify(event))).toEqual(event);
    expect(Object.isFrozen(event)).toBe(true);
  }
  checkFold(recorded, result);
}

function checkLeg(events: readonly AgentEvent[]): void {
  const types = events.map(({ type }) => type);
  const isOpening = (type: string) => type === "run-start" || type === "run-resume";
  const isClosing = (type: string) => type === "run-end" || type === "run-suspend";
  expect(types[0]).toBe("run-start");
  expect(types.filter((type) => type === "run-start")).toHaveLength(1);
  expect(isClosing(types.at(-1) ?? "")).toBe(true);
  // A leg opens where one has closed, and nowhere else.
  for (const [index, type] of types.entries()) {
    if (index > 0) expect(isOpening(type)).toBe(isClosing(types[index - 1] ?? ""));
  }
}

/** Which thing a start and an end are about. */
function keyOf(event: AgentEvent): string {
  const { stepId = "the plan", iteration } = event as { stepId?: string; iteration?: number };
  return `${event.type.startsWith("undo-") ? "undo " : ""}${stepId}${iteration === undefined ? "" : `[${iteration}]`}`;
}

function checkStartsAndEnds(recorded: readonly AgentEvent[]): void {
  const open = new Set<string>();
  const closed = new Set<string>();
  for (const event of recorded) {
    const key = keyOf(event);
    if (event.type === "step-start" || event.type === "plan-start" || event.type === "undo-start") {
      expect(open.has(key) || closed.has(key)).toBe(false);
      open.add(key);
    } else if (event.type === "step-end" || event.type === "plan-end" || event.type === "undo-end") {
      expect(open.delete(key)).toBe(true);
      closed.add(key);
    } else if (event.type === "step-skip") {
      expect(open.has(key) || closed.has(key)).toBe(false);
      closed.add(key);
    } else if (event.type === "run-end" || event.type === "run-suspend") {
      expect([...open]).toEqual([]);
    }
  }
  expect([...open]).toEqual([]);
}

function checkSequence(events: readonly AgentEvent[], recorded: readonly AgentEvent[]): void {
  let last = 0;
  for (const event of events) {
    if (!isTransient(event)) last++;
    expect(event.sequence).toBe(last);
  }
  expect(events.filter((event) => !isTransient(event))).toEqual(recorded);
}

function checkFold(recorded: readonly AgentEvent[], result: RunResult): void {
  const { runId } = result;
  const live = initialRunState(runId);
  const stored: AgentEvent[] = [];
  for (const event of recorded) {
    reduceRunState(live, event);
    stored.push(JSON.parse(JSON.stringify(event)) as AgentEvent);
    if (recorded.length < 200 || stored.length === recorded.length) expect(foldEvents(runId, stored)).toEqual(live);
  }
  expect(toRunResult(live)).toEqual(result);
}
