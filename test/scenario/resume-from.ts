import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentWarning,
  createAgent,
  createMemoryRunStore,
  type RunResult,
  type RunStore,
} from "planwright";
import { createManualClock, type ManualClock } from "planwright/testing";
import { expect } from "vitest";
import { indexTools } from "../../src/core/define-tool.ts";
import { deepFreeze } from "../../src/core/json.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { answerLater } from "./answer-later.ts";
import { eventTexts } from "./ask-for-approval.ts";
import { checkInvariants } from "./invariants.ts";
import { type Played, runScenario, type Scenario } from "./run-scenario.ts";
import { scenarioStore } from "./scenario-store.ts";
import { checkSpans, recordSpans } from "./span-recorder.ts";

/** A run whose process has died, and an agent of another one. */
export interface AroundResume {
  readonly agent: Agent;
  readonly runId: string;
  readonly clock: ManualClock;
  readonly store: RunStore;
  readonly events: readonly AgentEvent[];
}

/** Plays a run whose events are to be cut off at some point. */
export function record(create: (clock: ManualClock) => Scenario): Promise<Played> {
  return runScenario((clock) => ({ ...create(clock), isResumable: false }));
}

/** A function that resumes a run. */
export type Resume = (around: AroundResume) => Promise<RunResult>;

/** The agent of a scenario, without the scenario's run. */
export type ResumeScenario = Omit<Scenario, "plan" | "request" | "options" | "act" | "executions">;

/**
 * Lets a new agent resume a run of which these events are recorded, with a store that answers at once, or a database, then with one
 * that answers by promises, and checks the invariants of the whole run each time.
 */
export async function resumeFrom(
  recorded: readonly AgentEvent[],
  create: (clock: ManualClock) => ResumeScenario,
  resume: Resume = ({ agent, runId }) => agent.resume(runId),
): Promise<Played> {
  const resumed = await play(recorded, { create, resume, store: await scenarioStore() });
  const slow = await play(recorded, { create, resume, store: createMemoryRunStore(), wrap: answerLater });
  expect(eventTexts(slow.recorded)).toEqual(eventTexts(resumed.recorded));
  expect(slow.result.status).toBe(resumed.result.status);
  return resumed;
}

interface Play {
  readonly create: (clock: ManualClock) => ResumeScenario;
  readonly resume: Resume;
  readonly store: RunStore;
  readonly wrap?: (store: RunStore) => RunStore;
}

async function play(
  recorded: readonly AgentEvent[],
  { create, resume, store: empty, wrap = (store) => store }: Play,
): Promise<Played> {
  const clock = createManualClock({ nowMs: Date.parse(recorded.at(-1)?.timestamp ?? "") });
  const { leftoverTimers = 0, ...options } = create(clock);
  await Promise.all([...indexTools(options.tools).values()].map(toolFingerprint));
  const { store: stored, runId, before } = await storeOf(recorded, empty);
  const warnings: AgentWarning[] = [];
  const events: AgentEvent[] = [];
  const store = wrap(stored);
  const recorder = recordSpans();
  const base = { ...baseOptions(clock), store, observers: [recorder.observer] };
  const agent = createAgent({ ...base, onWarning: (one) => warnings.push(one), ...options });
  agent.subscribe((event) => events.push(event));
  const result = await clock.runUntil(resume({ agent, runId, clock, store, events }));
  const all = await stored.read(runId);
  expect(clock.pendingTimers).toBe(leftoverTimers);
  checkInvariants({ events: [...before, ...events], recorded: all, result, killedAt: before.length });
  checkSpans(recorder, events);
  return { result, events, recorded: all, warnings, clock };
}

/** Deterministic options. */
export function baseOptions(clock: ManualClock): Partial<AgentOptions> {
  let ids = 0;
  return { clock, random: () => 1, createId: () => `again_${++ids}` };
}

/** A store that contains these events of one run, as parsed from JSON. */
export async function storeOf(
  recorded: readonly AgentEvent[],
  given?: RunStore,
): Promise<{ readonly store: RunStore; readonly runId: string; readonly before: readonly AgentEvent[] }> {
  const store = given ?? (await scenarioStore());
  const before = (JSON.parse(JSON.stringify(recorded)) as AgentEvent[]).map((event) => deepFreeze(event));
  const runId = before[0]?.runId ?? "";
  await store.append(runId, before, { sequence: 1 });
  return { store, runId, before };
}

/** The events up to one, such as `step-start s1[0]`, the last one that was recorded before the process died. */
export function until(recorded: readonly AgentEvent[], last: string): readonly AgentEvent[] {
  const index = eventTexts(recorded).indexOf(last);
  if (index < 0) throw new Error(`There is no ${last}: ${eventTexts(recorded).join(", ")}`);
  return recorded.slice(0, index + 1);
}
