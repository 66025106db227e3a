import { AgentError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import type { PlanStep, ToolStep } from "../../core/plan.ts";
import { isDecided, isDone, isOpen, type StepState } from "../../core/step-state.ts";
import type { DefinedTool } from "../../core/tool.ts";
import type { StepExpressions } from "../../plan/expressions/step-expressions.ts";
import { skipOpen } from "../end-execution.ts";
import type { Run } from "../run.ts";
import { opened } from "../secrets/secrets-of-run.ts";
import { namedValue } from "./prepare-step.ts";
import { runStep, type StepEnd, type StepQueue } from "./run-step.ts";
import { countOf, earlierAttempts, type Iteration, refOfTask, type StepTask } from "./step-call.ts";
import { dataOf } from "./step-errors.ts";

/** A step with a `when` or a `forEach`. */
interface ExpressionTask {
  readonly step: ToolStep;
  readonly tool: DefinedTool;
  readonly expressions: StepExpressions;
}

/**
 * Runs a step with expressions. A `when` that names `item` or `index` is evaluated for each iteration, any other one
 * once, before the list is. The steps of the queue follow one without a `forEach`. Never rejects.
 */
export async function runExpressionStep(run: Run, task: ExpressionTask, queue: StepQueue): Promise<StepEnd> {
  const { step, tool, expressions } = task;
  const { when, forEach } = expressions;
  const whole = { step, tool, iteration: undefined };
  let items: readonly JsonValue[] = [];
  try {
    if (when !== undefined && !expressions.isWhenPerIteration && !isTrue(run, task, undefined)) {
      return skip(run, whole, "condition");
    }
    if (forEach !== undefined) items = itemsOf(run, task);
  } catch (thrown) {
    return failBeforeStart(run, whole, thrown as AgentError);
  }
  if (forEach === undefined) return runStep(run, whole, queue);
  if (items.length === 0) return skip(run, whole, "no-items");
  return runIterations(run, task, items);
}

function isTrue(run: Run, { expressions }: ExpressionTask, iteration: Iteration | undefined): boolean {
  const value = expressions.evaluate("when", {
    lookUp: (name) => opened(run, namedValue(run, name, iteration)),
    iteration: iteration?.index,
  });
  return value === true;
}

/** Throws `limit-exceeded` if the run would have too many steps with these. */
function itemsOf(run: Run, { step, expressions }: ExpressionTask): readonly JsonValue[] {
  const lookUp = (name: string) => opened(run, namedValue(run, name, undefined));
  const list = expressions.evaluate("forEach", { lookUp }) as readonly JsonValue[];
  const items = run.secrets?.holdItems(list) ?? list;
  if (run.state.steps.get(step.id)?.iterations !== undefined) return items;
  const max = run.settings.stored.maxSteps;
  const used = run.counters.stepCount + items.length;
  if (used <= max) {
    run.counters.addIterations(items.length);
    return items;
  }
  const message = `With the ${items.length} iterations of step "${step.id}" the run would have ${used} steps; at most ${max} are allowed.`;
  throw new AgentError("limit-exceeded", message, { details: { limit: "steps", max, used, stepId: step.id } });
}

/**
 * Runs the iterations that have not run yet, at most the step's `concurrency` at a time. After one has failed no other
 * starts, unless the run continues after failures.
 */
async function runIterations(run: Run, task: ExpressionTask, items: readonly JsonValue[]): Promise<StepEnd> {
  const { step, tool } = task;
  const count = items.length;
  const stateOf = (index: number) => iterationOf(run, step, index);
  // After a failure no other step or iteration starts.
  let hasFailed = items.some((_item, index) => !isOpen(stateOf(index)) && !isDone(stateOf(index)));
  do {
    let next = 0;
    const takeNext = (): StepTask | undefined => {
      while (next < count && !canRun(stateOf(next))) next++;
      if (next >= count) return undefined;
      const index = next++;
      return { step, tool, iteration: { index, count, item: items[index] as JsonValue } };
    };
    // Each iteration is asked for first, if it has a condition.
    const queue = task.expressions.isWhenPerIteration ? undefined : { next: takeNext, advance: () => {} };
    const work = async () => {
      while (run.canStart()) {
        const one = takeNext();
        if (one === undefined) return;
        if ((await runIteration(run, task, { one, queue })) === "failed") hasFailed = true;
      }
    };
    await Promise.all(Array.from({ length: Math.min(step.concurrency ?? 1, count) }, work));
    // Somebody may have decided about one while the others ran.
  } while (run.canStart() && items.some((_item, index) => isDecided(stateOf(index))));
  if (run.recorder.failure !== undefined) return "failed";
  // An iteration in doubt suspends the run: the others may still run once somebody has settled it. When the process is
  // ending, whoever resumes the run decides what follows from a failure.
  const isInDoubt = items.some((_item, index) => stateOf(index).status === "unknown");
  if (hasFailed && run.stopReason === "step-failed" && !isInDoubt)
    await skipOpen(run, run.state.steps.get(step.id) as StepState, "run-ended");
  if (hasFailed) return "failed";
  return run.state.steps.get(step.id)?.iterations?.ended === count ? "done" : "waiting";
}

/** An iteration that waits for an answer is not asked about again: its input is unchanged. */
function canRun(state: StepState): boolean {
  return state.status === "waiting" ? isDecided(state) : isOpen(state);
}

const notStarted: Pick<StepState, "status"> = { status: "pending" };

function iterationOf(run: Run, { id }: PlanStep, index: number): StepState {
  return run.state.steps.get(id)?.iterations?.states[index] ?? (notStarted as StepState);
}

async function runIteration(
  run: Run,
  task: ExpressionTask,
  { one, queue }: { readonly one: StepTask; readonly queue: StepQueue | undefined },
): Promise<StepEnd> {
  try {
    if (task.expressions.isWhenPerIteration && !isTrue(run, task, one.iteration)) return skip(run, one, "condition");
  } catch (thrown) {
    return failBeforeStart(run, one, thrown as AgentError);
  }
  return runStep(run, one, queue);
}

async function skip(run: Run, task: StepTask, reason: "condition" | "no-items"): Promise<StepEnd> {
  await run.emit({ type: "step-skip", ...refOfTask(task), ...countOf(task.iteration), tool: task.tool.name, reason });
  return run.recorder.failure === undefined ? "done" : "failed";
}

/** A step whose expression cannot be evaluated starts and fails, like one whose input is invalid. */
async function failBeforeStart(run: Run, task: StepTask, thrown: AgentError): Promise<StepEnd> {
  const { step, tool, iteration } = task;
  const ref = refOfTask({ step, iteration });
  const { reasoning, input } = step;
  const base = { ...ref, tool: tool.name };
  await run.emit({ type: "step-start", ...base, ...countOf(iteration), input, ...(reasoning && { reasoning }) });
  if (run.recorder.failure !== undefined) return "failed";
  const attempts = earlierAttempts(run, task);
  await run.emit({ type: "step-end", ...base, attempts, outcome: { status: "failed", error: dataOf(run, thrown) } });
  return "failed";
}
