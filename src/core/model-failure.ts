import { readFields } from "./error-data.ts";
import { AgentError } from "./errors.ts";
import { type LanguageModel, type ModelFailureReason, maxAnswerLength, modelName } from "./language-model.ts";

export const retryableByReason: Readonly<Record<ModelFailureReason, boolean>> = {
  unreachable: true,
  "unknown-model": false,
  unauthorized: false,
  busy: true,
  "format-rejected": false,
  "prompt-too-long": false,
  rejected: false,
  interrupted: true,
  "server-error": true,
  "invalid-response": true,
};

const maxCauses = 6;

export function causesOf(thrown: unknown) {
  const causes: { readonly of: unknown; readonly code?: unknown; readonly message?: unknown }[] = [];
  for (let of = thrown; of !== undefined && of !== null && causes.length < maxCauses; ) {
    const { cause, lastError, ...read } = readFields(of, "code", "message", "cause", "lastError");
    causes.push({ of, ...read });
    of = cause ?? lastError;
  }
  return causes;
}

/** Error codes of Node's time limits. A retry would only wait as long again. */
const nodeTimeout = /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/;

export function isNodeTimeout(thrown: unknown): boolean {
  return causesOf(thrown).some(({ code }) => typeof code === "string" && nodeTimeout.test(code));
}

/**
 * Creates the error `model-failed`. It is retryable if the same call may succeed later, but not after a time limit of
 * Node's `fetch`. {@includeCode ../../examples/14-your-own-model.ts} @group Models
 */
export function modelFailure(
  model: Pick<LanguageModel, "provider" | "modelId">,
  reason: ModelFailureReason,
  { message, status, cause }: { message: string; status?: number | undefined; cause?: unknown },
): AgentError<"model-failed"> {
  const details = { model: modelName(model), reason, ...(status !== undefined && { status }) };
  const isLimit = isNodeTimeout(cause);
  const limit = isLimit ? " Node's own fetch waits 300 s for the first token and for each later one." : "";
  const retryable = !isLimit && retryableByReason[reason] === true;
  return new AgentError("model-failed", message + limit, { details, cause, retryable });
}

/** Not retryable: a model that writes more than any plan could need would do so again. */
export function answerTooLong(model: Pick<LanguageModel, "provider" | "modelId">): AgentError<"model-failed"> {
  const message = `The answer of ${modelName(model)} is longer than ${maxAnswerLength} characters.`;
  const { details } = modelFailure(model, "invalid-response", { message });
  return new AgentError("model-failed", message, { details, retryable: false });
}

export interface FailedCall {
  readonly status?: number | undefined;
  readonly codes?: readonly string[];
  readonly message?: string;
  readonly isAnswering?: boolean;
  readonly isRetryable?: boolean;
}

const reasonsOfStatuses: ReadonlyMap<number | undefined, ModelFailureReason> = new Map([
  [401, "unauthorized"],
  [403, "unauthorized"],
  [404, "unknown-model"],
  [413, "prompt-too-long"],
  [429, "busy"],
  [503, "busy"],
  [529, "busy"],
]);

/** These codes mean that the account has no credit left, so waiting does not help. */
const quotaCodes = /^(insufficient_quota|billing_hard_limit_reached|credit_balance_too_low)$/i;
const reasonsOfCodes: readonly (readonly [RegExp, ModelFailureReason])[] = [
  [/^(overloaded|rate_limit|too_many_requests|resource_exhausted)/i, "busy"],
  [/^(authentication_error|permission_error|invalid_api_key|unauthenticated)$/i, "unauthorized"],
  [/^(not_found_error|model_not_found)$/i, "unknown-model"],
  [/^(context_length_exceeded|request_too_large)$/i, "prompt-too-long"],
];

const networkCodes = [
  /^(ECONN|ENOTFOUND$|EAI_AGAIN$|EHOSTUNREACH$|ENETUNREACH$|ETIMEDOUT$|EPIPE$)/,
  /^(UND_ERR_(SOCKET|CONNECT|HEADERS|BODY)|ConnectionRefused$|ConnectionClosed$|FailedToOpenSocket$|(Timeout|Abort)Error$)/,
];
const networkMessages = [
  /fetch failed|failed to fetch|cannot connect to api|econnrefused|econnreset|enotfound/i,
  /socket hang up|other side closed|network ?error|^terminated$/i,
];
const tooLongMessages = [
  /context[ _-]?(length|window|size)|prompt is too long|reduce the length/i,
  /(prompt|input|request|messages?) (is |are )?too (long|large)/i,
  /too many (input )?tokens|exceeds? the maximum number of (input )?tokens/i,
  /token (?:count|limit)(?:(?!token (?:count|limit)).)*exceed/i,
];
const formatMessages = /schema|response_?(format|mime)|json|structured[ _-]?output/i;
const brokenOffMessages = /stream (has )?ended|ended (unexpectedly|without)|premature/i;

export function readFailureReason(call: FailedCall): ModelFailureReason {
  const { status, codes = [], message = "", isAnswering, isRetryable } = call;
  if (codes.some((code) => quotaCodes.test(code))) return "rejected";
  const byStatus = reasonsOfStatuses.get(status);
  if (byStatus !== undefined) return byStatus;
  const byCode = reasonsOfCodes.find(([pattern]) => codes.some((code) => pattern.test(code)));
  if (byCode !== undefined) return byCode[1];
  if (matches(tooLongMessages, message)) return "prompt-too-long";
  if (status !== undefined && status >= 500) return "server-error";
  if ((status === 400 || status === 422) && formatMessages.test(message)) return "format-rejected";
  if (status !== undefined && status >= 400) return isRetryable ? "busy" : "rejected";
  const isOfNetwork = matches(networkMessages, message) || codes.some((code) => matches(networkCodes, code));
  if (isOfNetwork) return isAnswering || status !== undefined ? "interrupted" : "unreachable";
  if (isBrokenOff(message)) return "interrupted";
  return status === undefined ? "server-error" : "invalid-response";
}

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

export function isBrokenOff(message: string): boolean {
  return brokenOffMessages.test(message);
}
