import fc from "fast-check";
import {
  type Agent,
  type AgentEvent,
  createAgent,
  createMemoryRunStore,
  type PendingItem,
  type RunHandle,
  type RunResult,
  type RunStore,
} from "planwright";
import { createManualClock, type ManualClock } from "planwright/testing";
import { deepFreeze } from "../../src/core/json.ts";
import { answerLater } from "../scenario/answer-later.ts";
import { modelCase } from "./model-arbitrary.ts";
import type { ModelCase, StepDraft } from "./model-case.ts";
import { createModelPlanner } from "./model-planner.ts";
import { type Call, createModelTools } from "./model-tools.ts";
import { planOf, policyOf } from "./play-case.ts";
import { keyOf } from "./watch.ts";

/**
 * Runs whose end does not depend on timing, nor on what a process forgets when it dies: nobody cancels,
 * there is no deadline, no budget and no circuit, and where a failure stops the rest, one thing runs at a time.
 */
export const resumableCase: fc.Arbitrary<ModelCase> = fc.tuple(modelCase).map(([model]) => {
  const alone = (step: StepDraft): StepDraft => ({ ...step, concurrency: undefined });
  const timeless: ModelCase = {
    ...model,
    tools: model.tools.map((tool) => ({ ...tool, circuitBreaker: undefined })),
    budget: undefined,
    timeoutMs: undefined,
    stop: undefined,
    answers: [],
    live: [],
    decisions: [],
  };
  if (model.onStepFailure === "continue") return timeless;
  const replans = model.replans.map((replan) => ({ ...replan, steps: replan.steps.map(alone) }));
  return { ...timeless, steps: model.steps.map(alone), replans, concurrency: 1 };
});

/** The outcome of a case, or of the rest of it. */
export interface ResumedCase {
  readonly result: RunResult;
  /** As they were emitted in this process. */
  readonly events: readonly AgentEvent[];
  readonly recorded: readonly AgentEvent[];
  readonly calls: readonly Call[];
}

/** Plays a case from its beginning, and decides its questions. */
export async function playWhole(model: ModelCase): Promise<ResumedCase> {
  const process = new Process(model);
  const { concurrency, onStepFailure, undoOnFailure, maxReplans } = model;
  const options = { concurrency, onStepFailure, undoOnFailure, maxReplans };
  const handle = process.agent.start(planOf(model), options);
  return process.finish(await process.clock.runUntil(handle.result), undefined);
}

/** Resumes a case from these events in another process, and settles steps in doubt as the whole run did. */
export async function playOn(
  model: ModelCase,
  { before, whole }: { before: readonly AgentEvent[]; whole: ResumedCase },
): Promise<ResumedCase> {
  const played = await tryOn(model, { before, whole });
  if (played.result === undefined) throw played.refusal;
  return played;
}

/** Like {@link playOn}, in a fork of the whole run after this many of its events. */
export async function forkOn(
  model: ModelCase,
  { count, whole }: { count: number; whole: ResumedCase },
): Promise<ResumedCase> {
  const process = new Process(model, Date.parse(whole.recorded.at(-1)?.timestamp ?? ""));
  await process.memory.append(whole.result.runId, whole.recorded, { sequence: 1 });
  const forked = process.agent.fork(whole.result.runId, { after: count, runId: "fork" });
  return process.finish(await process.clock.runUntil(forked.result), whole);
}

/** The rest of a case that could not be resumed, and what was done anyway. */
export interface RefusedCase extends Omit<ResumedCase, "result"> {
  readonly result?: undefined;
  readonly refusal: unknown;
}

/** Like {@link playOn}, where the other process need not resume. */
export async function tryOn(
  model: ModelCase,
  { before, whole }: { before: readonly AgentEvent[]; whole: ResumedCase },
): Promise<ResumedCase | RefusedCase> {
  const process = new Process(model, Date.parse(before.at(-1)?.timestamp ?? ""));
  const { runId } = whole.result;
  await process.memory.append(runId, before, { sequence: 1 });
  try {
    const result = await process.clock.runUntil(process.agent.resume(runId));
    return await process.finish(result, whole);
  } catch (refusal) {
    return { ...(await process.done(runId)), refusal };
  }
}

/** The first events of a run, as a store would return them. */
export function prefixOf({ recorded }: ResumedCase, count: number): readonly AgentEvent[] {
  return (JSON.parse(JSON.stringify(recorded.slice(0, count))) as AgentEvent[]).map((event) => deepFreeze(event));
}

/** More executions than a case can have. */
const maxExecutions = 100;

class Process {
  readonly memory: RunStore = createMemoryRunStore();
  readonly clock: ManualClock;
  readonly agent: Agent;
  private readonly events: AgentEvent[] = [];
  private readonly calls: Call[] = [];
  private ids = 0;

  constructor(model: ModelCase, nowMs?: number) {
    this.clock = nowMs === undefined ? createManualClock() : createManualClock({ nowMs });
    const { clock } = this;
    const planner = createModelPlanner(model);
    const listener = { clock, stepOf: planner.stepOf, onCall: (call: Call) => this.calls.push(call) };
    this.agent = createAgent({
      tools: createModelTools(model.tools, 0, listener),
      store: model.isStoreSlow ? answerLater(this.memory) : this.memory,
      planner,
      clock,
      createId: () => `${++this.ids}`,
      ...policyOf(model),
    });
    this.agent.subscribe((event) => this.events.push(event));
  }

  /** Decides, and settles as the whole run did, until nothing is pending. */
  async finish(first: RunResult, whole: ResumedCase | undefined): Promise<ResumedCase> {
    let result = first;
    for (let execution = 1; execution < maxExecutions; execution++) {
      const handle = this.answerTo(result, whole);
      if (handle === undefined) break;
      result = await this.clock.runUntil(handle.result);
    }
    return { ...(await this.done(result.runId)), result };
  }

  /** Its events and calls so far. */
  async done(runId: string): Promise<Omit<ResumedCase, "result">> {
    return { events: this.events, recorded: await this.memory.read(runId), calls: this.calls };
  }

  private answerTo({ runId, pending = [] }: RunResult, whole: ResumedCase | undefined): RunHandle | undefined {
    for (const item of pending) {
      if (item.kind === "plan-approval") return this.agent.approve(runId, item);
      if (item.kind === "outcome") {
        const settlement = whole && settlementOf(item, whole);
        if (settlement !== undefined)
          return this.agent.settle(runId, item.stepId, { ...settlement, iteration: item.iteration });
      } else if (item.kind === "approval") return this.agent[item.input.flag === 7 ? "reject" : "approve"](runId, item);
    }
    return undefined;
  }
}

type Outcome = Extract<PendingItem, { kind: "outcome" }>;

/** The outcome of a step in the whole run; undefined if it was in doubt there, too. */
function settlementOf(item: Outcome, { recorded }: ResumedCase): { output: unknown } | { failed: string } | undefined {
  for (const event of recorded.toReversed()) {
    if (event.type !== "step-end" || keyOf(event) !== keyOf(item)) continue;
    const { outcome } = event;
    if (outcome.status === "completed") return { output: outcome.output };
    return outcome.status === "failed" ? { failed: outcome.error.message } : undefined;
  }
  return undefined;
}
