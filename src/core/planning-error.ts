import { toErrorData } from "./error-data.ts";
import { AgentError, type AgentErrorCode, type AgentErrorData, fromErrorData, isAgentError } from "./errors.ts";
import type { Planner } from "./planner.ts";

const planningCodes: ReadonlySet<string> = new Set<AgentErrorCode>([
  "cannot-plan",
  "planning-failed",
  "invalid-plan",
  "invalid-request",
  "timeout",
  "limit-exceeded",
]);

/** A planner's error as one of the errors of planning; any other becomes `planning-failed`. */
export function toPlanningError(planner: Pick<Planner, "name">, thrown: unknown): AgentError {
  // Read once, and with care: its getters may throw, possibly only the second time.
  const data = toErrorData(thrown);
  if (isAgentError(data) && planningCodes.has(data.code)) {
    return thrown instanceof AgentError
      ? thrown
      : fromErrorData({ ...data, details: data.details ?? {} } as AgentErrorData);
  }
  return new AgentError("planning-failed", `The planner "${planner.name}" failed: ${data.message}`, {
    details: { planner: planner.name },
    cause: thrown,
  });
}

/** The error of a planner that took too long; `limit` is said before the time. */
export function plannerTimeout(
  { name }: Planner,
  { timeoutMs, limit }: { readonly timeoutMs: number; readonly limit: string },
): AgentError<"timeout"> {
  return new AgentError("timeout", `The planner "${name}" took longer than ${limit} ${timeoutMs} ms.`, {
    details: { scope: "planner", timeoutMs },
  });
}
