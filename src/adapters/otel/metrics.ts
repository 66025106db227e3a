import type { Attributes, Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api";
import { RecentMap } from "../../async/recent-map.ts";
import type { AgentEvent, AgentEventOf } from "../../core/events.ts";
import type { PlanStep } from "../../core/plan.ts";
import { describeStepRef, stepRefOf } from "../../core/step.ts";
import { type EventHandlers, handle } from "./event-handlers.ts";
import { attribute, splitModel } from "./names.ts";
import { type Totals, totalsOf } from "./totals.ts";

const maxWaiting = 10_000;

/** What is remembered of an execution for its durations, in milliseconds. */
interface Execution {
  /** Absent for a planning without a run. */
  startMs?: number;
  planningMs: number;
  planner: string;
  /** When each running step, by its ref, started. */
  readonly started: Map<string, number>;
  /** When a step could start, as far as it depends on what has this name. */
  readonly ready: Map<string, number>;
  dependencies: ReadonlyMap<string, readonly string[]>;
}

/** Counts and durations of runs, plans, models and tools. */
export class Metrics {
  private readonly runs = new Map<string, Execution>();
  /** The tools whose breaker is open. */
  private readonly openCircuits = new Set<string>();
  /** How many questions of a run wait. Of those that another process ends, the oldest are forgotten. */
  private readonly waiting = new RecentMap<number>(maxWaiting);
  private readonly instruments: Instruments;
  private readonly totals: Totals;

  /** `now` is in milliseconds, of a clock that is never set. */
  constructor(
    meter: Meter,
    private readonly name: string,
    private readonly now: () => number,
  ) {
    this.instruments = instrumentsOf(meter);
    this.totals = totalsOf(meter);
  }

  event(event: AgentEvent): void {
    handle(metricHandlers, this, event);
  }

  begin(runId: string, steps?: readonly PlanStep[]): void {
    const execution = this.executionOf(runId);
    execution.startMs = this.now();
    if (steps !== undefined) this.adopt(execution, steps);
  }

  startPlanning({ runId, planner }: AgentEventOf<"plan-start">): void {
    const execution = this.executionOf(runId);
    execution.planningMs = this.now();
    execution.planner = planner;
  }

  endPlanning({ runId, outcome }: AgentEventOf<"plan-end">): void {
    const { plans, planDuration } = this.instruments;
    const execution = this.executionOf(runId);
    const seconds = this.secondsSince(execution.planningMs);
    const planner = outcome.status === "completed" ? outcome.plan.source.planner : execution.planner;
    plans.add(1, { [attribute.planner]: planner, [attribute.outcome]: outcome.status });
    planDuration.record(seconds, { [attribute.planner]: planner, [attribute.outcome]: outcome.status });
    this.totals.setPlanning(planner, seconds);
    if (outcome.status === "completed") this.adopt(execution, outcome.plan.steps);
    if (execution.startMs === undefined) this.runs.delete(runId);
  }

  revise({ runId, outcome }: AgentEventOf<"plan-revise">): void {
    if (outcome.status === "completed") this.adopt(this.executionOf(runId), outcome.plan.steps);
  }

  endModel({ model: id, outcome, durationMs, usage }: AgentEventOf<"model-end">): void {
    const { tokens, modelDuration } = this.instruments;
    const { provider, model } = splitModel(id);
    const named = { [attribute.operation]: "chat", [attribute.provider]: provider, [attribute.requestModel]: model };
    const error = outcome.status === "failed" ? errorAttributes(outcome.error) : {};
    modelDuration.record(durationMs / 1_000, { ...named, ...error });
    tokens.record(usage.inputTokens, { ...named, [attribute.tokenType]: "input" });
    tokens.record(usage.outputTokens, { ...named, [attribute.tokenType]: "output" });
  }

  /** Of a loop, each iteration counts from when the loop could start. */
  startStep(event: AgentEventOf<"step-start">): void {
    const { started, ready, dependencies, startMs = 0 } = this.executionOf(event.runId);
    const { stepId, tool } = event;
    const nowMs = this.now();
    started.set(describeStepRef(stepRefOf(event)), nowMs);
    let readyMs = Math.max(startMs, ready.get(planName) ?? 0, ready.get(approvalName(stepId)) ?? 0);
    for (const id of dependencies.get(stepId) ?? []) readyMs = Math.max(readyMs, ready.get(id) ?? 0);
    this.instruments.queueDuration.record(secondsBetween(readyMs, nowMs), { [attribute.tool]: tool });
  }

  endStep(event: AgentEventOf<"step-end">): void {
    const { started, ready } = this.executionOf(event.runId);
    const { stepId, tool, outcome } = event;
    const ref = describeStepRef(stepRefOf(event));
    const nowMs = this.now();
    const seconds = secondsBetween(started.get(ref) ?? nowMs, nowMs);
    started.delete(ref);
    ready.set(stepId, nowMs);
    const hasFailed = outcome.status === "failed" || outcome.status === "unknown";
    this.totals.countStep(tool, outcome.status);
    this.totals.setStep(tool, seconds);
    const attributes = { [attribute.tool]: tool, ...(hasFailed && errorAttributes(outcome.error)) };
    this.instruments.toolDuration.record(seconds, attributes);
  }

  retry({ tool }: AgentEventOf<"step-retry">): void {
    this.instruments.retries.add(1, { [attribute.tool]: tool });
  }

  skip({ runId, stepId }: AgentEventOf<"step-skip">): void {
    this.executionOf(runId).ready.set(stepId, this.now());
  }

  ask({ runId }: AgentEventOf<"approval-request">): void {
    this.changeWaiting(runId, 1);
  }

  decide(event: AgentEventOf<"approval-end">): void {
    this.changeWaiting(event.runId, -1);
    const name = event.kind === "step" ? approvalName(event.stepId) : planName;
    this.runs.get(event.runId)?.ready.set(name, this.now());
  }

  changeCircuit({ tool, state }: AgentEventOf<"circuit-change">): void {
    const isOpen = state === "open";
    if (isOpen === this.openCircuits.has(tool)) return;
    if (isOpen) this.openCircuits.add(tool);
    else this.openCircuits.delete(tool);
    this.instruments.openCircuits.add(isOpen ? 1 : -1, { [attribute.tool]: tool });
  }

  /** A run that has ended waits for no answer. */
  endRun({ runId, outcome }: AgentEventOf<"run-end">): void {
    this.changeWaiting(runId, -Math.max(0, this.waiting.get(runId) ?? 0));
    this.end(runId, {
      [attribute.runStatus]: outcome.status,
      ...(outcome.status === "failed" && errorAttributes(outcome.error)),
    });
  }

  end(runId: string, attributes: Attributes): void {
    const { startMs } = this.executionOf(runId);
    this.runs.delete(runId);
    const named = { [attribute.agent]: this.name, ...attributes };
    this.instruments.runs.add(1, named);
    this.instruments.runDuration.record(this.secondsSince(startMs ?? this.now()), named);
  }

  private changeWaiting(runId: string, change: number): void {
    if (change === 0) return;
    this.instruments.approvals.add(change);
    const count = (this.waiting.get(runId) ?? 0) + change;
    this.waiting.set(runId, count);
  }

  private executionOf(runId: string): Execution {
    let execution = this.runs.get(runId);
    if (execution === undefined) {
      execution = {
        planningMs: this.now(),
        planner: "",
        started: new Map(),
        ready: new Map(),
        dependencies: new Map(),
      };
      this.runs.set(runId, execution);
    }
    return execution;
  }

  private adopt(execution: Execution, steps: readonly PlanStep[]): void {
    execution.ready.set(planName, this.now());
    execution.dependencies = new Map(
      steps.map(({ id, dependsOn }, index) => {
        const before = steps[index - 1];
        return [id, dependsOn ?? (before === undefined ? [] : [before.id])];
      }),
    );
  }

  private secondsSince(ms: number): number {
    return secondsBetween(ms, this.now());
  }
}

function secondsBetween(startMs: number, endMs: number): number {
  return Math.max(0, endMs - startMs) / 1_000;
}

const metricHandlers: EventHandlers<Metrics> = {
  "run-start": (metrics, { runId, plan }) => metrics.begin(runId, plan?.steps),
  "run-resume": (metrics, { runId }) => metrics.begin(runId),
  "plan-start": (metrics, event) => metrics.startPlanning(event),
  "plan-end": (metrics, event) => metrics.endPlanning(event),
  "plan-revise": (metrics, event) => metrics.revise(event),
  "model-end": (metrics, event) => metrics.endModel(event),
  "step-start": (metrics, event) => metrics.startStep(event),
  "step-retry": (metrics, event) => metrics.retry(event),
  "step-end": (metrics, event) => metrics.endStep(event),
  "step-skip": (metrics, event) => metrics.skip(event),
  "approval-request": (metrics, event) => metrics.ask(event),
  "approval-end": (metrics, event) => metrics.decide(event),
  "circuit-change": (metrics, event) => metrics.changeCircuit(event),
  "run-suspend": (metrics, { runId }) => metrics.end(runId, { [attribute.runStatus]: "suspended" }),
  "run-end": (metrics, event) => metrics.endRun(event),
};

/** What a step waits for besides the steps before it. */
const planName = " plan";
const approvalName = (stepId: string) => ` approval of ${stepId}`;

function errorAttributes({ code, name }: { readonly code?: string; readonly name: string }): Attributes {
  return { [attribute.errorType]: code ?? name };
}

/** In seconds, as the conventions advise for `gen_ai.client.operation.duration`. */
const durationBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** As they advise for `gen_ai.client.token.usage`. */
const tokenBuckets = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** What is measured. */
interface Instruments {
  readonly tokens: Histogram;
  readonly modelDuration: Histogram;
  readonly runDuration: Histogram;
  readonly toolDuration: Histogram;
  readonly planDuration: Histogram;
  readonly queueDuration: Histogram;
  readonly runs: Counter;
  readonly plans: Counter;
  readonly retries: Counter;
  readonly openCircuits: UpDownCounter;
  readonly approvals: UpDownCounter;
}

/** Creates the instruments, those of the conventions under their names. */
function instrumentsOf(meter: Meter): Instruments {
  const histogram = (name: string, description: string, unit: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries } });
  const duration = (name: string, description: string) => histogram(name, description, "s", durationBuckets);
  const counter = (name: string, description: string, unit: string) => meter.createCounter(name, { description, unit });
  const level = (name: string, description: string, unit: string) =>
    meter.createUpDownCounter(name, { description, unit });
  return {
    tokens: histogram("gen_ai.client.token.usage", "Tokens of an attempt to call a model", "{token}", tokenBuckets),
    modelDuration: duration("gen_ai.client.operation.duration", "Duration of an attempt to call a model"),
    runDuration: duration("gen_ai.invoke_agent.duration", "Duration of an execution of a run"),
    toolDuration: duration("gen_ai.execute_tool.duration", "Duration of a step, with all its attempts"),
    planDuration: duration("planwright.plan.duration", "Duration of a planning"),
    queueDuration: duration("planwright.step.queue.duration", "Time from when a step could start until it started"),
    runs: counter("planwright.runs", "Executions of runs, by how they ended", "{run}"),
    plans: counter("planwright.plans", "Plannings, by planner and how they ended", "{plan}"),
    retries: counter("planwright.retries", "Failed attempts that were repeated, by tool", "{attempt}"),
    openCircuits: level("planwright.circuits.open", "Tools whose circuit breaker is open", "{tool}"),
    approvals: level("planwright.approvals.waiting", "Questions that wait for an answer", "{question}"),
  };
}
