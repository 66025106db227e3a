import type { Attributes, Meter, Observable } from "@opentelemetry/api";
import { RecentMap } from "../../async/recent-map.ts";
import { type AgentEvent, type EventHandlers, handleEvent } from "../../core/events.ts";
import type { PlanStep } from "../../core/plan.ts";
import { describeStepRef } from "../../core/step.ts";
import { attribute, splitModel, toErrorAttributes } from "./attributes.ts";

const maxWaiting = 10_000;

interface Execution {
  startMs?: number;
  planningMs: number;
  planner: string;
  readonly started: Map<string, number>;
  readonly ready: Map<string, number>;
  dependencies: ReadonlyMap<string, readonly string[]>;
}

export type MetricFactory = Pick<
  Meter,
  "createCounter" | "createUpDownCounter" | "createHistogram" | "createObservableCounter" | "createObservableGauge"
>;

const planName = " plan";
const toApprovalName = (stepId: string) => ` approval of ${stepId}`;

export class Metrics {
  readonly #runs = new Map<string, Execution>();
  readonly #openCircuits = new Set<string>();
  /** Number of open questions by run. Forgets the oldest runs, as another process may have ended them. */
  readonly #waiting = new RecentMap<number>(maxWaiting);
  readonly #instruments: Instruments;

  constructor(
    meter: MetricFactory,
    private readonly name: string,
    private readonly now: () => number,
  ) {
    this.#instruments = instrumentsOf.get(meter) ?? createInstruments(meter);
    instrumentsOf.set(meter, this.#instruments);
  }

  event(event: AgentEvent): void {
    handleEvent(this.#handlers, event);
  }

  readonly #handlers: EventHandlers = {
    "run-start": ({ runId, plan }) => this.#begin(runId, plan?.steps),
    "run-resume": ({ runId }) => this.#begin(runId),
    "run-suspend": ({ runId }) => this.#end(runId, { [attribute.runStatus]: "suspended" }),
    "run-end": ({ runId, outcome }) => {
      this.#changeWaiting(runId, -Math.max(0, this.#waiting.get(runId) ?? 0));
      const error = outcome.status === "failed" ? toErrorAttributes(outcome.error) : {};
      this.#end(runId, { [attribute.runStatus]: outcome.status, ...error });
    },
    "plan-start": ({ runId, planner }) => {
      const execution = this.#getExecution(runId);
      execution.planningMs = this.now();
      execution.planner = planner;
    },
    "plan-end": ({ runId, outcome }) => {
      const { plans, planDuration, last } = this.#instruments;
      const execution = this.#getExecution(runId);
      const seconds = getSecondsBetween(execution.planningMs, this.now());
      const planner = outcome.status === "completed" ? outcome.plan.source.planner : execution.planner;
      const attributes = { [attribute.planner]: planner, [attribute.outcome]: outcome.status };
      plans.add(1, attributes);
      planDuration.record(seconds, attributes);
      last({ [attribute.operation]: "plan", [attribute.planner]: planner }).value = seconds;
      if (outcome.status === "completed") this.#adopt(execution, outcome.plan.steps);
      if (execution.startMs === undefined) this.#runs.delete(runId);
    },
    "plan-revise": ({ runId, outcome }) => {
      if (outcome.status === "completed") this.#adopt(this.#getExecution(runId), outcome.plan.steps);
    },
    "model-end": ({ model: id, outcome, durationMs, usage }) => {
      const { tokens, modelDuration } = this.#instruments;
      const { provider, model } = splitModel(id);
      const named = { [attribute.operation]: "chat", [attribute.provider]: provider, [attribute.requestModel]: model };
      const error = outcome.status === "failed" ? toErrorAttributes(outcome.error, "model-failed") : {};
      modelDuration.record(durationMs / 1_000, { ...named, ...error });
      tokens.record(usage.inputTokens, { ...named, [attribute.tokenType]: "input" });
      tokens.record(usage.outputTokens, { ...named, [attribute.tokenType]: "output" });
    },
    "step-start": (event) => {
      const { started, ready, dependencies, startMs = 0 } = this.#getExecution(event.runId);
      const { stepId, tool } = event;
      const nowMs = this.now();
      started.set(describeStepRef(event), nowMs);
      let readyMs = Math.max(startMs, ready.get(planName) ?? 0, ready.get(toApprovalName(stepId)) ?? 0);
      for (const id of dependencies.get(stepId) ?? []) readyMs = Math.max(readyMs, ready.get(id) ?? 0);
      this.#instruments.queueDuration.record(getSecondsBetween(readyMs, nowMs), { [attribute.tool]: tool });
    },
    "step-retry": ({ tool }) => this.#instruments.retries.add(1, { [attribute.tool]: tool }),
    "step-end": (event) => {
      const { started, ready } = this.#getExecution(event.runId);
      const { stepId, tool, outcome } = event;
      const ref = describeStepRef(event);
      const nowMs = this.now();
      const seconds = getSecondsBetween(started.get(ref) ?? nowMs, nowMs);
      started.delete(ref);
      ready.set(stepId, nowMs);
      const hasFailed = outcome.status === "failed" || outcome.status === "unknown";
      const named = { [attribute.tool]: tool };
      const { steps, last, toolDuration } = this.#instruments;
      steps({ ...named, [attribute.stepStatus]: outcome.status }).value += 1;
      last({ [attribute.operation]: "execute_tool", ...named }).value = seconds;
      toolDuration.record(seconds, { ...named, ...(hasFailed && toErrorAttributes(outcome.error)) });
    },
    "step-skip": ({ runId, stepId }) => void this.#getExecution(runId).ready.set(stepId, this.now()),
    "approval-request": ({ runId }) => this.#changeWaiting(runId, 1),
    "approval-end": (event) => {
      this.#changeWaiting(event.runId, -1);
      const name = event.kind === "step" ? toApprovalName(event.stepId) : planName;
      this.#runs.get(event.runId)?.ready.set(name, this.now());
    },
    "circuit-change": ({ tool, state }) => {
      const isOpen = state === "open";
      if (isOpen === this.#openCircuits.has(tool)) return;
      if (isOpen) this.#openCircuits.add(tool);
      else this.#openCircuits.delete(tool);
      this.#instruments.openCircuits.add(isOpen ? 1 : -1, { [attribute.tool]: tool });
    },
  };

  #begin(runId: string, steps?: readonly PlanStep[]): void {
    const execution = this.#getExecution(runId);
    execution.startMs = this.now();
    if (steps !== undefined) this.#adopt(execution, steps);
  }

  #end(runId: string, attributes: Attributes): void {
    const nowMs = this.now();
    const { startMs = nowMs } = this.#getExecution(runId);
    this.#runs.delete(runId);
    const named = { [attribute.agent]: this.name, ...attributes };
    this.#instruments.runs.add(1, named);
    this.#instruments.runDuration.record(getSecondsBetween(startMs, nowMs), named);
  }

  #changeWaiting(runId: string, change: number): void {
    if (change === 0) return;
    this.#instruments.approvals.add(change);
    this.#waiting.set(runId, (this.#waiting.get(runId) ?? 0) + change);
  }

  #getExecution(runId: string): Execution {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const maps = { started: new Map(), ready: new Map(), dependencies: new Map() };
    const execution = { planningMs: this.now(), planner: "", ...maps };
    this.#runs.set(runId, execution);
    return execution;
  }

  #adopt(execution: Execution, steps: readonly PlanStep[]): void {
    execution.ready.set(planName, this.now());
    execution.dependencies = new Map(
      steps.map(({ id, dependsOn }, index) => {
        const before = steps[index - 1];
        return [id, dependsOn ?? (before === undefined ? [] : [before.id])];
      }),
    );
  }
}

function getSecondsBetween(startMs: number, endMs: number): number {
  return Math.max(0, endMs - startMs) / 1_000;
}

// Buckets recommended for `gen_ai.client.operation.duration`, in seconds, and `gen_ai.client.token.usage`.
const durationBuckets = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

type Instruments = ReturnType<typeof createInstruments>;

/** Instruments by meter. Observers share them, as the totals of one would otherwise replace those of another. */
const instrumentsOf = new WeakMap<MetricFactory, Instruments>();

function createInstruments(meter: MetricFactory) {
  const histogram = (name: string, description: string, unit: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries } });
  const duration = (name: string, description: string) => histogram(name, description, "s", durationBuckets);
  const counter = (name: string, description: string, unit: string) => meter.createCounter(name, { description, unit });
  const ofSteps = { description: "Steps, by tool and how they ended", unit: "{step}" };
  const ofLast = { description: "Duration of a planner's latest planning, or of a tool's latest step", unit: "s" };
  const level = (name: string, description: string, unit: string) =>
    meter.createUpDownCounter(name, { description, unit });
  return {
    tokens: histogram("gen_ai.client.token.usage", "Tokens of an attempt to call a model", "{token}", tokenBuckets),
    modelDuration: duration("gen_ai.client.operation.duration", "Duration of an attempt to call a model"),
    runDuration: duration("gen_ai.invoke_agent.duration", "Duration of an execution of a run"),
    toolDuration: duration("gen_ai.execute_tool.duration", "Duration of a step, with all its attempts"),
    planDuration: duration("planwright.plan.duration", "Duration of planning a request"),
    queueDuration: duration("planwright.step.queue.duration", "Time from when a step could start until it started"),
    runs: counter("planwright.runs", "Executions of runs, by how they ended", "{run}"),
    plans: counter("planwright.plans", "Attempts to plan, by planner and how they ended", "{plan}"),
    retries: counter("planwright.retries", "Failed attempts that were repeated, by tool", "{attempt}"),
    openCircuits: level("planwright.circuits.open", "Tools whose circuit breaker is open", "{tool}"),
    approvals: level("planwright.approvals.waiting", "Questions that wait for an answer", "{question}"),
    steps: createTotals(meter.createObservableCounter("planwright.steps", ofSteps)),
    last: createTotals(meter.createObservableGauge("planwright.last.duration", ofLast)),
  };
}

type Total = { readonly attributes: Attributes; value: number };

/** Reports totals only when metrics are collected, as recording each number with an SDK is slow. */
function createTotals(instrument: Observable): (attributes: Attributes) => Total {
  const totals = new Map<string, Total>();
  instrument.addCallback((result) => {
    for (const { value, attributes } of totals.values()) result.observe(value, attributes);
  });
  return (attributes) => {
    const key = Object.values(attributes).join(" ");
    const total = totals.get(key) ?? { attributes, value: 0 };
    totals.set(key, total);
    return total;
  };
}
