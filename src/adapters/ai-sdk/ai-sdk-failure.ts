import type { AgentError } from "../../core/errors.ts";
import { type LanguageModel, type ModelFailureReason, modelName } from "../../core/language-model.ts";
import { modelFailure } from "../../core/model-failure.ts";
import { cutText, describeThrown } from "../../core/text.ts";
import { readFields } from "./read-fields.ts";

const maxMessageLength = 500;
/** How much of a message is read: a provider may send back everything it received. */
const maxReadLength = 4_000;
const maxWrappers = 5;
/** Errors about the content of a response quote it in their message. */
const bodyMessages = /^(JSON parsing failed|Type validation failed|Invalid response data)\b.*$/s;

const introductions: Readonly<Record<ModelFailureReason, (name: string) => string>> = {
  unreachable: (name) => `${name} cannot be reached`,
  "unknown-model": (name) => `There is no model ${name}`,
  unauthorized: (name) => `${name} has no key, or refuses it`,
  busy: (name) => `${name} is busy`,
  "format-rejected": (name) => `${name} cannot answer in the format it was asked for`,
  "prompt-too-long": (name) => `The messages are too long for ${name}`,
  rejected: (name) => `${name} refuses the request`,
  interrupted: (name) => `The answer of ${name} broke off`,
  "server-error": (name) => `${name} failed`,
  "invalid-response": (name) => `The answer of ${name} cannot be read`,
};

/**
 * Turns an error that a model's call threw, or its stream contained, into `model-failed`. Only the message is kept,
 * cut, and without quotes from a response. A cause that quotes one is dropped, as events and stores contain causes.
 */
export function aiSdkFailure(
  model: Pick<LanguageModel, "provider" | "modelId">,
  thrown: unknown,
  { isAnswering }: { isAnswering: boolean },
): AgentError<"model-failed"> {
  const error = unwrap(thrown);
  const told = messageOf(error);
  const facts = readFacts(error, told);
  const reason = failureReason(facts, { isAnswering });
  return modelFailure(model, reason, {
    message: `${introductions[reason](modelName(model))}: ${cutText(toLine(told), maxMessageLength)}`,
    status: facts.status,
    cause: holdsBody(thrown) ? undefined : thrown,
  });
}

/** Whether a model reports that it cannot be called in this way: then another may work. */
export function isNotImplemented(thrown: unknown): boolean {
  const { name, message } = readFields(thrown, "name", "message");
  const text = typeof message === "string" ? message : "";
  // "Not implemented" is what the AI SDK's mocks throw.
  return /^not implemented/i.test(text) || (name === "AI_UnsupportedFunctionalityError" && /stream/i.test(text));
}

/** The last error of the AI SDK's retries, or an error that a stream wraps in an envelope. */
function unwrap(thrown: unknown): unknown {
  let current = thrown;
  for (let depth = 0; depth < maxWrappers; depth++) {
    const { lastError, error, message } = readFields(current, "lastError", "error", "message");
    const inner = lastError ?? (typeof message === "string" ? undefined : error);
    if (inner === undefined || inner === null) break;
    current = inner;
  }
  return current;
}

/**
 * Whether the messages of an error and its causes, which are kept with a failure, quote a response; a thrown value
 * that is not an error may be one.
 */
function holdsBody(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  let current: unknown = thrown;
  for (let depth = 0; depth <= maxWrappers && current !== undefined; depth++) {
    const { message, cause } = readFields(current, "message", "cause");
    if (typeof message === "string" && bodyMessages.test(message)) return true;
    current = cause;
  }
  return false;
}

function messageOf(thrown: unknown): string {
  const { message } = readFields(thrown, "message");
  const told = typeof message === "string" && message !== "" ? message : describeThrown(thrown);
  return cutText(told, maxReadLength);
}

function toLine(message: string): string {
  return message.replace(bodyMessages, "$1").replace(/\s+/g, " ").trim();
}

/** The facts of an error of the AI SDK, of a provider or of the network. */
interface ErrorFacts {
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

/** A key without money left: waiting does not help. */
const isOutOfQuota = (code: string) =>
  /^(insufficient_quota|billing_hard_limit_reached|credit_balance_too_low)$/i.test(code);

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
function failureReason(facts: ErrorFacts, { isAnswering }: { isAnswering: boolean }): ModelFailureReason {
  const { name, message, status, codes } = facts;
  if (codes.some(isOutOfQuota)) return "rejected";
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
function readFacts(thrown: unknown, message: string): ErrorFacts {
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
  const { responseBody } = readFields(thrown, "responseBody");
  const codes = typeof responseBody === "string" ? codesIn(responseBody.slice(0, maxReadLength)) : [];
  let current = thrown;
  for (let depth = 0; depth < maxCauses && current !== undefined; depth++) {
    const { code, type, cause, error, data } = readFields(current, "code", "type", "cause", "error", "data");
    for (const told of [code, type]) if (typeof told === "string") codes.push(told);
    current = cause ?? error ?? data;
  }
  return codes;
}

/** Those in the body of a response: each provider reads other fields of it. */
function codesIn(body: string): string[] {
  return [...body.matchAll(/"(?:code|type)"\s*:\s*"(\w{1,100})"/g)].map(([, code = ""]) => code);
}
