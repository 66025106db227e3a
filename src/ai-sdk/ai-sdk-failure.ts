import type { AgentError } from "../core/errors.ts";
import { type LanguageModel, type ModelFailureReason, modelName } from "../core/language-model.ts";
import { modelFailure } from "../core/model-failure.ts";
import { cutText, describeThrown } from "../core/text.ts";
import { failureReason, readFacts } from "./failure-reason.ts";
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
