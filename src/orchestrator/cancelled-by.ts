import { toErrorData } from "../core/error-data.ts";
import { AgentError } from "../core/errors.ts";

/** The error of a run that a caller cancelled, for the reason given. */
export function cancelledBy(reason: unknown): AgentError<"cancelled"> {
  const text = reason === undefined ? "no reason given" : toErrorData(reason).message;
  return new AgentError("cancelled", `Cancelled: ${text}`, { details: { reason: text }, cause: reason });
}

/** The error of what was cut off because its process is to end, or has died: it can go on later. */
export function interruptedBy(reason: string): AgentError<"interrupted"> {
  return new AgentError("interrupted", `Interrupted: ${reason}. It can go on later.`, {
    details: { reason },
    retryable: true,
  });
}

/** The error of a run whose time is up. */
export function runTimeout(timeoutMs: number): AgentError<"timeout"> {
  return new AgentError("timeout", `The run took longer than its timeoutMs of ${timeoutMs} ms.`, {
    details: { scope: "run", timeoutMs },
    retryable: false,
  });
}
