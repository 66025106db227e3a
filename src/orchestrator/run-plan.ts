import { dependenciesOf } from "../core/dependencies.ts";
import type { AgentErrorData } from "../core/errors.ts";
import type { PendingItem, StepOutcome } from "../core/events.ts";
import type { JsonValue } from "../core/json.ts";
import type { Plan, PlanStep } from "../core/plan.ts";
import type { Tool } from "../core/tool.ts";
import { ReadyQueue } from "./ready-queue.ts";
import type { Run } from "./run.ts";
import { runStep } from "./run-step.ts";
import { outcomeUnknown } from "./step-errors.ts";

/** Who waits for whom in a plan, by index. */
interface StepGraph {
  /** How many steps each one still waits for. */
  readonly waitingFor: number[];
  readonly dependents: readonly (readonly number[] | undefined)[];
}

function buildGraph(steps: readonly PlanStep[]): StepGraph {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index]));
  const dependents: (number[] | undefined)[] = steps.map(() => undefined);
  const waitingFor = steps.map((step, index) => {
    const dependencies = dependenciesOf(step, steps[index - 1]);
    for (const id of dependencies) {
      const dependency = indexOf.get(id) as number;
      // Mostly one waits for a step: a list that has begun empty would get room for 17.
      if (dependents[dependency] === undefined) dependents[dependency] = [index];
      else dependents[dependency].push(index);
    }
    return dependencies.length;
  });
  return { waitingFor, dependents };
}

/**
 * Runs the steps of a plan: each as soon as what it depends on has completed, the earliest in the plan first, at most
 * `concurrency` at a time. After a step that did not complete no other starts; running ones finish. Those that never
 * start are skipped, each with its reason. Resolves when all have ended.
 */
export function runPlan(run: Run, plan: Plan): Promise<void> {
  const graph = buildGraph(plan.steps);
  return runReadySteps(run, plan.steps, graph).then(() => {
    if (run.recorder.failure === undefined) return skipRest(run, plan.steps, graph);
  });
}

function runReadySteps(run: Run, steps: readonly PlanStep[], { waitingFor, dependents }: StepGraph): Promise<void> {
  const ready = new ReadyQueue();
  for (const [index, count] of waitingFor.entries()) if (count === 0) ready.add(index);
  const { concurrency } = run.settings.stored;
  let running = 0;
  let isStopped = false;
  return new Promise((resolve, reject) => {
    const settle = (index: number, outcome: StepOutcome | undefined) => {
      running--;
      if (outcome?.status !== "completed") isStopped = true;
      for (const dependent of isStopped ? [] : (dependents[index] ?? [])) {
        const left = (waitingFor[dependent] ?? 0) - 1;
        waitingFor[dependent] = left;
        if (left === 0) ready.add(dependent);
      }
      startReady();
    };
    const startReady = () => {
      while (running < concurrency && !isStopped && run.abortReason === undefined) {
        const index = ready.take();
        if (index === undefined) break;
        running++;
        const step = steps[index] as PlanStep;
        runStep(run, step, run.settings.tools.get(step.tool) as Tool).then((outcome) => settle(index, outcome), reject);
      }
      if (running === 0) resolve();
    };
    startReady();
  });
}

/** Tells of each step that never started: because of one it depends on, or because the run ended before. */
async function skipRest(run: Run, steps: readonly PlanStep[], { dependents }: StepGraph): Promise<void> {
  const isBlocked = new Set<number>();
  for (const [index, { id: stepId, tool }] of steps.entries()) {
    const status = run.state.steps.get(stepId)?.status;
    if (status === "completed") continue;
    const mayReach = status !== "pending" || isBlocked.has(index);
    if (mayReach) for (const dependent of dependents[index] ?? []) isBlocked.add(dependent);
    if (status !== "pending") continue;
    const reason = isBlocked.has(index) ? "dependency-failed" : "run-ended";
    const told = run.emit({ type: "step-skip", stepId, tool, reason });
    if (told !== undefined) await told;
  }
}

/** How a run ends whose steps have all ended. */
export type RunOutcome =
  | { readonly type: "suspended"; readonly pending: readonly PendingItem[] }
  | { readonly type: "failed"; readonly error: AgentErrorData }
  | { readonly type: "completed"; readonly output: JsonValue };

/** What the ends of the steps make of the run, if it was not aborted. A step in doubt weighs more than one that failed. */
export function outcomeOfSteps({ state }: Run): RunOutcome {
  const pending: PendingItem[] = [];
  let error: AgentErrorData | undefined;
  let output: JsonValue = null;
  for (const step of state.steps.values()) {
    if (step.status === "unknown") pending.push({ stepId: step.stepId, kind: "outcome" });
    else if (step.status === "completed") output = step.output ?? null;
    else error ??= step.error;
  }
  if (pending.length > 0) return { type: "suspended", pending };
  return error === undefined ? { type: "completed", output } : { type: "failed", error };
}

/**
 * Closes, after the store has failed, what listeners have seen begin. Nothing of it is recorded: to the store it is as if
 * the process had died, so steps in flight are `interrupted`, or `unknown` where they must run only once.
 */
export function closeUnrecorded(run: Run, error: AgentErrorData): void {
  for (const { stepId, tool, status, attempts, effect } of [...run.state.steps.values()]) {
    if (status === "pending") run.recorder.close({ type: "step-skip", stepId, tool, reason: "run-ended" });
    if (status !== "running") continue;
    const outcome =
      effect === "once"
        ? ({ status: "unknown", error: outcomeUnknown({ id: stepId, tool }, error).toJSON() } as const)
        : ({ status: "interrupted", error } as const);
    run.recorder.close({ type: "step-end", stepId, tool, attempts, outcome });
  }
}
