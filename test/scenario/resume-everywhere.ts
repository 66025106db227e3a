import {
  type Agent,
  type AgentEvent,
  type AgentEventOf,
  createAgent,
  type PendingItem,
  type RunHandle,
  type RunResult,
  type RunStore,
} from "planwright";
import { createManualClock, type ManualClock } from "planwright/testing";
import { expect } from "vitest";
import { deepFreeze, hideSealed } from "../../src/core/json.ts";
import { seededRandom } from "../kills/seeded-random.ts";
import { keyOf } from "./check-starts-and-ends.ts";
import { checkInvariants } from "./invariants.ts";
import type { Played, Scenario } from "./run-scenario.ts";
import { scenarioDatabase, scenarioStore } from "./scenario-store.ts";
import { checkSpans, recordSpans } from "./span-recorder.ts";

type Create = (clock: ManualClock) => Scenario;

/**
 * The fifth invariant: kills a run after each event that it has recorded and resumes it in another process, where
 * everything is decided and settled as it was. It must end with the same statuses and outputs.
 */
export async function resumeEverywhere(create: Create, whole: Pick<Played, "recorded" | "result">): Promise<void> {
  const { recorded, result } = whole;
  // A failed run is retried, which may end differently.
  const last = recorded.length - (result.status === "failed" ? 1 : 0);
  const store = await scenarioStore();
  for (const count of cutsOf(last)) {
    const before = (JSON.parse(JSON.stringify(recorded.slice(0, count))) as AgentEvent[]).map((one) => deepFreeze(one));
    expect([count, endOf(await resumeAfter(create, { store, before, whole: recorded }))]).toEqual([
      count,
      endOf(result),
    ]);
  }
}

/**
 * After how many events a process dies: after each in memory. In a database that would take minutes: after `CUTS` of them,
 * one if left out, which are others for runs of other lengths.
 */
function cutsOf(last: number): readonly number[] {
  const all = Array.from({ length: last }, (_, index) => index + 1);
  if (scenarioDatabase() === undefined) return all;
  const random = seededRandom(last);
  return all
    .map((count) => ({ count, order: random() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, Number(process.env.CUTS ?? 1))
    .map(({ count }) => count);
}

/** More executions than a scenario has. */
const maxExecutions = 20;

/** A run that is cut off, and its whole record. */
interface Cut {
  /** An empty one; it is emptied in the end. */
  readonly store: RunStore;
  readonly before: readonly AgentEvent[];
  readonly whole: readonly AgentEvent[];
}

async function resumeAfter(create: Create, { store, before, whole }: Cut): Promise<RunResult> {
  const clock = createManualClock({ nowMs: Date.parse(before.at(-1)?.timestamp ?? "") });
  const { plan: _plan, request: _, options: _options, act: _act, executions: _executions, ...scenario } = create(clock);
  const { leftoverTimers: _timers, isResumable: _isResumable, ...agentOptions } = scenario;
  const runId = before[0]?.runId ?? "";
  await store.append(runId, before, { sequence: 1 });
  let ids = 0;
  const createId = () => `again_${++ids}`;
  const recorder = recordSpans();
  const base = { store, clock, random: () => 1, createId, onWarning: () => {}, observers: [recorder.observer] };
  const agent = createAgent({ ...base, ...agentOptions });
  const emitted: AgentEvent[] = [];
  agent.subscribe((event) => emitted.push(event));
  let result = await clock.runUntil(agent.resume(runId));
  for (let execution = 1; execution < maxExecutions; execution++) {
    const handle = answerTo(agent, result, whole);
    if (handle === undefined) break;
    result = await clock.runUntil(handle.result);
  }
  const recorded = await store.read(runId);
  await store.delete(runId);
  checkInvariants({ events: [...before, ...emitted], recorded, result, killedAt: before.length });
  if (agentOptions.observers === undefined) checkSpans(recorder, emitted);
  return result;
}

/** The part of the result that must be the same: all except times, ids and attempts. */
function endOf({ status, steps, output }: RunResult): unknown {
  const ends = steps.map(({ stepId, iteration, status, output, reason }) => ({
    stepId,
    iteration,
    status,
    output,
    reason,
  }));
  return { status, output, steps: ends };
}

/** The first recorded answer to any pending item; undefined if there was none. */
function answerTo(
  agent: Agent,
  { runId, pending = [] }: RunResult,
  whole: readonly AgentEvent[],
): RunHandle | undefined {
  for (const event of whole) {
    const item = pending.find((one) => "stepId" in event && "stepId" in one && keyOf(one) === keyOf(event));
    if (event.type === "approval-end" && event.outcome.status !== "withdrawn") {
      const verdict = event.outcome.status === "approved" ? "approve" : "reject";
      const plan = pending.find((one) => event.kind === "plan" && isAbout(one, event, whole));
      const asked = plan ?? item;
      const { by, comment } = event.outcome;
      const input = event.outcome.status === "approved" && event.outcome.changed?.input;
      if (asked !== undefined && "hash" in asked)
        return agent[verdict](runId, asked, { by, comment, ...(input && { input: hideSealed(input) }) });
    } else if (event.type === "step-end" && item?.kind === "outcome") {
      const settlement = settlementOf(event);
      if (settlement !== undefined)
        return agent.settle(runId, item.stepId, { iteration: item.iteration, ...settlement });
    }
  }
  return undefined;
}

/** Whether the last plan whose approval was requested before a decision is the pending one. */
function isAbout(item: PendingItem, { sequence }: AgentEvent, whole: readonly AgentEvent[]): boolean {
  const asked = whole.findLast(
    (one) => one.type === "approval-request" && one.kind === "plan" && one.sequence < sequence,
  );
  return item.kind === "plan-approval" && asked?.type === "approval-request" && asked.hash === item.hash;
}

function settlementOf({ outcome }: AgentEventOf<"step-end">): { output: unknown } | { failed: string } | undefined {
  if (outcome.status === "completed") return { output: outcome.output };
  return outcome.status === "failed" ? { failed: outcome.error.message } : undefined;
}
