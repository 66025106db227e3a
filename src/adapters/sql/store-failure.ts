import { AgentError, type StoreOperation, type StoreProblem } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";

/** The operation that failed. */
export interface StoreAttempt {
  readonly operation: StoreOperation;
  readonly runId: string;
}

/** How a database reads what its driver, its disk or the network reports. */
interface FailureReader<TProblem extends StoreProblem> {
  /** Undefined for a problem that is not known. */
  findProblem(thrown: unknown): TProblem | undefined;
  /** What is wrong, and what to do about it. */
  describe(problem: TProblem | undefined, reason: string): string;
}

/** An error of a driver as `store-failed`, with the problem if it is known. */
export function storeFailure<TProblem extends StoreProblem>(
  thrown: unknown,
  { operation, runId }: StoreAttempt,
  { findProblem, describe }: FailureReader<TProblem>,
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
