import fc from "fast-check";
import { type Agent, createAgent } from "../../src/agent.ts";
import type { AgentEvent, PendingItem } from "../../src/core/events.ts";
import { deepFreeze } from "../../src/core/json.ts";
import type { Planner, ReplanRequest } from "../../src/core/planner.ts";
import type { RunResult, StepRecord } from "../../src/core/run-result.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import type { RunHandle } from "../../src/orchestrator/orchestrator.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";
import { answerLater } from "../scenarios/run-scenario.ts";
import { modelCase } from "./model-arbitrary.ts";
import type { ModelCase, StepDraft } from "./model-case.ts";
import { type ModelStep, toModelSteps, toPlanStep } from "./model-plan.ts";
import { type Call, createModelTools } from "./model-tools.ts";
import { planOf, policyOf, stepsOf } from "./play-case.ts";
import { keyOf } from "./watch.ts";

/**
 * Runs whose end does not depend on when anything happens, nor on what a process forgets when it dies: nobody cancels,
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

/** What a case, or what was left of it, came to. */
export interface ResumedCase {
  readonly result: RunResult;
  /** As they were told, in this process. */
  readonly events: readonly AgentEvent[];
  readonly recorded: readonly AgentEvent[];
  readonly calls: readonly Call[];
}

/** Plays a case from its beginning, and decides what it asks. */
export async function playWhole(model: ModelCase): Promise<ResumedCase> {
  const process = new Process(model);
  const { concurrency, onStepFailure, undoOnFailure, maxReplans } = model;
  const options = { concurrency, onStepFailure, undoOnFailure, maxReplans };
  const handle = process.agent.start(planOf(model), options);
  return process.finish(await process.clock.runUntil(handle.result), undefined);
}

/** Plays on in another process what these events tell of, and settles what is in doubt as the whole run had it. */
export async function playOn(
  model: ModelCase,
  { before, whole }: { before: readonly AgentEvent[]; whole: ResumedCase },
): Promise<ResumedCase> {
  const process = new Process(model, Date.parse(before.at(-1)?.timestamp ?? ""));
  const { runId } = whole.result;
  await process.memory.append(runId, before, { sequence: 1 });
  const result = await process.clock.runUntil(process.agent.resume(runId));
  return process.finish(result, whole);
}

/** The first events of a run, as a store would hand them out. */
export function prefixOf({ recorded }: ResumedCase, count: number): readonly AgentEvent[] {
  return (JSON.parse(JSON.stringify(recorded.slice(0, count))) as AgentEvent[]).map((event) => deepFreeze(event));
}

/** More legs than a case can have. */
const maxLegs = 100;

class Process {
  readonly memory: RunStore = createMemoryRunStore();
  readonly clock: ManualClock;
  readonly agent: Agent;
  private readonly events: AgentEvent[] = [];
  private readonly calls: Call[] = [];
  private readonly steps: ReadonlyMap<string, ModelStep>;
  private ids = 0;

  constructor(
    private readonly model: ModelCase,
    nowMs?: number,
  ) {
    this.clock = nowMs === undefined ? createManualClock() : createManualClock({ nowMs });
    this.steps = new Map(stepsOf(model).map((step) => [step.id, step]));
    const { clock } = this;
    const listener = { clock, stepOf: (id: string) => this.stepOf(id), onCall: (call: Call) => this.calls.push(call) };
    this.agent = createAgent({
      tools: createModelTools(model.tools, 0, listener),
      store: model.isStoreSlow ? answerLater(this.memory) : this.memory,
      planner: this.planner,
      clock,
      createId: () => `${++this.ids}`,
      ...policyOf(model),
    });
    this.agent.subscribe((event) => this.events.push(event));
  }

  /** Decides, and settles as the whole run had it, until there is nothing more to say. */
  async finish(first: RunResult, whole: ResumedCase | undefined): Promise<ResumedCase> {
    let result = first;
    for (let leg = 1; leg < maxLegs; leg++) {
      const handle = this.answerTo(result, whole);
      if (handle === undefined) break;
      result = await this.clock.runUntil(handle.result);
    }
    const recorded = await this.memory.read(result.runId);
    return { result, events: this.events, recorded, calls: this.calls };
  }

  private answerTo({ runId, pending = [] }: RunResult, whole: ResumedCase | undefined): RunHandle | undefined {
    for (const item of pending) {
      if (item.kind === "plan-approval") return this.agent.approve(runId, item);
      if (item.kind === "outcome") {
        const settlement = whole && settlementOf(item, whole);
        if (settlement !== undefined)
          return this.agent.settle(runId, item.stepId, { ...settlement, iteration: item.iteration });
      } else return this.agent[item.input.flag === 7 ? "reject" : "approve"](runId, item);
    }
    return undefined;
  }

  private stepOf(id: string): ModelStep | undefined {
    const [, replan, index] = /^r(\d+)_(\d+)$/.exec(id) ?? [];
    if (replan === undefined) return this.steps.get(id);
    const { replans } = this.model;
    const draft = replans[(Number(replan) - 1) % replans.length]?.steps[Number(index) - 1];
    // Of its ids nothing is asked but whether it has a loop.
    return draft && ({ ...draft, id } as unknown as ModelStep);
  }

  private readonly planner: Planner = {
    name: "model",
    plan: () => Promise.reject(new Error("it only plans again")),
    replan: async (request) => this.replan(request),
  };

  /** By what it is told of the run, and by that alone. */
  private replan({ replan, steps: records, plan }: ReplanRequest) {
    const { replans, tools } = this.model;
    const draft = replans[(replan - 1) % replans.length];
    if (draft === undefined || draft.mistake === "throws") throw new Error("no idea");
    const ids = draft.steps.map((_, index) => `r${replan}_${index + 1}`);
    const begun = records.find(({ status }) => status === "failed" || status === "completed");
    if (draft.mistake === "old-id" && begun !== undefined) ids[0] = begun.stepId;
    const isDone = (id: string) => records.filter(({ stepId }) => stepId === id).every(isDoneRecord);
    const earlier = plan.steps.flatMap(({ id }) => (isDone(id) ? (this.stepOf(id) ?? []) : []));
    return { steps: toModelSteps(draft.steps, { ids, toolCount: tools.length, earlier }).map(toPlanStep) };
  }
}

function isDoneRecord({ status, reason }: StepRecord): boolean {
  return status === "completed" || reason === "condition" || reason === "no-items";
}

type Outcome = Extract<PendingItem, { kind: "outcome" }>;

/** What came of a step in the whole run; undefined if it was in doubt there, too. */
function settlementOf(item: Outcome, { recorded }: ResumedCase): { output: unknown } | { failed: string } | undefined {
  for (const event of recorded.toReversed()) {
    if (event.type !== "step-end" || keyOf(event) !== keyOf(item)) continue;
    const { outcome } = event;
    if (outcome.status === "completed") return { output: outcome.output };
    return outcome.status === "failed" ? { failed: outcome.error.message } : undefined;
  }
  return undefined;
}
