import type { ChatRequest, ChatResponse } from "ollama/browser";
import { onAbort } from "../../async/abort.ts";
import { settleOrAbort } from "../../async/promises.ts";
import { readFields } from "../../core/error-data.ts";
import { isAgentError } from "../../core/errors.ts";
import {
  estimateTokens,
  type LanguageModel,
  type ModelFinishReason,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  type ModelTokens,
  maxAnswerLength,
  readLogprobs,
} from "../../core/language-model.ts";
import { ModelCalls } from "../../core/model-calls.ts";
import { answerTooLong, modelFailure } from "../../core/model-failure.ts";
import { defined } from "../../core/option-tables.ts";
import { answerFailure, createClient } from "./ollama-client.ts";
import {
  type OllamaModelOptions,
  type OllamaSettings,
  type OllamaThink,
  resolveOllamaOptions,
} from "./ollama-options.ts";

/** Model of Ollama. @group Models */
export interface OllamaModel extends LanguageModel {
  /** Loads the model into the server's memory. Rejects with `model-failed` or the signal's reason. */
  preload(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * Creates a model that runs in Ollama. It asks the server once for the model's capabilities, which determine thinking
 * and the size of the context. Answers are streamed, so that aborting a call closes its connection and makes the server
 * stop generating. Nothing is loaded or sent before the first call. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/22-fake-models.ts}
 * @group Models
 */
export function createOllamaModel(options: OllamaModelOptions): OllamaModel {
  const settings = resolveOllamaOptions(options);
  const { provider, modelId, price, retry } = settings;
  const calls = new OllamaCalls(settings);
  return {
    provider,
    modelId,
    price,
    retry,
    schemas: "grammar",
    preload: ({ signal = new AbortController().signal } = {}) => settleOrAbort(calls.preload(signal), signal),
    getContextTokens: (signal) => settleOrAbort(calls.getContextTokens(signal), signal),
    generate: (request) => calls.generate(request),
  };
}

/** The library's type lacks `truncate` and the highest level of `think`. */
type OllamaChatRequest = Omit<ChatRequest, "think"> & {
  stream: true;
  truncate: boolean;
  think?: OllamaThink;
  options: { num_predict: number; num_ctx?: number };
};

const usualPromptLength = 4_500;

class OllamaCalls {
  readonly #facts: SharedLoad<ModelFacts>;
  readonly #calls: ModelCalls;
  /** Never shrinks, as the server would reload the model for another size. */
  #largestContext = 0;
  #refusesThink = false;
  #mustThink = false;

  constructor(private readonly settings: OllamaSettings) {
    this.#calls = new ModelCalls(settings, settings);
    this.#facts = new SharedLoad(async (signal) => {
      const client = await createClient({ settings, signal });
      return readFacts(settings.modelId, await client.show({ model: settings.modelId }));
    });
  }

  async generate(request: ModelRequest): Promise<ModelResponse> {
    const { signal } = request;
    const facts = await this.#facts.get(signal).catch((thrown: unknown) => {
      signal.throwIfAborted();
      const reason = isAgentError(thrown, "model-failed") ? thrown.details.reason : undefined;
      if (reason === "unreachable" || reason === "unknown-model") throw thrown;
      return readFacts(this.settings.modelId, {});
    });
    return this.#calls.run(request, (attempt) => this.#ask(attempt, facts));
  }

  async getContextTokens(signal: AbortSignal): Promise<number | undefined> {
    const { contextLength } = (await this.#facts.get(signal).catch(() => undefined)) ?? {};
    const { contextTokens } = this.settings;
    return typeof contextTokens === "number" ? Math.min(contextTokens, contextLength ?? contextTokens) : contextLength;
  }

  async preload(signal: AbortSignal): Promise<void> {
    const facts = await this.#facts.get(signal);
    const messages = [{ role: "user", content: "x".repeat(usualPromptLength) }] as const;
    const { think: _, ...chat } = this.#toChat({ messages, signal }, facts);
    const client = await createClient({ settings: this.settings, signal });
    await client.chat({ ...chat, messages: [], stream: false });
  }

  /** Asks again with thinking if a format was ignored: some servers apply formats only then (ollama/ollama#14645). */
  async #ask(request: ModelRequest, facts: ModelFacts): Promise<ModelResponse> {
    const chat = this.#toChat(request, facts);
    let response: ModelResponse;
    try {
      response = await this.#send(chat, request);
    } catch (thrown) {
      request.signal.throwIfAborted();
      if (chat.think === undefined || !isAboutThinking(thrown)) throw thrown;
      this.#refusesThink = true;
      return this.#ask(request, facts);
    }
    const mayThink = this.settings.think === undefined && facts.canThink === true;
    if (!mayThink || !ignoresFormat(chat, response)) return response;
    this.#mustThink = true;
    return withUsage(await this.#ask(request, facts), response.usage);
  }

  async #send(chat: OllamaChatRequest, request: ModelRequest): Promise<ModelResponse> {
    const connection = new AbortController();
    const { signal } = connection;
    const stopListening = onAbort(request.signal, () => connection.abort(request.signal.reason));
    try {
      const hasFormat = chat.format !== undefined;
      const client = await createClient({ settings: this.settings, signal, hasFormat, isAnswer: true });
      const parts = await client.chat(chat as ChatRequest & { stream: true });
      const response = await this.#readAnswer(parts, { signal, onTextDelta: request.onTextDelta });
      const { num_predict: room } = chat.options;
      return room < (request.maxOutputTokens ?? 0) ? { ...response, maxOutputTokens: room } : response;
    } finally {
      stopListening();
      connection.abort();
    }
  }

  async #readAnswer(
    parts: AsyncIterable<ChatResponse>,
    { signal, onTextDelta }: Pick<ModelRequest, "signal" | "onTextDelta">,
  ): Promise<ModelResponse> {
    let text = "";
    let reasoning = "";
    let blankLength = 0;
    let reported: unknown[] = [];
    const response = (finishReason: ModelFinishReason, usage: ModelTokens): ModelResponse => {
      const logprobs = readLogprobs(text, reported);
      return { text, finishReason, usage, ...defined({ reasoning: reasoning || undefined, logprobs }) };
    };
    for await (const part of parts) {
      signal.throwIfAborted();
      const thought = asText(part.message?.thinking);
      const delta = asText(part.message?.content);
      reasoning += thought;
      text += delta;
      if (thought !== "") reported = [];
      else if (Array.isArray(part.logprobs)) reported.push(...part.logprobs);
      if (Math.max(text.length + reasoning.length, reported.length) > maxAnswerLength)
        throw answerTooLong(this.settings);
      if (delta !== "") onTextDelta?.(delta);
      if (part.done) {
        const usage = { inputTokens: asCount(part.prompt_eval_count), outputTokens: asCount(part.eval_count) };
        return response(toFinishReason(part.done_reason), defined(usage));
      }
      const piece = thought + delta;
      const inked = piece.trimEnd().length;
      blankLength = inked === 0 ? blankLength + piece.length : piece.length - inked;
      if (blankLength >= maxBlankLength) return response("length", {});
    }
    throw answerFailure(this.settings, "invalid-response", "The answer is not a chat message");
  }

  #toChat(request: ModelRequest, facts: ModelFacts): OllamaChatRequest {
    const { messages, responseFormat, maxOutputTokens, temperature, logprobs } = request;
    const { settings } = this;
    const think = this.#refusesThink ? undefined : chooseThink(this.#mustThink ? true : settings.think, facts);
    const outputTokens = maxOutputTokens ?? (think ? defaultThinkingTokens : defaultOutputTokens);
    return {
      model: settings.modelId,
      messages: messages.map(({ role, content }: ModelMessage) => ({ role, content })),
      stream: true,
      // Prevents the server from silently dropping the oldest messages.
      truncate: false,
      ...(responseFormat?.type === "json" && { format: responseFormat.schema ?? "json" }),
      // Omits `top_logprobs`, for which the server would sort its vocabulary at each token.
      ...(logprobs && { logprobs }),
      ...defined({ think, keep_alive: settings.keepAlive }),
      options: {
        ...settings.options,
        ...defined({ seed: settings.seed, temperature }),
        ...this.#fitContext(messages, outputTokens, facts.contextLength),
      },
    };
  }

  #fitContext(
    messages: readonly ModelMessage[],
    maxOutputTokens: number,
    contextLength = Number.POSITIVE_INFINITY,
  ): OllamaChatRequest["options"] {
    const { modelId, contextTokens } = this.settings;
    const estimates = messages.map(({ content }) => estimateTokens(content) + tokensPerMessage);
    const promptTokens = estimates.reduce((sum, tokens) => sum + tokens, tokensPerMessage);
    const wanted = typeof contextTokens === "number" ? contextTokens : Number.POSITIVE_INFINITY;
    const limit = Math.min(wanted, contextLength);
    const outputTokens = Math.min(maxOutputTokens, limit - promptTokens);
    if (outputTokens < Math.min(maxOutputTokens, leastOutputTokens)) {
      const isChosen = wanted < contextLength;
      const own = `${modelId} has a context of ${contextLength}`;
      const bound = isChosen ? `the option "contextTokens" allows ${wanted}` : own;
      const message = `The messages have about ${promptTokens} tokens, but ${bound}, including the answer.`;
      throw modelFailure(this.settings, "prompt-too-long", { message });
    }
    if (contextTokens === "server") return { num_predict: outputTokens };
    // Leaves room for a second attempt with twice the output, as another size would make the server reload the model.
    const needed = 2 ** Math.ceil(Math.log2(promptTokens + secondTryTokens + 2 * outputTokens));
    const isEnough = this.#largestContext >= promptTokens + outputTokens;
    const grown = isEnough ? this.#largestContext : Math.max(leastContextTokens, needed);
    const chosen = contextTokens === undefined ? Math.min(limit, grown) : limit;
    this.#largestContext = Math.max(this.#largestContext, chosen);
    return { num_predict: outputTokens, num_ctx: chosen };
  }
}

function isAboutThinking(thrown: unknown): boolean {
  if (!isAgentError(thrown, "model-failed") || thrown.details.status !== 400) return false;
  return /\bthink(?:ing)?\b/i.test((thrown.cause as Error).message);
}

function ignoresFormat({ format, think }: OllamaChatRequest, { text, finishReason }: ModelResponse): boolean {
  return format !== undefined && think === false && finishReason === "stop" && text.trim() !== "" && !/[{[]/.test(text);
}

function withUsage(response: ModelResponse, { inputTokens = 0, outputTokens = 0 }: ModelTokens): ModelResponse {
  const { inputTokens: lastInput, outputTokens: lastOutput } = response.usage;
  const usage = defined({
    inputTokens: lastInput === undefined ? undefined : lastInput + inputTokens,
    outputTokens: lastOutput === undefined ? undefined : lastOutput + outputTokens,
  });
  return { ...response, usage };
}

/** White space of this length shows that a model is lost in its grammar. */
const maxBlankLength = 500;

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toFinishReason(reason: string | null | undefined): ModelFinishReason {
  if (reason === "length") return "length";
  return (reason || "stop") === "stop" ? "stop" : "other";
}

function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

type ModelFacts = ReturnType<typeof readFacts>;

function readFacts(modelId: string, answer: unknown) {
  const { capabilities, details, model_info: info } = readFields(answer, "capabilities", "details", "model_info");
  const { "general.architecture": architecture } = readFields(info, "general.architecture");
  const { family } = readFields(details, "family");
  const lengthKey = `${String(architecture)}.context_length`;
  const { [lengthKey]: length } = readFields(info, lengthKey);
  return {
    canThink: Array.isArray(capabilities) ? capabilities.includes("thinking") : undefined,
    isGptOss: [family ?? modelId, architecture].some((name) => typeof name === "string" && /gpt-?oss/i.test(name)),
    contextLength: asCount(length) || undefined,
  };
}

/** A model that cannot think refuses `true`. With `false` and a format, gpt-oss returns nothing. */
function chooseThink(wanted: OllamaThink | undefined, facts: ModelFacts): OllamaThink | undefined {
  if (facts.canThink === false) return undefined;
  if (!facts.isGptOss) return wanted ?? false;
  if (typeof wanted === "string") return wanted;
  return wanted === true ? "medium" : "low";
}

const defaultOutputTokens = 2_048;
/** Thinking counts as output and must leave room for an answer. */
const defaultThinkingTokens = 4_096;
/** Generous estimate of the tokens that a template adds to each message. */
const tokensPerMessage = 16;
const leastContextTokens = 4_096;
const secondTryTokens = 512;
/** A request fails if it leaves room for fewer output tokens, unless it asks for fewer. */
const leastOutputTokens = 256;

/** Shares a load between callers. The next caller restarts a failed load; a load without callers is aborted. */
class SharedLoad<T> {
  #loading: { readonly value: Promise<T>; readonly controller: AbortController; callers: number } | undefined;

  constructor(private readonly load: (signal: AbortSignal) => Promise<T>) {}

  async get(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#loading === undefined) {
      const controller = new AbortController();
      this.#loading = { value: this.load(controller.signal), controller, callers: 0 };
    }
    const loading = this.#loading;
    loading.callers++;
    try {
      return await settleOrAbort(loading.value, signal);
    } catch (thrown) {
      loading.callers--;
      if (loading.callers === 0) {
        loading.controller.abort();
        if (this.#loading === loading) this.#loading = undefined;
      }
      throw thrown;
    }
  }
}
