import type { ChatRequest } from "ollama/browser";
import { estimateTokens, type ModelMessage, type ModelRequest } from "../../core/language-model.ts";
import { modelFailure } from "../../core/model-failure.ts";
import type { ModelFacts } from "./model-facts.ts";
import type { OllamaSettings, OllamaThink } from "./ollama-options.ts";

const defaultOutputTokens = 2_048;
/** Thinking counts as output; if it used up all of it, no answer would be left. */
const defaultThinkingTokens = 4_096;
/** What a template adds around each message, and around all of them; a high estimate. */
const tokensPerMessage = 16;

/** A request to a model as sent. `truncate` and the highest level of `think` are missing from the library's types. */
export type OllamaChatRequest = Omit<ChatRequest, "think"> & {
  stream: true;
  truncate: boolean;
  think?: OllamaThink;
  options: { num_ctx?: number; num_predict?: number };
};

/** Inputs of {@link toChatRequest}. */
interface ChatRequestOptions {
  readonly settings: OllamaSettings;
  readonly facts: ModelFacts;
  /** Whether the server has refused the option `think`. */
  readonly refusesThink: boolean;
  /** Whether the server holds the format only while the model thinks. */
  readonly mustThink: boolean;
  /** See `fitContext`. */
  readonly largestContext: number;
}

/** Makes the request for `/api/chat`. Throws `model-failed` with `prompt-too-long` if the messages do not fit. */
export function toChatRequest(
  { messages, responseFormat, maxOutputTokens, temperature, logprobs }: ModelRequest,
  { settings, facts, refusesThink, mustThink, largestContext }: ChatRequestOptions,
): OllamaChatRequest {
  const think = refusesThink ? undefined : chooseThink(mustThink ? true : settings.think, facts);
  const fitted = fitContext({
    promptTokens: promptTokens(messages),
    maxOutputTokens: maxOutputTokens ?? (think ? defaultThinkingTokens : defaultOutputTokens),
    wanted: settings.contextTokens === "server" ? undefined : settings.contextTokens,
    contextLength: facts.contextLength,
    largest: largestContext,
  });
  if (fitted === undefined) throw promptTooLong(settings, facts, promptTokens(messages));
  return {
    model: settings.modelId,
    messages: messages.map(({ role, content }) => ({ role, content })),
    stream: true,
    // Else the server would silently drop the oldest messages; now it refuses the request.
    truncate: false,
    ...(responseFormat?.type === "json" && { format: responseFormat.schema ?? "json" }),
    // Never with `top_logprobs`, for which the server sorts its whole vocabulary at each token.
    ...(logprobs && { logprobs }),
    ...(think !== undefined && { think }),
    ...(settings.keepAlive !== undefined && { keep_alive: settings.keepAlive }),
    options: {
      ...settings.options,
      ...(settings.seed !== undefined && { seed: settings.seed }),
      ...(temperature !== undefined && { temperature }),
      num_predict: fitted.outputTokens,
      ...(settings.contextTokens !== "server" && { num_ctx: fitted.contextTokens }),
    },
  };
}

/**
 * Which `think` to send: none to a model that cannot, as true would be refused; a level to gpt-oss, as its answer would
 * be empty with false and a format; to all others, including unknown ones, what was wanted or else false.
 */
function chooseThink(wanted: OllamaThink | undefined, facts: ModelFacts): OllamaThink | undefined {
  if (facts.canThink === false) return undefined;
  if (!facts.isGptOss) return wanted ?? false;
  if (typeof wanted === "string") return wanted;
  return wanted === true ? "medium" : "low";
}

function promptTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokens(content) + tokensPerMessage, tokensPerMessage);
}

function promptTooLong(settings: OllamaSettings, facts: ModelFacts, tokens: number) {
  const { modelId } = settings;
  const contextTokens = typeof settings.contextTokens === "number" ? settings.contextTokens : Number.POSITIVE_INFINITY;
  const { contextLength = Number.POSITIVE_INFINITY } = facts;
  const isOurs = contextTokens < contextLength;
  const message = isOurs
    ? `The messages have about ${tokens} tokens, and the option "contextTokens" allows ${contextTokens}, answer included.`
    : `The messages have about ${tokens} tokens, and ${modelId} has a context of ${contextLength}, answer included.`;
  return modelFailure(settings, "prompt-too-long", { message });
}

const leastContextTokens = 4_096;
/** A second try repeats the start of the answer and says what was wrong with it. */
const secondTryTokens = 512;
/** An answer with room for fewer is not worth requesting, unless no more was wanted. */
const leastOutputTokens = 256;

/** What a call has room for, in tokens. */
interface ContextFit {
  readonly contextTokens: number;
  readonly outputTokens: number;
}

/** Inputs of {@link fitContext}, in tokens. */
interface FitContextOptions {
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
  /** The context that the options set. */
  readonly wanted: number | undefined;
  /** The model's own. */
  readonly contextLength: number | undefined;
  /** The largest that was used so far: a server loads the model again when the context changes, so it never shrinks. */
  readonly largest: number;
}

/** How large a context a call needs, with the answer shortened if necessary. Undefined if the prompt does not fit. */
function fitContext(options: FitContextOptions): ContextFit | undefined {
  const { promptTokens, maxOutputTokens, wanted, largest } = options;
  const limit = Math.min(wanted ?? Number.POSITIVE_INFINITY, options.contextLength ?? Number.POSITIVE_INFINITY);
  const outputTokens = Math.min(maxOutputTokens, limit - promptTokens);
  if (outputTokens < Math.min(maxOutputTokens, leastOutputTokens)) return undefined;
  // One size for all calls of a planning: the second has twice the room, and a server loads the model again for another.
  const needed = 2 ** Math.ceil(Math.log2(promptTokens + secondTryTokens + 2 * outputTokens));
  const grown = largest >= promptTokens + outputTokens ? largest : Math.max(leastContextTokens, needed);
  return { contextTokens: wanted === undefined ? Math.min(limit, grown) : limit, outputTokens };
}
