import { callAt } from "../../async/clock.ts";
import type { Plan, PlanStep, ToolStep } from "../../core/plan.ts";
import { callsTool } from "../../core/step.ts";
import { isDecided, isDone, isOpen, isWaitOver, type StepState } from "../../core/step-state.ts";
import type { DefinedTool } from "../../core/tool.ts";
import type { StepExpressions } from "../../plan/expressions/step-expressions.ts";
import type { PlanExpressions } from "../../plan/expressions.ts";
import type { Run } from "../run.ts";
import { buildGraph } from "../run-progress.ts";
import { opened } from "../secrets/secrets-of-run.ts";
import { ReadySteps } from "./ready-steps.ts";
import { runExpressionStep } from "./run-expression-step.ts";
import { runStep, type StepEnd, type StepQueue } from "./run-step.ts";
import { runWait } from "./run-wait.ts";
import type { StepTask } from "./step-call.ts";

/**
 * Runs the steps of a plan that have not ended: each as soon as its dependencies are done, the earliest in the plan
 * first, at most `concurrency` at a time. After one has failed no other starts; if the run continues after failures,
 * only its dependents do not start. Resolves when nothing runs and nothing can start.
 */
export function runSteps(run: Run, { steps }: Plan, expressions: PlanExpressions | undefined): Promise<void> {
  const { concurrency } = run.settings.stored;
  run.startSteps();
  const ready = readySteps(run, steps, expressions);
  let running = 0;
  const follow = (index: number) => {
    const step = steps[index] as PlanStep;
    return callsTool(step) && expressions?.has(step.id) !== true ? taskOf(run, step) : undefined;
  };
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
      if (end === "done") ready.release(index);
      startReady();
    };
    const start = (first: number) => {
      const slot = new Slot(first, { ready, startReady, follow });
      const step = steps[first] as PlanStep;
      const ending = startIn(slot, { run, step, expressions: expressions?.get(step.id) });
      ending.then((end) => settle(slot.current, end), reject);
    };
    const startReady = () => {
      while (running < concurrency && run.canStart()) {
        const index = ready.take();
        if (index === undefined) break;
        running++;
        start(index);
      }
      if (running > 0) return;
      pending?.close();
      resolve();
    };
    startReady();
  });
}

/** The steps of a plan that may start now. A step that can no longer end well stops the others. */
function readySteps(run: Run, steps: readonly PlanStep[], expressions: PlanExpressions | undefined): ReadySteps {
  const ready = new ReadySteps(buildGraph(opened(run, steps), expressions));
  // The dependencies of a step come before it.
  for (const [index, { id }] of steps.entries()) {
    const state = run.state.steps.get(id) as StepState;
    if (isOpen(state)) {
      // An iteration in doubt leaves the rest of its loop open.
      if (state.iterations?.states.some((one) => !isOpen(one) && !isDone(one))) run.stopSteps();
      ready.addIfFree(index);
    } else if (isDone(state)) ready.countDone(index);
    else run.stopSteps();
  }
  return ready;
}

interface FirstStep {
  readonly run: Run;
  readonly step: PlanStep;
  readonly expressions: StepExpressions | undefined;
}

/** Starts the first step of a slot. */
function startIn(slot: Slot, { run, step, expressions }: FirstStep): Promise<StepEnd> {
  if (!callsTool(step)) return runWait(run, step, expressions);
  const task = taskOf(run, step);
  return expressions === undefined ? runStep(run, task, slot) : runExpressionStep(run, { ...task, expressions }, slot);
}

function taskOf({ settings }: Run, step: ToolStep): StepTask {
  return { step, tool: settings.tools.get(step.tool) as DefinedTool, iteration: undefined };
}

interface SlotOptions {
  readonly ready: ReadySteps;
  /** The task of a step that may follow another one in its slot; undefined if it may not. */
  readonly follow: (index: number) => StepTask | undefined;
  readonly startReady: () => void;
}

/** One of the slots of a run, as many as its `concurrency`, in which steps run one after another. */
class Slot implements StepQueue {
  private taken: number;

  /** `current` is the step that runs in it. */
  constructor(
    public current: number,
    private readonly options: SlotOptions,
  ) {
    this.taken = current;
  }

  next(): StepTask | undefined {
    const { ready, follow } = this.options;
    const index = ready.peekAfter(this.current);
    const task = index === undefined ? undefined : follow(index);
    if (index === undefined || task === undefined) return undefined;
    ready.takeNext(index);
    this.taken = index;
    return task;
  }

  advance(): void {
    this.options.ready.release(this.current);
    this.current = this.taken;
    this.options.startReady();
  }
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
    if (isDecided(state) || isWaitOver(state, this.run.sharedNow())) this.look(id);
    else if (state.wait?.until !== undefined) {
      this.timers ??= [];
      this.timers.push(callAt(this.run.host.leases.sharedClock, Date.parse(state.wait.until), () => this.look(id)));
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
