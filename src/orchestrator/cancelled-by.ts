import { toErrorData } from "../core/error-data.ts";
import { AgentError } from "../core/errors.ts";

/** The error of a run that a caller cancelled, for the reason given. */
export function cancelledBy(reason: unknown): AgentError<"cancelled"> {
  const text = reason === undefined ? "no reason given" : toErrorData(reason).message;
  return new AgentError("cancelled", `Cancelled: ${text}`, { details: { reason: text }, cause: reason });
}

/** The error of work that was cut off because its process is ending or has died: it can be resumed later. */
export function interruptedBy(reason: string): AgentError<"interrupted"> {
  return new AgentError("interrupted", `Interrupted: ${reason}. It can be resumed later.`, {
    details: { reason },
    retryable: true,
  });
}

/** The error of a run that has timed out. */
export function runTimeout(timeoutMs: number): AgentError<"timeout"> {
  return new AgentError("timeout", `The run took longer than its timeoutMs of ${timeoutMs} ms.`, {
    details: { scope: "run", timeoutMs },
    retryable: false,
  });
}
