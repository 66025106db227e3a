import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  type RunHandle,
  type RunResult,
  type RunStore,
  type Tool,
} from "planwright";
import { createManualClock, type ManualClock } from "planwright/testing";
import { expect } from "vitest";
import { indexTools } from "../../src/core/define-tool.ts";
import type { ToolLimitOptions } from "../../src/core/tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { answerLater } from "./answer-later.ts";
import { checkInvariants } from "./run-scenario.ts";
import { scenarioStore } from "./scenario-store.ts";

/** Several runs of one agent, and what happens around them. */
export interface Gathering extends Partial<Omit<AgentOptions, "tools">> {
  tools: readonly Tool[];
  /** Starts the runs; the clock moves only here until it returns. */
  act: (around: { agent: Agent; clock: ManualClock }) => Promise<readonly RunHandle[]> | readonly RunHandle[];
  /** Timers that may remain, such as those of a tool that ignores its signal. */
  leftoverTimers?: number;
}

/** The outcome of the runs. */
export interface Gathered {
  /** In the order of the handles. */
  readonly results: readonly RunResult[];
  /** Of all runs, as they were emitted. */
  readonly events: readonly AgentEvent[];
  /** Of one run, by the index of its handle. */
  eventsOf(index: number): readonly AgentEvent[];
}

/**
 * Plays several runs with a store that answers at once, or a database, and again with one that answers by promises, and checks the
 * invariants of every run each time.
 */
export async function runTogether(create: (clock: ManualClock) => Gathering): Promise<Gathered> {
  const gathered = await play(create, await scenarioStore());
  const slow = await play(create, answerLater(createMemoryRunStore()));
  expect(slow.results.map(({ status }) => status)).toEqual(gathered.results.map(({ status }) => status));
  return gathered;
}

async function play(create: (clock: ManualClock) => Gathering, store: RunStore): Promise<Gathered> {
  const clock = createManualClock();
  const { act, leftoverTimers = 0, ...agentOptions } = create(clock);
  // Hashes take real time, in which a manual clock must not run ahead.
  await Promise.all([...indexTools(agentOptions.tools).values()].map(toolFingerprint));
  let ids = 0;
  const agent = createAgent({
    store,
    clock,
    random: () => 1,
    createId: () => `${++ids}`,
    ...agentOptions,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const handles = await act({ agent, clock });
  const results = await clock.runUntil(Promise.all(handles.map(({ result }) => result)));
  expect(clock.pendingTimers).toBe(leftoverTimers);
  const eventsOf = (index: number) => events.filter(({ runId }) => runId === handles[index]?.runId);
  for (const [index, result] of results.entries()) {
    const recorded = await store.read(result.runId);
    checkInvariants({ events: eventsOf(index), recorded, result });
  }
  return { results, events, eventsOf };
}

/** A tool with limits of its own. */
export function withLimits<TTool extends Tool>(tool: TTool, limits: ToolLimitOptions): TTool {
  return { ...tool, ...limits };
}

/** How many milliseconds after the clock's start an event was emitted. */
export function msOf({ timestamp }: AgentEvent): number {
  return Date.parse(timestamp) - Date.UTC(2026, 0, 1);
}

/** Starts, ends and skips of steps, such as `10 end a`. */
export function timelineOf(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "step-start") return [`${msOf(event)} start ${event.stepId}`];
    if (event.type === "step-skip") return [`${msOf(event)} skip ${event.stepId} ${event.reason}`];
    if (event.type !== "step-end") return [];
    const { status } = event.outcome;
    return [`${msOf(event)} ${status === "completed" ? "end" : status} ${event.stepId}`];
  });
}

/** The states of a circuit, such as `10 open`. */
export function circuitOf(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "circuit-change" ? [`${msOf(event)} ${event.state}`] : []));
}

/** The highest number of steps that ran at once. */
export function peakOf(events: readonly AgentEvent[]): number {
  let running = 0;
  let peak = 0;
  for (const { type } of events) {
    if (type === "step-start") peak = Math.max(peak, ++running);
    else if (type === "step-end") running--;
  }
  return peak;
}
