import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { PlanStep, ToolStep } from "../../core/plan.ts";
import type { RunState } from "../../core/run-state.ts";
import { type StepRef, stepRefOf } from "../../core/step.ts";
import { instanceAt } from "../../core/step-state.ts";
import type { DefinedTool, ToolEffect } from "../../core/tool.ts";

/** One pass of a looped step. */
export interface Iteration {
  readonly index: number;
  readonly count: number;
  readonly item: JsonValue;
}

/** A step, or an iteration of one, to run. */
export interface StepTask {
  readonly step: ToolStep;
  readonly tool: DefinedTool;
  readonly iteration: Iteration | undefined;
}

/** A step that is ready to be tried: its tool, its input as JSON, and its effect. */
export interface StepCall extends StepTask {
  readonly input: JsonObject;
  readonly effect: ToolEffect;
  /** Set if the call is to be undone: what it returned. */
  readonly undone?: { readonly output: JsonValue };
}

/** Which step, or which iteration of one, to run. */
export function refOfTask({
  step,
  iteration,
}: {
  readonly step: Pick<PlanStep, "id">;
  readonly iteration?: Pick<Iteration, "index"> | undefined;
}): StepRef {
  return stepRefOf({ stepId: step.id, iteration: iteration?.index });
}

/** The part of a run that knows how often its tools were called before. */
interface EarlierCalls {
  readonly isContinued: boolean;
  readonly state: Pick<RunState, "steps">;
}

/** How often the tool of a step was called before this execution of the step. */
export function earlierAttempts({ isContinued, state }: EarlierCalls, task: StepTask): number {
  return isContinued ? (instanceAt(state.steps, refOfTask(task))?.earlierAttempts ?? 0) : 0;
}

/** The number of an attempt over all executions, from that in this one; unchanged for what undoes a step. */
export function attemptNumber(run: EarlierCalls, call: StepCall, number: number): number {
  return call.undone === undefined ? earlierAttempts(run, call) + number : number;
}

/** How many iterations there are, for the event that may be the first of them. */
export function countOf(iteration: Iteration | undefined): { iterations?: number } {
  return iteration === undefined ? {} : { iterations: iteration.count };
}

/** Completes an event with its iteration, in place, as most steps have none. */
export function ofIteration<TEvent extends object>({ iteration }: Pick<StepTask, "iteration">, event: TEvent): TEvent {
  if (iteration !== undefined) (event as { iteration?: number }).iteration = iteration.index;
  return event;
}
