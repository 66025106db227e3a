import { AgentError } from "./errors.ts";
import { type LanguageModel, type ModelFailureReason, maxAnswerLength, modelName } from "./language-model.ts";

const retryableReasons: ReadonlySet<ModelFailureReason> = new Set([
  "unreachable",
  "busy",
  "interrupted",
  "server-error",
  "invalid-response",
]);

/**
 * The error of a model: `model-failed`, retryable if the same call may succeed later.
 *
 * {@includeCode ../../examples/14-your-own-model.ts}
 * @group Models
 */
export function modelFailure(
  model: Pick<LanguageModel, "provider" | "modelId">,
  reason: ModelFailureReason,
  { message, status, cause }: { message: string; status?: number | undefined; cause?: unknown },
): AgentError<"model-failed"> {
  const details = { model: modelName(model), reason, ...(status !== undefined && { status }) };
  return new AgentError("model-failed", message, { details, cause, retryable: retryableReasons.has(reason) });
}

/** The error of an answer that is longer than any plan; the model would not stop the next time either. */
export function answerTooLong(model: Pick<LanguageModel, "provider" | "modelId">): AgentError<"model-failed"> {
  const message = `The answer of ${modelName(model)} is longer than ${maxAnswerLength} characters.`;
  const { details } = modelFailure(model, "invalid-response", { message });
  return new AgentError("model-failed", message, { details, retryable: false });
}
