import { type ErrorData, isError, recordedStack, toErrorData } from "../../core/error-data.ts";
import { AgentError, type AgentErrorCode, type AgentErrorData } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { PlanStep, ToolStep } from "../../core/plan.ts";
import { instanceAt, type StepState } from "../../core/run-state.ts";
import type { SchemaIssue } from "../../core/schema.ts";
import { describeStepRef, type StepRef, stepRefOf, toolOf } from "../../core/step.ts";
import { type DefinedTool, type ToolEffect, toolEffects } from "../../core/tool.ts";
import type { Run } from "./run.ts";

export interface Iteration {
  readonly index: number;
  readonly count: number;
  readonly item: JsonValue;
}

export interface StepTask {
  readonly step: ToolStep;
  readonly tool: DefinedTool;
  readonly iteration: Iteration | undefined;
}

export interface StepCall extends StepTask {
  readonly input: JsonObject;
  readonly effect: ToolEffect;
  readonly parsed: unknown;
  readonly undone?: { readonly output: JsonValue };
}

export type AttemptResult =
  | { readonly type: "completed"; readonly output: JsonValue }
  | {
      readonly type: "failed";
      readonly reason: "thrown" | "timeout" | "aborted" | "invalid-output" | "refused";
      readonly error: ErrorData;
      readonly thrown: unknown;
      readonly isRunning: boolean;
      readonly progress?: JsonValue | undefined;
    };

export type FailedAttempt = Extract<AttemptResult, { type: "failed" }>;

const effects: ReadonlySet<unknown> = new Set(toolEffects);

export function effectOf(tool: DefinedTool, parsed: unknown): ToolEffect {
  const effect: unknown = tool.effect(parsed);
  if (effects.has(effect)) return effect as ToolEffect;
  throw new TypeError(`the effect function of the tool must return one of ${[...effects].join(", ")}`);
}

export function refOfTask({ step, iteration }: FailedTask): StepRef {
  return stepRefOf({ stepId: step.id, iteration: iteration?.index });
}

export function earlierAttempts({ isContinued, state }: Run, task: StepTask): number {
  return isContinued ? (instanceAt(state.steps, refOfTask(task))?.earlierAttempts ?? 0) : 0;
}

export function attemptNumber(run: Run, call: StepCall, number: number): number {
  return call.undone === undefined ? earlierAttempts(run, call) + number : number;
}

export function countOf(iteration: Iteration | undefined): { iterations?: number } {
  return iteration === undefined ? {} : { iterations: iteration.count };
}

export interface FailedTask {
  readonly step: Pick<PlanStep, "id" | "tool">;
  readonly iteration?: { readonly index: number } | undefined;
}

export function taskOfPart({ stepId, tool, iteration }: StepState): FailedTask {
  return { step: { id: stepId, tool }, iteration: iteration === undefined ? undefined : { index: iteration } };
}

export function invalidInput(
  task: FailedTask,
  issues: readonly SchemaIssue[],
  cause?: unknown,
): AgentError<"invalid-tool-input"> {
  const { name, ref } = nameOf(task);
  const message = `The input of step ${name} is not valid: ${describeIssues(issues)}`;
  return new AgentError("invalid-tool-input", message, { details: { ...ref, issues }, cause });
}

export function invalidOutput(task: FailedTask, issues: readonly SchemaIssue[]): AgentError<"invalid-tool-output"> {
  const { name, ref } = nameOf(task);
  const message = `The output of step ${name} is not valid: ${describeIssues(issues)}`;
  return new AgentError("invalid-tool-output", message, { details: { ...ref, issues } });
}

export function stepTimeout(task: FailedTask, timeoutMs: number): AgentError<"timeout"> {
  const { name } = nameOf(task);
  const message = `An attempt of step ${name} took longer than its timeoutMs of ${timeoutMs} ms.`;
  return new AgentError("timeout", message, { details: { scope: "step", ...refOfTask(task), timeoutMs } });
}

export function toolFailed(
  task: FailedTask,
  { errors = [], cause, ending = "" }: { errors?: readonly ErrorData[]; cause: unknown; ending?: string },
): AgentError<"tool-failed"> {
  const { name, ref } = nameOf(task);
  const attempts = errors.length;
  const { message: last } = errors.at(-1) ?? toErrorData(cause);
  const message = `Step ${name} failed${attempts > 1 ? ` after ${attempts} attempts` : ""}: ${last}${ending}`;
  const details = { ...ref, attempts, errors };
  return new AgentError("tool-failed", message, { details, cause, retryable: false });
}

export function outcomeUnknown(
  task: FailedTask,
  cause: ErrorData,
  ending = "was cut off",
): AgentError<"outcome-unknown"> {
  const { name, ref } = nameOf(task);
  const message = `Step ${name} must run only once and ${ending}: it is unknown whether it took effect.`;
  return new AgentError("outcome-unknown", message, { details: ref, cause });
}

function nameOf(task: FailedTask): { name: string; ref: StepRef & { tool: string } } {
  const tool = toolOf(task.step);
  const ref = refOfTask(task);
  return { name: `"${describeStepRef(ref)}" (${tool})`, ref: { tool, ...ref } };
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join("; ");
}

function keepThrown<TError extends ErrorData>(
  run: Pick<Run, "thrown" | "secrets">,
  error: TError,
  thrown: unknown,
): TError {
  // The error may contain a secret in an unexpected place.
  if (thrown === undefined || run.secrets?.hasAny) return error;
  run.thrown ??= new WeakMap();
  run.thrown.set(error, thrown);
  return error;
}

export function dataOf<TCode extends AgentErrorCode>(
  run: Pick<Run, "thrown" | "secrets">,
  error: AgentError<TCode>,
): AgentErrorData<TCode> {
  return keepThrown(run, error.toJSON(), isError(error.cause) ? error.cause : undefined);
}

export function withStack(
  run: Run,
  error: AgentErrorData,
  { reason, thrown, error: data }: { readonly reason: string; readonly thrown: unknown; readonly error: ErrorData },
): AgentErrorData {
  if (reason !== "thrown") return keepThrown(run, error, reason === "invalid-output" ? undefined : thrown);
  const stack = run.engine.recordStacks
    ? recordedStack(thrown, data, (text) => run.secrets?.hideIn(text) ?? text)
    : undefined;
  return keepThrown(run, stack === undefined ? error : { ...error, stack }, thrown);
}
