import {
  type Agent,
  type AgentEvent,
  type AgentEventOf,
  type ApprovalDecision,
  type ApprovalItem,
  createAgent,
  createMemoryRunStore,
  type PendingItem,
  type PlanInput,
  type Planner,
  type ReplanRequest,
  type RunHandle,
  type RunResult,
  type RunStore,
} from "planwright";
import { createManualClock, type ManualClock } from "planwright/testing";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import { answerLater } from "../scenario/answer-later.ts";
import type { DecisionDraft, ModelCase } from "./model-case.ts";
import { type ModelStep, toModelSteps, toPlanStep } from "./model-plan.ts";
import { createModelTools } from "./model-tools.ts";
import { Watch } from "./watch.ts";
import { abortGraceMs } from "./watch-calls.ts";

/** The outcome of a case. */
export interface PlayedCase {
  readonly watch: Watch;
  readonly result: RunResult;
  readonly recorded: readonly AgentEvent[];
  readonly clock: ManualClock;
  /** The caller's signal, for all executions. */
  readonly signal: AbortSignal;
  /** The decisions that had to be refused, and their outcomes. */
  readonly wrongDecisions: readonly string[];
}

/** More executions than a case can have: each decides about something that is still undecided. */
const maxExecutions = 60;

/** The ids of the steps of a plan, shuffled so that they do not reveal the order. */
export function idsOf({ idShift }: Pick<ModelCase, "idShift">): readonly string[] {
  return Array.from({ length: 12 }, (_, index) => `s${((index * 7 + idShift) % 12) + 1}`);
}

/** The steps of the plan of a case. */
export function stepsOf(model: ModelCase): ModelStep[] {
  return toModelSteps(model.steps, { ids: idsOf(model), toolCount: model.tools.length });
}

/** How agents of the model test handle failures and approval: the same wherever a case is played. */
export function policyOf(model: ModelCase) {
  return {
    random: () => 1,
    retry: { minDelayMs: 10, maxDelayMs: 40 },
    stepTimeoutMs: 100,
    abortGraceMs,
    onWarning: () => {},
    needsApproval: ({ kind }: { readonly kind: string }) => kind === "plan" && model.asksForPlan,
  };
}

/** The plan of a case. */
export function planOf(model: ModelCase): PlanInput {
  return { steps: stepsOf(model).map(toPlanStep) };
}

/** Plays a case to its end. */
export async function playCase(model: ModelCase): Promise<PlayedCase> {
  const clock = createManualClock();
  const watch = new Watch(model, clock, stepsOf(model));
  const memory = createMemoryRunStore();
  const player = new Player(watch, model.isStoreSlow ? answerLater(memory) : memory);
  const result = await player.play();
  const { signal } = player.controller;
  const recorded = await memory.read(result.runId);
  return { watch, result, recorded, clock, signal, wrongDecisions: player.wrongDecisions };
}

class Player {
  readonly controller = new AbortController();
  readonly wrongDecisions: string[] = [];
  private readonly agents: Agent[] = [];
  private readonly model: ModelCase;
  private readonly clock: ManualClock;
  private handle: RunHandle | undefined;
  private ids = 0;
  private answers = 0;
  /** Decisions that a listener took at once, and the outcome of the execution that each is about. */
  private readonly live: Promise<unknown>[] = [];

  constructor(
    private readonly watch: Watch,
    private readonly store: RunStore,
  ) {
    this.model = watch.model;
    this.clock = watch.clock;
  }

  async play(): Promise<RunResult> {
    const { model, clock } = this;
    const { concurrency, onStepFailure, undoOnFailure, budget, timeoutMs, maxReplans, stop } = model;
    const plan: PlanInput = { steps: this.watch.steps.map(toPlanStep) };
    const timer = stop?.at === "time" ? clock.setTimeout(() => this.stop(), stop.count) : undefined;
    this.handle = this.createAgent().start(plan, {
      concurrency,
      onStepFailure,
      undoOnFailure,
      timeoutMs,
      maxReplans,
      signal: this.controller.signal,
      ...(budget !== undefined && { budget: { toolCalls: budget } }),
    });
    let result = await this.settled(await clock.runUntil(this.handle.result));
    for (let execution = 1; execution < maxExecutions; execution++) {
      const open = (result.pending ?? []).filter(({ kind }) => kind !== "outcome");
      if (open.length === 0) break;
      result = await this.decide(result.runId, open, execution - 1);
    }
    clock.clearTimeout(timer);
    return result;
  }

  private createAgent(): Agent {
    const { clock, model, watch } = this;
    const number = this.agents.length;
    const agent = createAgent({
      tools: createModelTools(model.tools, number, watch),
      store: this.store,
      planner: this.planner,
      clock,
      createId: () => `${++this.ids}`,
      ...policyOf(model),
      ...(model.answers.length > 0 && { requestApproval: () => this.answer() }),
    });
    agent.subscribe((event) => {
      watch.onEvent(event, number);
      const { stop } = model;
      if (event.type === "approval-request") this.decideAtOnce(agent, event);
      if (stop?.at === "event" && watch.events.length === stop.count) this.stop();
    });
    this.agents.push(agent);
    return agent;
  }

  private stop(): void {
    const { model, watch, handle, controller } = this;
    if (model.stop?.by === "signal") controller.abort(new Error("enough"));
    else handle?.cancel("enough");
    watch.noteCancel();
  }

  private async answer(): Promise<ApprovalDecision> {
    const { answers } = this.model;
    const { answer, afterMs } = answers[this.answers++ % answers.length] ?? { answer: "suspend", afterMs: 0 };
    if (afterMs > 0) {
      this.watch.answersGivenUp++;
      await new Promise<void>((resolve) => this.clock.setTimeout(resolve, afterMs));
      this.watch.answersGivenUp--;
    }
    if (answer === "throw") throw new Error("nobody is there");
    return answer;
  }

  private async decide(runId: string, open: readonly PendingItem[], index: number): Promise<RunResult> {
    const draft: DecisionDraft = this.model.decisions[index] ?? {
      verdict: "approve",
      pick: 0,
      isWrongFirst: false,
      isChanged: false,
      isElsewhere: false,
    };
    const item = open[draft.pick % open.length] as PendingItem;
    const agent = draft.isElsewhere ? this.createAgent() : (this.agents.at(-1) as Agent);
    if (draft.isWrongFirst) await this.decideWrongly(agent, runId, item);
    const { verdict } = draft;
    const { signal } = this.controller;
    const isChanged = draft.isChanged && verdict === "approve" && item.kind === "approval";
    const input = isChanged ? { ...item.input, text: "changed" } : undefined;
    this.handle =
      input === undefined
        ? decideAbout(agent, { runId, item, verdict, signal })
        : agent.approve(runId, item as ApprovalItem, { signal, input, by: "somebody" });
    return this.settled(await this.clock.runUntil(this.handle.result));
  }

  /** Decides as a listener of requests may: in the current execution, or in the next one if it is too late. */
  private decideAtOnce(agent: Agent, event: AgentEventOf<"approval-request">): void {
    const { live } = this.model;
    const verdict = live.length === 0 ? "leave" : live[this.live.length % live.length];
    if (verdict === undefined || live.length === 0) return;
    if (verdict === "leave") {
      this.live.push(Promise.resolve());
      return;
    }
    const { runId } = event;
    const { result } = decideAbout(agent, { runId, item: event, verdict, signal: this.controller.signal });
    // Another decision may have been faster.
    this.live.push(
      result.catch(({ code }: { code: string }) => this.watch.expect(code === "run-conflict", () => code)),
    );
  }

  /** The outcome of a run once nobody decides any more: a decision may have come too late for its execution. */
  private async settled(result: RunResult): Promise<RunResult> {
    let count = -1;
    while (count !== this.live.length) {
      count = this.live.length;
      await this.clock.runUntil(Promise.all(this.live));
    }
    if (count === 0) return result;
    return toRunResult(foldEvents(result.runId, await this.store.read(result.runId)));
  }

  /** Tries the hash of something else, which must leave the run unchanged. */
  private async decideWrongly(agent: Agent, runId: string, item: PendingItem): Promise<void> {
    const before = (await this.store.read(runId)).length;
    const hash = "0".repeat(64);
    if (!("hash" in item)) return;
    const { result } = decideAbout(agent, { runId, item: { ...item, hash }, verdict: "approve", signal: undefined });
    const outcome = await this.clock.runUntil(
      result.then(
        ({ status }) => status,
        ({ code }: { code: string }) => code,
      ),
    );
    const added = (await this.store.read(runId)).length - before;
    this.wrongDecisions.push(added === 0 ? outcome : `${outcome}, ${added} events`);
  }

  private readonly planner: Planner = {
    name: "model",
    plan: () => Promise.reject(new Error("it only plans again")),
    replan: (request) => this.replan(request),
  };

  private replan({ replan, steps: records }: ReplanRequest) {
    const { watch, model } = this;
    const draft = model.replans[(replan - 1) % model.replans.length];
    if (draft === undefined || draft.mistake === "throws") throw new Error("no idea");
    const ids = draft.steps.map((_, index) => `r${replan}_${index + 1}`);
    const started = records.find(({ status }) => status === "failed" || status === "completed");
    if (draft.mistake === "old-id" && started !== undefined) ids[0] = started.stepId;
    const earlier = watch.steps.filter(({ id }) => watch.isDone(id));
    watch.proposed = toModelSteps(draft.steps, { ids, toolCount: model.tools.length, earlier });
    return { steps: watch.proposed.map(toPlanStep) };
  }
}

interface Deciding {
  readonly runId: string;
  readonly item: PendingItem | AgentEventOf<"approval-request">;
  readonly verdict: "approve" | "reject";
  readonly signal: AbortSignal | undefined;
}

/** Decides, with the whole item, or the whole event, as an approver has it. */
export function decideAbout(agent: Agent, { runId, item, verdict, signal }: Deciding): RunHandle {
  if (!("hash" in item)) throw new Error("Nobody can decide about this.");
  return agent[verdict](runId, item, { signal });
}
