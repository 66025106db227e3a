import { AgentError } from "./errors.ts";

/** There is no run with this id. */
export function runNotFound(runId: string): AgentError<"run-not-found"> {
  return new AgentError("run-not-found", `There is no run "${runId}".`, { details: { runId } });
}

/** Another owner has the lease on a run, or has had one since. */
export function ownedElsewhere(runId: string): AgentError<"run-owned-elsewhere"> {
  return new AgentError("run-owned-elsewhere", `Run "${runId}" belongs to another owner.`, { details: { runId } });
}

/** An append does not continue what is recorded: `next` is the number that would. */
export function sequenceConflict(
  runId: string,
  { sequence, next }: { sequence: number; next: number },
): AgentError<"run-conflict"> {
  const message = `Run "${runId}" expects event ${next}, not ${sequence}: somebody else has written to it.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}
