import { readFields } from "../../core/error-data.ts";
import type { AgentError } from "../../core/errors.ts";
import { type LanguageModel, type ModelFailureReason, modelName } from "../../core/language-model.ts";
import { causesOf, type FailedCall, isBrokenOff, modelFailure, readFailureReason } from "../../core/model-failure.ts";
import { cutText, describeThrown } from "../../core/text.ts";

const maxMessageLength = 500;
/** Maximum number of characters read from a message or body, as a provider may send back the whole request. */
const maxReadLength = 4_000;
const maxWrappers = 5;
/** Error messages that quote the response. */
const bodyMessages = /^(JSON parsing failed|Type validation failed|Invalid response data)\b.*$/s;

const introductions: Readonly<Record<ModelFailureReason, (name: string) => string>> = {
  unreachable: (name) => `${name} cannot be reached`,
  "unknown-model": (name) => `The model ${name} does not exist`,
  unauthorized: (name) => `${name} has no key, or its key was refused`,
  busy: (name) => `${name} is busy`,
  "format-rejected": (name) => `${name} cannot answer in the requested format`,
  "prompt-too-long": (name) => `The messages are too long for ${name}`,
  rejected: (name) => `${name} refused the request`,
  interrupted: (name) => `The answer of ${name} broke off`,
  "server-error": (name) => `${name} failed`,
  "invalid-response": (name) => `The answer of ${name} is malformed`,
};

/** Keeps quoted responses out of the message and the cause, because events and stores record both. */
export function aiSdkFailure(
  model: Pick<LanguageModel, "provider" | "modelId">,
  thrown: unknown,
  { isAnswering }: { isAnswering: boolean },
): AgentError<"model-failed"> {
  const error = unwrap(thrown);
  const source = thrown instanceof Error ? thrown : error;
  const message = readMessage(error);
  const fields = readFields(error, "name", "statusCode", "status", "code", "isRetryable");
  const { name, statusCode, status, code, isRetryable } = fields;
  const call: FailedCall = {
    message,
    status: [statusCode, status, code].find(isErrorStatus),
    codes: [...(typeof name === "string" ? [name] : []), ...readCodes(error)],
    isAnswering,
    isRetryable: isRetryable === true,
  };
  const reason = readReason(name, call);
  const line = message.replace(bodyMessages, "$1").replace(/\s+/g, " ").trim();
  return modelFailure(model, reason, {
    message: `${introductions[reason](modelName(model))}: ${cutText(line, maxMessageLength)}`,
    status: call.status,
    cause: holdsBody(source) ? undefined : source,
  });
}

/** Compares the names of errors, as each copy of a package has its own classes. */
function readReason(name: unknown, call: FailedCall): ModelFailureReason {
  if (name === unsupported) return readFailureReason({ ...call, status: 400 });
  const reason = reasonsOfNames.get(name) ?? readFailureReason(call);
  return reason === "invalid-response" && isBrokenOff(call.message ?? "") ? "interrupted" : reason;
}

const unsupported = "AI_UnsupportedFunctionalityError";

export function isNotImplemented(thrown: unknown): boolean {
  const { name, message } = readFields(thrown, "name", "message");
  const text = typeof message === "string" ? message : "";
  // Mocks of the AI SDK throw "Not implemented".
  return /^not implemented/i.test(text) || (name === unsupported && /stream/i.test(text));
}

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

function holdsBody(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  return causesOf(thrown).some(({ message }) => typeof message === "string" && bodyMessages.test(message));
}

function readMessage(thrown: unknown): string {
  const { message } = readFields(thrown, "message");
  const text = typeof message === "string" && message !== "" ? message : describeThrown(thrown);
  return cutText(text, maxReadLength);
}

const reasonsOfNames: ReadonlyMap<unknown, ModelFailureReason> = new Map([
  ["AI_LoadAPIKeyError", "unauthorized"],
  ["AI_NoSuchModelError", "unknown-model"],
  ["AI_NoSuchProviderError", "unknown-model"],
  ["AI_LoadSettingError", "rejected"],
  ["AI_InvalidPromptError", "rejected"],
  ["AI_InvalidArgumentError", "rejected"],
  ["AI_EmptyResponseBodyError", "invalid-response"],
  ["AI_InvalidResponseDataError", "invalid-response"],
  ["AI_JSONParseError", "invalid-response"],
  ["AI_TypeValidationError", "invalid-response"],
  ["AI_NoContentGeneratedError", "invalid-response"],
]);

function isErrorStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 100 && value < 600;
}

function readCodes(thrown: unknown): readonly string[] {
  const { responseBody } = readFields(thrown, "responseBody");
  const body = typeof responseBody === "string" ? responseBody.slice(0, maxReadLength) : "";
  const codes = [...body.matchAll(/"(?:code|type)"\s*:\s*"(\w{1,100})"/g)].map(([, code = ""]) => code);
  let current = thrown;
  for (let depth = 0; depth < maxWrappers && current !== undefined; depth++) {
    const { code, type, cause, error, data } = readFields(current, "code", "type", "cause", "error", "data");
    for (const name of [code, type]) if (typeof name === "string") codes.push(name);
    current = cause ?? error ?? data;
  }
  return codes;
}
