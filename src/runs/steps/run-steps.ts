import { callAt } from "../../async/call-at.ts";
import type { Plan, PlanStep } from "../../core/plan.ts";
import { isDecided, isDone, isOpen, type StepState } from "../../core/step-state.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { callsTool, isWaitOver } from "../../core/wait-step.ts";
import type { StepExpressions } from "../../plan/expressions/step-expressions.ts";
import type { PlanExpressions } from "../../plan/expressions.ts";
import type { Run } from "../run.ts";
import { buildGraph } from "../run-progress.ts";
import { opened } from "../secrets/secrets-of-run.ts";
import { runExpressionStep } from "./run-expression-step.ts";
import { runStep, type StepEnd } from "./run-step.ts";
import { runWait } from "./run-wait.ts";

/**
 * Runs the steps of a plan that have not ended: each as soon as its dependencies are done, the earliest in the plan
 * first, at most `concurrency` at a time. After one has failed no other starts; if the run continues after failures,
 * only its dependents do not start. Resolves when nothing runs and nothing can start.
 */
export function runSteps(run: Run, { steps }: Plan, expressions: PlanExpressions | undefined): Promise<void> {
  const { waitingFor, dependents } = buildGraph(opened(run, steps), expressions);
  const { concurrency } = run.settings.stored;
  const ready = new ReadyQueue();
  let running = 0;
  run.startSteps();
  // The dependencies of a step come before it.
  for (const [index, { id }] of steps.entries()) {
    const state = run.state.steps.get(id) as StepState;
    if (!isOpen(state)) {
      if (!isDone(state)) run.stopSteps();
      else for (const dependent of dependents[index] ?? []) waitingFor[dependent] = (waitingFor[dependent] ?? 0) - 1;
    } else {
      // An iteration in doubt leaves the rest of its loop open.
      if (state.iterations?.states.some((one) => !isOpen(one) && !isDone(one))) run.stopSteps();
      if (waitingFor[index] === 0) ready.add(index);
    }
  }
  return new Promise((resolve, reject) => {
    let pending: PendingSteps | undefined;
    const again = (index: number) => {
      ready.add(index);
      startReady();
    };
    const settle = (index: number, end: StepEnd) => {
      running--;
      if (end === "waiting") {
        pending ??= new PendingSteps(run, again);
        pending.add(index, steps[index] as PlanStep);
      }
      for (const dependent of end === "done" ? (dependents[index] ?? []) : []) {
        const left = (waitingFor[dependent] ?? 0) - 1;
        waitingFor[dependent] = left;
        if (left === 0) ready.add(dependent);
      }
      startReady();
    };
    const startReady = () => {
      while (running < concurrency && run.canStart()) {
        const index = ready.take();
        if (index === undefined) break;
        running++;
        const step = steps[index] as PlanStep;
        const ending = runAny(run, step, expressions?.get(step.id));
        ending.then((end) => settle(index, end), reject);
      }
      if (running > 0) return;
      pending?.close();
      resolve();
    };
    startReady();
  });
}

function runAny(run: Run, step: PlanStep, expressions: StepExpressions | undefined): Promise<StepEnd> {
  if (!callsTool(step)) return runWait(run, step, expressions);
  const tool = run.settings.tools.get(step.tool) as DefinedTool;
  return expressions === undefined
    ? runStep(run, { step, tool, iteration: undefined })
    : runExpressionStep(run, { step, tool, expressions });
}

/** The steps that wait for approval, a time or an event while others run: each is ready again when that may be over. */
class PendingSteps {
  private readonly indexes = new Map<string, number>();
  private forget: (() => void) | undefined;
  private timers: (() => void)[] | undefined;

  constructor(
    private readonly run: Run,
    private readonly onReady: (index: number) => void,
  ) {}

  add(index: number, { id }: PlanStep): void {
    this.indexes.set(id, index);
    this.forget ??= this.run.onDecision((ref) => this.look(ref?.stepId));
    // Somebody may have decided about it before its turn was over.
    const state = this.run.state.steps.get(id);
    if (state === undefined) return;
    if (isDecided(state) || isWaitOver(state, this.run.now())) this.look(id);
    else if (state.wait?.until !== undefined) {
      this.timers ??= [];
      this.timers.push(callAt(this.run.engine.clock, Date.parse(state.wait.until), () => this.look(id)));
    }
  }

  close(): void {
    this.forget?.();
    for (const stop of this.timers ?? []) stop();
    this.indexes.clear();
  }

  private look(stepId: string | undefined): void {
    const index = stepId === undefined ? undefined : this.indexes.get(stepId);
    if (stepId === undefined || index === undefined) return;
    this.indexes.delete(stepId);
    this.onReady(index);
  }
}

/** The indexes of steps that may start; the lowest comes first. A binary heap: O(log n) per step. */
class ReadyQueue {
  private readonly heap: number[] = [];

  add(index: number): void {
    let position = this.heap.push(index) - 1;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (this.at(parent) <= index) break;
      this.heap[position] = this.at(parent);
      position = parent;
    }
    this.heap[position] = index;
  }

  /** Removes and returns the lowest index; undefined if there is none. */
  take(): number | undefined {
    const lowest = this.heap[0];
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return lowest;
    let position = 0;
    for (;;) {
      const left = 2 * position + 1;
      const child = this.at(left + 1) < this.at(left) ? left + 1 : left;
      if (this.at(child) >= last) break;
      this.heap[position] = this.at(child);
      position = child;
    }
    this.heap[position] = last;
    return lowest;
  }

  private at(position: number): number {
    return this.heap[position] ?? Number.POSITIVE_INFINITY;
  }
}
