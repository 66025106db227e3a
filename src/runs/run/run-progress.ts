import type { AgentErrorData } from "../../core/errors.ts";
import type { PendingItem } from "../../core/events.ts";
import { defined } from "../../core/option-tables.ts";
import type { PlanStep } from "../../core/plan.ts";
import { questionOf, toQuestionItem } from "../../core/question.ts";
import {
  type ApprovalState,
  instancesOf,
  isAwaited,
  isDecided,
  isDone,
  isStillToRun,
  isWaitOver,
  openQuestionOf,
  type StepState,
} from "../../core/run-state.ts";
import { stepRefOf } from "../../core/step.ts";
import type { PlanExpressions } from "../../plan/expressions.ts";
import { dependenciesOfSteps } from "../../plan/validate-plan.ts";
import type { Run } from "./run.ts";
import { opened } from "./run-secrets.ts";

export interface StepGraph {
  readonly waitingFor: number[];
  readonly dependents: readonly (readonly number[] | undefined)[];
}

export function buildGraph(steps: readonly PlanStep[], expressions: PlanExpressions | undefined): StepGraph {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index]));
  const dependents: (number[] | undefined)[] = steps.map(() => undefined);
  const waitingFor = dependenciesOfSteps(steps, expressions).map((dependencies, index) => {
    for (const id of dependencies) {
      const dependency = indexOf.get(id) as number;
      // Usually only one step waits. `push` to an empty list would reserve 17 places.
      if (dependents[dependency] === undefined) dependents[dependency] = [index];
      else dependents[dependency].push(index);
    }
    return dependencies.length;
  });
  return { waitingFor, dependents };
}

export function stepFailure({ state }: Pick<Run, "state">): AgentErrorData | undefined {
  if (state.planApproval?.status === "rejected") return state.planApproval.error;
  for (const { id } of state.plan?.steps ?? []) {
    const step = state.steps.get(id);
    const one = step?.error === undefined ? step?.iterations?.states.find(hasFailed) : step;
    if (one !== undefined && hasFailed(one)) return one.error;
  }
  return undefined;
}

export function pendingItems(run: Pick<Run, "state" | "settings">): readonly PendingItem[] {
  const { state, settings } = run;
  if (state.planApproval?.status === "requested") return [{ kind: "plan-approval", ...askedOf(state.planApproval) }];
  const outcomes: PendingItem[] = [];
  const approvals: PendingItem[] = [];
  const waits: PendingItem[] = [];
  for (const one of instancesOf(state.steps.values())) {
    const { status, approval, tool, input, effect, reasoning, error } = one;
    const ref = stepRefOf(one);
    if (status === "unknown") outcomes.push({ kind: "outcome", ...ref, ...(error && { error }) });
    else if (isAwaited(one)) waits.push(...waitOf(state.runId, one));
    else if (approval?.status === "requested" && status === "waiting" && effect !== undefined) {
      const shown = { tool, input: approval.input ?? input, ...(approval.input && { given: input }) };
      const looked = { ...shown, ...askedOf(approval), effect, ...(reasoning !== undefined && { reasoning }) };
      const reasons = effect === "pure" ? undefined : state.steps.get(ref.stepId)?.approvalReasons;
      approvals.push({ kind: "approval", ...ref, ...looked, ...(reasons && { reasons }) });
    }
  }
  const continues = settings.stored.onStepFailure === "continue" || stepFailure(run) === undefined;
  return continues ? [...outcomes, ...approvals, ...waits] : outcomes;
}

function waitOf(runId: string, step: StepState): readonly PendingItem[] {
  const { stepId, wait: { until, event } = {} } = step;
  if (questionOf(step) === undefined) return [{ kind: "wait", stepId, ...defined({ until, event }) }];
  const question = openQuestionOf(step);
  return question === undefined ? [] : [toQuestionItem({ runId, stepId }, question, until)];
}

export function isAllDone(run: Run): boolean {
  return stepsOf(run).every(isDone);
}

export function hasAnswer(run: Run): boolean {
  if (isAllDone(run) || run.abortReason !== undefined) return false;
  const steps = stepsOf(run);
  return mayStartMore(run, steps) && steps.some((step) => isDecided(step) || isWaitOver(step, run.sharedNow()));
}

export function isReady(run: Run, expressions: PlanExpressions | undefined): boolean {
  const steps = stepsOf(run);
  if (!mayStartMore(run, steps) || run.state.planApproval?.status === "requested") return false;
  const { waitingFor, dependents } = buildGraph(opened(run, run.state.plan?.steps ?? []), expressions);
  return steps.some((step, index) => {
    if (isDone(step)) for (const dependent of dependents[index] ?? []) (waitingFor[dependent] as number)--;
    return (
      waitingFor[index] === 0 &&
      instancesOf([step]).some((part) => isStillToRun(part) && !isHeldUp(part, run.sharedNow()))
    );
  });
}

function hasFailed({ error, status }: StepState): boolean {
  return error !== undefined && status !== "unknown" && status !== "interrupted";
}

function askedOf({ hash, expiresAt }: ApprovalState): { readonly hash: string; readonly expiresAt?: string } {
  return expiresAt === undefined ? { hash } : { hash, expiresAt };
}

function isHeldUp(step: StepState, nowMs: number): boolean {
  const isAsked = step.status === "waiting" && step.approval?.status === "requested";
  return isAsked || (isAwaited(step) && !isWaitOver(step, nowMs));
}

function stepsOf({ state }: Run): readonly StepState[] {
  return state.plan?.steps.map(({ id }) => state.steps.get(id) as StepState) ?? [];
}

function mayStartMore({ settings }: Run, steps: readonly StepState[]): boolean {
  return settings.stored.onStepFailure === "continue" || steps.every((step) => isStillToRun(step) || isDone(step));
}
