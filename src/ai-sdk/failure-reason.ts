import type { ModelFailureReason } from "../core/language-model.ts";
import { readFields } from "./read-fields.ts";

/** The facts of an error of the AI SDK, of a provider or of the network. */
export interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  /** The HTTP status. */
  readonly status: number | undefined;
  readonly isRetryable: boolean;
  /** Types and codes, its own and those of its causes, such as `overloaded_error` and `ECONNREFUSED`. */
  readonly codes: readonly string[];
}

const maxCauses = 5;

const reasonsOfNames: ReadonlyMap<string, ModelFailureReason> = new Map([
  ["AI_LoadAPIKeyError", "unauthorized"],
  ["AI_NoSuchModelError", "unknown-model"],
  ["AI_NoSuchProviderError", "unknown-model"],
  // The request, or how the provider was set up: the same call fails again.
  ["AI_LoadSettingError", "rejected"],
  ["AI_InvalidPromptError", "rejected"],
  ["AI_InvalidArgumentError", "rejected"],
  ["AI_EmptyResponseBodyError", "invalid-response"],
  ["AI_InvalidResponseDataError", "invalid-response"],
  ["AI_JSONParseError", "invalid-response"],
  ["AI_TypeValidationError", "invalid-response"],
  ["AI_NoContentGeneratedError", "invalid-response"],
]);

const reasonsOfStatuses: ReadonlyMap<number, ModelFailureReason> = new Map([
  [401, "unauthorized"],
  [403, "unauthorized"],
  [404, "unknown-model"],
  [413, "prompt-too-long"],
  [429, "busy"],
  [503, "busy"],
  [529, "busy"],
]);

const reasonsOfCodes: readonly (readonly [RegExp, ModelFailureReason])[] = [
  [/^(overloaded|rate_limit|too_many_requests|resource_exhausted)/i, "busy"],
  [/^(authentication_error|permission_error|invalid_api_key|unauthenticated)$/i, "unauthorized"],
  [/^(not_found_error|model_not_found)$/i, "unknown-model"],
  [/^(context_length_exceeded|request_too_large)$/i, "prompt-too-long"],
];

const networkCodes =
  /^(ECONN|ENOTFOUND$|EAI_AGAIN$|EHOSTUNREACH$|ENETUNREACH$|ETIMEDOUT$|EPIPE$|UND_ERR_(SOCKET|CONNECT|HEADERS|BODY)|ConnectionRefused$|ConnectionClosed$|FailedToOpenSocket$)/;
const networkMessages =
  /fetch failed|failed to fetch|cannot connect to api|econnrefused|econnreset|enotfound|socket hang up|other side closed|network ?error|^terminated$/i;
const tooLongMessages =
  /context[ _-]?(length|window|size)|prompt is too long|(prompt|input|request|messages?) (is |are )?too (long|large)|too many (input )?tokens|exceeds? the maximum number of (input )?tokens|token (?:count|limit)(?:(?!token (?:count|limit)).)*exceed|reduce the length/i;
const brokenOffMessages = /stream (has )?ended|ended (unexpectedly|without)|premature/i;
const formatMessages = /schema|response_?(format|mime)|json|structured[ _-]?output/i;

/** Why a model returned no answer. `isAnswering`: it had started to, so a broken connection interrupted its answer. */
export function failureReason(facts: ErrorFacts, { isAnswering }: { isAnswering: boolean }): ModelFailureReason {
  const { name, message, status, codes } = facts;
  const named = reasonsOfNames.get(name) ?? (status === undefined ? undefined : reasonsOfStatuses.get(status));
  const isBrokenOff = brokenOffMessages.test(message);
  if (named !== undefined) return named === "invalid-response" && isBrokenOff ? "interrupted" : named;
  const coded = reasonsOfCodes.find(([pattern]) => codes.some((code) => pattern.test(code)));
  if (coded !== undefined) return coded[1];
  if (tooLongMessages.test(message)) return "prompt-too-long";
  if (name === "AI_UnsupportedFunctionalityError") return formatMessages.test(message) ? "format-rejected" : "rejected";
  if (status !== undefined && status >= 400) return reasonOfStatus(status, facts);
  // A success status means that the answer had started.
  if (isOfNetwork(facts)) return isAnswering || status !== undefined ? "interrupted" : "unreachable";
  if (isBrokenOff) return "interrupted";
  return status === undefined ? "server-error" : "invalid-response";
}

function reasonOfStatus(status: number, { message, isRetryable }: ErrorFacts): ModelFailureReason {
  if (status >= 500) return "server-error";
  if ((status === 400 || status === 422) && formatMessages.test(message)) return "format-rejected";
  return isRetryable ? "busy" : "rejected";
}

function isOfNetwork({ name, message, codes }: ErrorFacts): boolean {
  // A provider's own time limit: the caller's signal is handled elsewhere.
  if (name === "TimeoutError" || name === "AbortError") return true;
  return networkMessages.test(message) || codes.some((code) => networkCodes.test(code));
}

/** Reads an error by its fields, never by its class, of which each copy of a package has its own. */
export function readFacts(thrown: unknown, message: string): ErrorFacts {
  const { name, statusCode, status, code, isRetryable } = readFields(
    thrown,
    "name",
    "statusCode",
    "status",
    "code",
    "isRetryable",
  );
  return {
    name: typeof name === "string" ? name : "",
    message,
    status: [statusCode, status, code].find(isErrorStatus),
    isRetryable: isRetryable === true,
    codes: readCodes(thrown),
  };
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 100 && value < 600;
}

function readCodes(thrown: unknown): readonly string[] {
  const codes: string[] = [];
  let current = thrown;
  for (let depth = 0; depth < maxCauses && current !== undefined; depth++) {
    const { code, type, cause, error } = readFields(current, "code", "type", "cause", "error");
    for (const told of [code, type]) if (typeof told === "string") codes.push(told);
    current = cause ?? error;
  }
  return codes;
}
