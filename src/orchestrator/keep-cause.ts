import type { ErrorData } from "../core/error-data.ts";
import { isError, recordedStack } from "../core/error-stack.ts";
import type { AgentError, AgentErrorCode, AgentErrorData } from "../core/errors.ts";
import type { Run } from "./run.ts";
import type { FailedAttempt } from "./run-attempt.ts";

/** The part of a run that keeps what was thrown. */
type Failing = Pick<Run, "liveCauses" | "secrets">;

/** Error data that is emitted with what was thrown as its `cause`. What is recorded stays unchanged. */
export function keepCause<TError extends ErrorData>(run: Failing, error: TError, thrown: unknown): TError {
  // It may contain a secret in an unexpected place.
  if (thrown === undefined || run.secrets?.hasAny) return error;
  run.liveCauses ??= new WeakMap();
  run.liveCauses.set(error, thrown);
  return error;
}

/** An error as data that is emitted with the error's cause. */
export function dataOf<TCode extends AgentErrorCode>(run: Failing, error: AgentError<TCode>): AgentErrorData<TCode> {
  // A cause that was read from a store is data, and stays so.
  return keepCause(run, error.toJSON(), isError(error.cause) ? error.cause : undefined);
}

/** The error of a step whose last attempt has failed: where it was thrown is recorded, what was thrown is emitted. */
export function withThrown(
  run: Run,
  error: AgentErrorData,
  { reason, thrown }: Pick<FailedAttempt, "reason" | "thrown">,
): AgentErrorData {
  // For any other reason, the error is our own and complete.
  if (reason !== "thrown") return keepCause(run, error, reason === "invalid-output" ? undefined : thrown);
  const stack = run.engine.recordStacks
    ? recordedStack(thrown, (text) => run.secrets?.hideIn(text) ?? text)
    : undefined;
  return keepCause(run, stack === undefined ? error : Object.freeze({ ...error, stack }), thrown);
}
