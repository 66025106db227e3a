import { AgentError, type StoreOperation, type StoreProblem } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";

/** The operation that failed. */
export interface StoreAttempt {
  readonly operation: StoreOperation;
  readonly runId: string;
}

/** Returns an error of a driver as `store-failed`, with its problem if that is known, and a message that tells what to do. */
export function storeFailure<TProblem extends StoreProblem>(
  thrown: unknown,
  { operation, runId }: StoreAttempt,
  findProblem: (thrown: unknown) => TProblem | undefined,
  describe: (problem: TProblem | undefined, reason: string) => string,
): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const problem = findProblem(thrown);
  const reason = describeThrown(thrown);
  return new AgentError("store-failed", describe(problem, reason), {
    details: { runId, operation, reason, ...(problem && { problem }) },
    cause: thrown,
    retryable: problem === "busy" || problem === "unreachable",
  });
}

/** The `store-failed` of a method that is called after the store was closed. */
export function closedFailure(store: string, { operation, runId }: StoreAttempt): AgentError {
  const message = `${store} has been closed. Close it only when no run needs it any more.`;
  return new AgentError("store-failed", message, { details: { runId, operation, reason: "it is closed" } });
}
