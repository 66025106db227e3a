import type { PlanExpressions } from "../core/expressions.ts";
import type { Plan, PlanStep } from "../core/plan.ts";
import { isDecided, isDone, isOpen, type StepState } from "../core/step-state.ts";
import type { DefinedTool } from "../core/tool.ts";
import { ReadyQueue } from "./ready-queue.ts";
import type { Run } from "./run.ts";
import { runCall, type StepEnd } from "./run-call.ts";
import { runExpressionStep } from "./run-expression-step.ts";
import { opened } from "./secrets-of-run.ts";
import { buildGraph } from "./step-graph.ts";

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
        runStep(run, steps[index] as PlanStep, expressions).then((end) => settle(index, end), reject);
      }
      if (running > 0) return;
      pending?.close();
      resolve();
    };
    startReady();
  });
}

function runStep(run: Run, step: PlanStep, expressions: PlanExpressions | undefined): Promise<StepEnd> {
  const tool = run.settings.tools.get(step.tool) as DefinedTool;
  const ofStep = expressions?.get(step.id);
  if (ofStep === undefined) return runCall(run, { step, tool, iteration: undefined });
  return runExpressionStep(run, { step, tool, expressions: ofStep });
}

/** The steps that wait for approval while others run: each is ready again when somebody has decided about it. */
class PendingSteps {
  private readonly indexes = new Map<string, number>();
  private forget: (() => void) | undefined;

  constructor(
    private readonly run: Run,
    private readonly onReady: (index: number) => void,
  ) {}

  add(index: number, { id }: PlanStep): void {
    this.indexes.set(id, index);
    this.forget ??= this.run.onDecision((place) => this.look(place?.stepId));
    // Somebody may have decided about it before its turn was over.
    const state = this.run.state.steps.get(id);
    if (state !== undefined && isDecided(state)) this.look(id);
  }

  close(): void {
    this.forget?.();
    this.indexes.clear();
  }

  private look(stepId: string | undefined): void {
    const index = stepId === undefined ? undefined : this.indexes.get(stepId);
    if (stepId === undefined || index === undefined) return;
    this.indexes.delete(stepId);
    this.onReady(index);
  }
}
