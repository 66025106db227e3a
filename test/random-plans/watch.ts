import { isDeepStrictEqual } from "node:util";
import type { AgentEvent, AgentEventOf, JsonValue, Plan } from "planwright";
import type { ManualClock } from "planwright/testing";
import type { ModelCase } from "./model-case.ts";
import type { ModelStep } from "./model-plan.ts";
import type { Call, CallListener } from "./model-tools.ts";
import { checkCall } from "./watch-calls.ts";
import { checkNothingIdle } from "./watch-progress.ts";
import { beginLoop, onEnd, onSkip, onStart } from "./watch-steps.ts";

/** The progress of a step, or a pass of a loop, from the emitted events alone. */
export interface Progress {
  stage: "waiting" | "running" | "done" | "bad" | "skipped";
  hasStarted: boolean;
  /** Of a step that runs or has run. */
  input?: unknown;
  /** The index of its end among all events. */
  endedAt?: number;
  approval?: "requested" | "approved" | "rejected" | "withdrawn";
  /** The input that its approver replaced its own with. */
  changed?: unknown;
  output?: JsonValue;
  status?: string;
}

/** A loop that has started. */
export interface LoopProgress {
  readonly count: number;
  readonly items: readonly JsonValue[];
}

/** Follows a run from event to event and call to call, and notes every violation. */
export class Watch implements CallListener {
  readonly problems: string[] = [];
  readonly calls: Call[] = [];
  readonly events: AgentEvent[] = [];
  readonly progress = new Map<string, Progress>();
  readonly loops = new Map<string, LoopProgress>();
  /** Of the steps that are done. */
  readonly outputs = new Map<string, JsonValue>();
  /** The current plan. */
  steps: readonly ModelStep[];
  /** Every step that ever existed. */
  readonly known = new Map<string, ModelStep>();
  /** The planner's latest steps, until an event confirms them. */
  proposed: readonly ModelStep[] = [];
  isOpen = false;
  legStartMs = 0;
  /** The execution in which the run was cancelled, from 1. */
  cancelledExecution: number | undefined;
  private cancelledMs = 0;
  execution = 0;
  private lastMs = 0;
  hasFailed = false;
  /** When the first step failed whose failure counts. */
  failedMs = 0;
  /** Calls of `requestApproval` that may still wait on the clock, as nobody notifies them that they no longer count. */
  answersGivenUp = 0;
  isPlanRejected = false;
  runId = "";
  /** The circuits that are open, by agent and tool, and since when. */
  readonly circuits = new Map<string, number>();

  constructor(
    readonly model: ModelCase,
    readonly clock: ManualClock,
    steps: readonly ModelStep[],
  ) {
    this.steps = steps;
    for (const step of steps) this.known.set(step.id, step);
  }

  note(problem: string): void {
    this.problems.push(`event ${this.events.length}, ${this.clock.now() - Date.UTC(2026, 0, 1)} ms: ${problem}`);
  }

  /** Notes that the run is cancelled now, if it is running. */
  noteCancel(): void {
    if (!this.isOpen || this.cancelledExecution === this.execution) return;
    this.cancelledExecution = this.execution;
    this.cancelledMs = this.clock.now();
  }

  expect(holds: boolean, problem: () => string): void {
    if (!holds) this.note(problem());
  }

  noteFailure(): void {
    if (!this.hasFailed) this.failedMs = this.clock.now();
    this.hasFailed = true;
  }

  stepOf(id: string): ModelStep | undefined {
    return this.known.get(id) ?? this.proposed.find((step) => step.id === id);
  }

  onCall(call: Call): void {
    checkCall(this, call);
    this.calls.push(call);
  }

  /** Whether the dependents of a step may start. */
  isDone(id: string): boolean {
    return this.outputs.has(id);
  }

  /** The steps that have started and not ended; a loop counts once. */
  openSteps(): ReadonlySet<string> {
    const open = new Set<string>();
    for (const [key, { stage }] of this.progress)
      if (stage === "running" && !key.endsWith("/undo")) open.add(stepIdOf(key));
    return open;
  }

  onEvent(event: AgentEvent, agent: number): void {
    if (this.clock.now() > this.lastMs) checkNothingIdle(this);
    this.lastMs = this.clock.now();
    this.events.push(event);
    switch (event.type) {
      case "run-start":
      case "run-resume":
        this.isOpen = true;
        this.execution++;
        this.legStartMs = this.clock.now();
        this.runId = event.runId;
        break;
      case "run-suspend":
      case "run-end":
        this.isOpen = false;
        this.expect(this.openSteps().size === 0, () => "the execution is closed while steps run");
        break;
      case "step-start":
        onStart(this, event);
        break;
      case "step-end":
        onEnd(this, event);
        break;
      case "step-skip":
        onSkip(this, event);
        break;
      case "approval-request":
      case "approval-end":
        this.onApproval(event);
        break;
      case "step-retry": {
        const isLate =
          this.cancelledExecution === this.execution && this.clock.now() > this.cancelledMs && event.undo === undefined;
        this.expect(!isLate, () => `${keyOf(event)} is to be tried again after the run was cancelled`);
        break;
      }
      case "plan-revise":
        this.onRevise(event);
        break;
      case "circuit-change":
        this.onCircuit(event, agent);
        break;
      case "undo-start":
        this.expect(this.openSteps().size === 0, () => `${keyOf(event)} is undone while steps run`);
        break;
      default:
        break;
    }
  }

  /** Notes the outcome of a step, or of a loop all of whose passes have ended. */
  finishStep(stepId: string, iteration: number | undefined): void {
    const loop = iteration === undefined ? undefined : this.loops.get(stepId);
    if (loop === undefined) {
      const state = this.progress.get(stepId);
      if (state?.stage === "done") this.outputs.set(stepId, state.output ?? null);
      return;
    }
    const passes = Array.from({ length: loop.count }, (_, index) => this.progress.get(`${stepId}[${index}]`));
    if (passes.some((pass) => pass?.stage !== "done")) return;
    this.outputs.set(
      stepId,
      passes.map((pass) => pass?.output ?? null),
    );
  }

  private onRevise({ outcome, replan }: AgentEventOf<"plan-revise">): void {
    const { mistake } = this.model.replans[(replan - 1) % this.model.replans.length] ?? { mistake: "none" };
    this.expect(replan <= this.model.maxReplans, () => `replan ${replan} of ${this.model.maxReplans}`);
    const isMade = outcome.status === "completed";
    const isStopped = this.cancelledExecution !== undefined || this.model.timeoutMs !== undefined;
    const problem = isMade ? "" : ` ${outcome.error.message}`;
    this.expect(
      isMade ? mistake === "none" : mistake !== "none" || isStopped,
      () => `a replan is ${outcome.status}${problem}`,
    );
    if (isMade) this.adopt(outcome.plan);
  }

  private adopt({ steps }: Plan): void {
    const byId = new Map([...this.steps, ...this.proposed].map((step) => [step.id, step]));
    const added = new Set(this.proposed);
    const kept = this.steps
      .filter(({ id }) => this.isDone(id))
      .map((step) => ({ ...step, dependsOn: step.dependsOn ?? [] }));
    const expected = [...kept, ...this.proposed].map(({ id }) => id).join();
    const given = steps.map(({ id }) => id).join();
    this.expect(given === expected, () => `the revised plan has ${given}, not ${expected}`);
    for (const step of added) {
      this.known.set(step.id, step);
      const state = this.progress.get(step.id);
      this.expect(
        state === undefined || state.stage === "waiting",
        () => `${step.id} is planned again and had started`,
      );
      this.progress.delete(step.id);
    }
    for (const [key, { stage, approval }] of this.progress) {
      const isOpen = stage === "waiting" && approval === "requested";
      this.expect(!isOpen, () => `${key} is no longer planned, and what was asked about it is still open`);
    }
    this.steps = [...kept, ...this.proposed].filter(({ id }) => byId.has(id));
    this.hasFailed = false;
  }

  private onApproval(event: AgentEventOf<"approval-request" | "approval-end">): void {
    if (!("stepId" in event) || event.stepId === undefined) {
      if (event.type === "approval-end") this.isPlanRejected = event.outcome.status === "rejected";
      return;
    }
    const key = keyOf(event);
    const state = this.progress.get(key) ?? { stage: "waiting", hasStarted: false };
    // The request of a step skipped after a failure is closed when a replan removes its step.
    const isClosed = event.type === "approval-end" && event.outcome.status === "withdrawn" && state.stage === "skipped";
    this.expect(state.stage === "waiting" || isClosed, () => `${event.type} of ${key}, which is ${state.stage}`);
    if (event.type === "approval-request") {
      const step = this.stepOf(event.stepId);
      if (step !== undefined) beginLoop(this, event, step);
    } else this.expect(state.approval === "requested", () => `${key} was not asked for and is decided`);
    const approval = event.type === "approval-request" ? "requested" : event.outcome.status;
    const isApproved = event.type === "approval-end" && event.outcome.status === "approved";
    const changed = isApproved ? event.outcome.changed?.input : undefined;
    this.progress.set(key, { ...state, approval, changed });
  }

  private onCircuit({ tool, state }: AgentEventOf<"circuit-change">, agent: number): void {
    const circuit = `${agent}/${tool}`;
    const before = this.circuits.get(circuit);
    this.expect(state === "open" || before !== undefined, () => `the circuit of ${tool} is ${state} and was closed`);
    if (state === "half-open" && before !== undefined) {
      const { resetAfterMs = 0 } = this.model.tools[Number(tool.slice(1))]?.circuitBreaker ?? {};
      const openMs = this.clock.now() - before;
      this.expect(openMs >= resetAfterMs, () => `the circuit of ${tool} was open for ${openMs} ms only`);
    }
    if (state === "closed") this.circuits.delete(circuit);
    else this.circuits.set(circuit, state === "open" ? this.clock.now() : Number.NaN);
  }
}

/** What an event is about: `s1` or `s1[0]`. */
export function keyOf({ stepId, iteration }: { stepId?: string; iteration?: number }): string {
  return iteration === undefined ? `${stepId}` : `${stepId}[${iteration}]`;
}

/** The step of a key. */
export function stepIdOf(key: string): string {
  return key.replace(/[[/].*$/, "");
}

/** Whether two values are the same JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}
