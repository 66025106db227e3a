import {
  AgentError,
  type AgentErrorCode,
  type AgentErrorData,
  fromErrorData,
  isAgentError,
  toErrorData,
} from "./errors.ts";
import type { Planner } from "./planner.ts";

const planningCodes: ReadonlySet<string> = new Set<AgentErrorCode>([
  "cannot-plan",
  "planning-failed",
  "invalid-plan",
  "invalid-request",
  "timeout",
  "limit-exceeded",
]);

/** What a planner threw as one of the errors of planning; anything else becomes `planning-failed`. */
export function toPlanningError(planner: Pick<Planner, "name">, thrown: unknown): AgentError {
  if (isAgentError(thrown) && planningCodes.has(thrown.code)) {
    return thrown instanceof AgentError ? thrown : fromErrorData(thrown as AgentErrorData);
  }
  const reason = toErrorData(thrown).message;
  return new AgentError("planning-failed", `The planner "${planner.name}" failed: ${reason}`, {
    details: { planner: planner.name },
    cause: thrown,
  });
}
