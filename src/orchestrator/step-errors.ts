import { AgentError, type ErrorData, toErrorData } from "../core/errors.ts";
import type { PlanStep } from "../core/plan.ts";
import type { SchemaIssue } from "../core/schema.ts";

/** A step's input, with references filled in, does not fit its tool. */
export function invalidInput(
  { id, tool }: PlanStep,
  issues: readonly SchemaIssue[],
  cause?: unknown,
): AgentError<"invalid-tool-input"> {
  const message = `The input of step "${id}" (${tool}) is not valid: ${describeIssues(issues)}`;
  return new AgentError("invalid-tool-input", message, { details: { tool, stepId: id, issues }, cause });
}

/** A tool's output does not fit its schema, is not JSON or is too large. */
export function invalidOutput(
  { id, tool }: PlanStep,
  issues: readonly SchemaIssue[],
): AgentError<"invalid-tool-output"> {
  const message = `The output of step "${id}" (${tool}) is not valid: ${describeIssues(issues)}`;
  return new AgentError("invalid-tool-output", message, { details: { tool, stepId: id, issues } });
}

/** One attempt of a step took too long. */
export function stepTimeout({ id, tool }: PlanStep, timeoutMs: number): AgentError<"timeout"> {
  const message = `An attempt of step "${id}" (${tool}) took longer than its timeoutMs of ${timeoutMs} ms.`;
  return new AgentError("timeout", message, { details: { scope: "step", timeoutMs } });
}

/** A tool failed for good. `errors` has one entry for each attempt. */
export function toolFailed(
  { id, tool }: PlanStep,
  errors: readonly ErrorData[],
  cause: unknown,
): AgentError<"tool-failed"> {
  const attempts = errors.length;
  const last = errors.at(-1)?.message ?? toErrorData(cause).message;
  const times = attempts > 1 ? ` after ${attempts} attempts` : "";
  return new AgentError("tool-failed", `Step "${id}" (${tool}) failed${times}: ${last}`, {
    details: { tool, stepId: id, attempts, errors },
    cause,
    retryable: false,
  });
}

/** A step that must run only once was cut off, for the reason given. */
export function outcomeUnknown(
  { id, tool }: Pick<PlanStep, "id" | "tool">,
  cause: ErrorData,
): AgentError<"outcome-unknown"> {
  const message = `Step "${id}" (${tool}) must run only once and was cut off: whether it took effect is not known.`;
  return new AgentError("outcome-unknown", message, { details: { tool, stepId: id }, cause });
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join("; ");
}
