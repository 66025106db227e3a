import { dependenciesOf, type ModelStep } from "./model-plan.ts";
import type { Watch } from "./watch.ts";

/** Whether only dependencies and concurrency can prevent a step of a case from starting. */
function isUnhindered({ model, cancelledExecution, hasFailed, events }: Watch): boolean {
  if (model.timeoutMs !== undefined || cancelledExecution !== undefined) return false;
  if (hasFailed && model.onStepFailure === "stop") return false;
  // A replan that repeats a call in doubt needs approval first.
  if (events.some((event) => event.type === "plan-revise" && "approvals" in event.outcome)) return false;
  return model.tools.every(
    ({ concurrency, rateLimit, circuitBreaker, approval }) =>
      (concurrency ?? rateLimit ?? circuitBreaker) === undefined && approval === "never",
  );
}

/** The steps that could start, in plan order. */
function readySteps(watch: Watch): readonly ModelStep[] {
  return watch.steps.filter((step, index) => {
    const isNew = !watch.progress.has(step.id) && !watch.loops.has(step.id);
    return isNew && [...dependenciesOf(step, watch.steps[index - 1])].every((id) => watch.isDone(id));
  });
}

/** Notes steps that could have started before time moved on, and did not. */
export function checkNothingIdle(watch: Watch): void {
  const { model, loops, progress } = watch;
  if (!watch.isOpen || model.asksForPlan || !isUnhindered(watch)) return;
  const [ready] = readySteps(watch);
  const running = watch.openSteps().size;
  const isIdle = ready !== undefined && running < model.concurrency;
  watch.expect(!isIdle, () => `${ready?.id} could run beside ${running} others and does not`);
  for (const [id, { count }] of loops) {
    const passes = Array.from({ length: count }, (_, index) => progress.get(`${id}[${index}]`));
    const open = passes.filter((pass) => pass?.stage === "running").length;
    const limit = watch.stepOf(id)?.concurrency ?? 1;
    const isLeft = passes.includes(undefined) && open < limit;
    watch.expect(!isLeft, () => `a pass of ${id} could run beside ${open} others and does not`);
  }
}

/** Notes a step that starts before a ready step that comes before it in the plan. */
export function checkEarliest(watch: Watch, step: ModelStep): void {
  if (watch.model.concurrency > 1 || watch.loops.has(step.id) || !isUnhindered(watch)) return;
  const [ready] = readySteps(watch);
  const isFirst = ready === undefined || watch.steps.indexOf(ready) >= watch.steps.indexOf(step);
  watch.expect(isFirst, () => `${step.id} starts, and ${ready?.id} was ready and stands before it`);
}
