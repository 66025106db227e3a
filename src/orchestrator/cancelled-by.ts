import { AgentError, toErrorData } from "../core/errors.ts";

/** The error of a run that a caller cancelled, for the reason given. */
export function cancelledBy(reason: unknown): AgentError<"cancelled"> {
  const text = reason === undefined ? "no reason given" : toErrorData(reason).message;
  return new AgentError("cancelled", `Cancelled: ${text}`, { details: { reason: text }, cause: reason });
}
