import { onAbort } from "../../async/abort.ts";
import { readFields } from "../../core/error-data.ts";
import { isAgentError } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import {
  type LanguageModel,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  type ModelTokens,
  maxAnswerLength,
  modelName,
  readLogprobs,
} from "../../core/language-model.ts";
import { type ModelCallOptions, ModelCalls, modelCallOptions } from "../../core/model-calls.ts";
import { answerTooLong, modelFailure } from "../../core/model-failure.ts";
import { checkObject, defined, failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import { aiSdkFailure, isNotImplemented } from "./ai-sdk-failure.ts";

/** Language model of the AI SDK 5, 6 or 7, reduced to the members used here. @group Models */
export interface AiSdkLanguageModel {
  /** Version of the interface: `v2` in AI SDK 5, `v3` in 6, `v4` in 7. */
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  /** Returns the whole answer. */
  doGenerate(options: object): PromiseLike<object>;
  /** Streams the answer. */
  doStream(options: object): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** `ReadableStream`, reduced to the members used here. @inline */
interface AiSdkStream {
  /** Locks the stream and returns its reader. */
  getReader(): {
    /** Returns the next piece. */
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    /** Ends the answer. */
    cancel(reason?: unknown): Promise<void>;
  };
}

type AiSdkProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface AiSdkCallOptions {
  prompt: AiSdkMessage[];
  responseFormat?: { type: "text" } | { type: "json"; schema?: JsonSchema; name?: string };
  maxOutputTokens?: number;
  temperature?: number;
  abortSignal: AbortSignal;
  providerOptions?: AiSdkProviderOptions;
}

type AiSdkMessage =
  | { role: "system"; content: string }
  | { role: "user" | "assistant"; content: { type: "text"; text: string }[] };

/** Options of {@link createAiSdkModel}. @inline */
interface AiSdkModelOptions extends ModelCallOptions {
  /** Options for the provider, sent with every call, such as `{ openai: { reasoningEffort: "low" } }`. @default none */
  providerOptions?: AiSdkProviderOptions | undefined;
}

const modelOptions = {
  ...modelCallOptions,
  providerOptions: (options, option): AiSdkProviderOptions | undefined => {
    if (options !== undefined) checkObject(option, options);
    return options as AiSdkProviderOptions | undefined;
  },
} satisfies OptionTable<AiSdkModelOptions>;

/**
 * Adapts a language model of the AI SDK 5, 6 or 7, such as `openai("gpt-5-mini")`, without the package `ai`. Warnings
 * about unsupported settings are not reported. A model that cannot stream is asked for the whole answer. Throws
 * `invalid-options` for a value that is not such a model, also for a mere id, which the AI SDK's `generateText` takes.
 *
 * ```ts
 * const model = createAiSdkModel(openai("gpt-5-mini"), { price: { inputPerMillion: 0.25, outputPerMillion: 2 } });
 * const agent = createAgent({ tools, planner: createLlmPlanner({ model }) });
 * ```
 * @group Models
 */
export function createAiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): LanguageModel {
  checkModel(model);
  const settings = readOptions(modelOptions, options, "options");
  const { price, providerOptions, retry } = settings;
  const { provider, modelId } = model;
  const calls = new ModelCalls({ provider, modelId }, settings);
  let refusesLogprobs = false;
  const ask = async (request: ModelRequest): Promise<ModelResponse> => {
    if (!request.logprobs || refusesLogprobs) return send(model, request, providerOptions);
    try {
      // With `true`, some of OpenAI's models report twenty alternatives per token. Other providers ignore the option.
      const name = getFamily(provider) === "azure" ? "azure" : "openai";
      return await send(model, request, addOptions(name, { logprobs: 1 }, providerOptions));
    } catch (thrown) {
      if (request.signal.aborted || !isAboutLogprobs(thrown)) throw thrown;
      refusesLogprobs = true;
      return send(model, request, providerOptions);
    }
  };
  return {
    provider,
    modelId,
    schemas: isStrict(provider) ? "strict" : "plain",
    hasOutputLimit: true,
    ...(price && { price }),
    retry,
    generate: (request) => calls.run(request, ask),
  };
}

function isAboutLogprobs(thrown: unknown): boolean {
  return isAgentError(thrown, "model-failed") && !thrown.retryable && /log_?prob/i.test(thrown.message);
}

async function send(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  providerOptions: AiSdkProviderOptions | undefined,
): Promise<ModelResponse> {
  const { signal, onTextDelta } = request;
  const callOptions = toCallOptions(model.provider, request, providerOptions);
  const stream = await openStream(model, callOptions);
  if (stream !== undefined) return readStream(model, stream, request);
  signal.throwIfAborted();
  let result: object;
  try {
    result = await model.doGenerate(callOptions);
  } catch (thrown) {
    throw aiSdkFailure(model, thrown, { isAnswering: false });
  }
  const response = readResult(model, result, request);
  signal.throwIfAborted();
  if (response.text !== "") onTextDelta?.(response.text);
  return response;
}

async function openStream(model: AiSdkLanguageModel, callOptions: AiSdkCallOptions): Promise<AiSdkStream | undefined> {
  if (typeof model.doStream !== "function") return undefined;
  let result: { readonly stream: AiSdkStream };
  try {
    result = await model.doStream(callOptions);
  } catch (thrown) {
    if (isNotImplemented(thrown) && typeof model.doGenerate === "function") return undefined;
    throw aiSdkFailure(model, thrown, { isAnswering: false });
  }
  const { stream } = readFields(result, "stream");
  if (typeof readFields(stream, "getReader").getReader === "function") return stream as AiSdkStream;
  throw modelFailure(model, "invalid-response", { message: `${modelName(model)} answered without a stream.` });
}

const expectedModel = 'a language model of the AI SDK, such as openai("gpt-5-mini")';

function checkModel(model: unknown): void {
  const advice = 'or gateway(id) from "ai" for an id without a provider';
  if (typeof model === "string") failOption("model", model, `${expectedModel}, ${advice}`, true);
  if (typeof model === "function")
    failOption("model", model, `${expectedModel}: call the provider with the id of a model`);
  checkObject("model", model);
  const { specificationVersion, provider, modelId, doStream, doGenerate } = model as Record<string, unknown>;
  const isKnown = specificationVersion === "v2" || specificationVersion === "v3" || specificationVersion === "v4";
  const expected = '"v2", "v3" or "v4", as in models of AI SDK 5, 6 and 7';
  if (!isKnown) failOption("model.specificationVersion", specificationVersion, expected, true);
  if (typeof provider !== "string") failOption("model.provider", provider, "text");
  if (typeof modelId !== "string") failOption("model.modelId", modelId, "text");
  if (typeof doStream !== "function" && typeof doGenerate !== "function")
    failOption("model.doStream", doStream, "a function");
}

function toCallOptions(
  provider: string,
  { messages, responseFormat: format, maxOutputTokens, temperature, signal }: ModelRequest,
  providerOptions: AiSdkProviderOptions | undefined,
): AiSdkCallOptions {
  const { schema, strict = false } = format?.type === "json" ? format : {};
  // Some providers treat every schema as strict, so a schema that is not strict is not sent to them.
  const sent = strict || !alwaysStrict.has(getFamily(provider)) ? schema : undefined;
  // Providers for which `isStrict` is true treat a schema as strict unless told otherwise.
  const isDeclared = sent !== undefined && isStrict(provider);
  const options = isDeclared
    ? addOptions(getFamily(provider), { strictJsonSchema: strict }, providerOptions)
    : providerOptions;
  return {
    prompt: messages.map(toMessage),
    ...(format && { responseFormat: { type: format.type, ...(sent && { schema: sent, name: "answer" }) } }),
    ...defined({ maxOutputTokens, temperature, providerOptions: options }),
    abortSignal: signal,
  };
}

function toMessage({ role, content }: ModelMessage): AiSdkMessage {
  return role === "system" ? { role, content } : { role, content: [{ type: "text", text: content }] };
}

const strictProviders = new Set(["openai", "azure", "groq", "xai", "cerebras", "openrouter"]);
const alwaysStrict = new Set(["xai", "openrouter"]);
const otherProviders = new Set("mistral cohere perplexity deepseek google vertex anthropic gateway".split(" "));

function getFamily(provider: string): string {
  return provider.split(".")[0] ?? provider;
}

function isStrict(provider: string): boolean {
  const family = getFamily(provider);
  return strictProviders.has(family) || (/\.(chat|completion)$/.test(provider) && !otherProviders.has(family));
}

function addOptions(name: string, options: object, given: AiSdkProviderOptions | undefined): AiSdkProviderOptions {
  const names = name === "azure" ? ["openai", "azure"] : [name];
  return { ...given, ...Object.fromEntries(names.map((each) => [each, { ...options, ...given?.[each] }])) };
}

async function readStream(
  model: AiSdkLanguageModel,
  stream: AiSdkStream,
  { signal, onTextDelta }: ModelRequest,
): Promise<ModelResponse> {
  const reader = stream.getReader();
  // A stream that failed cannot be cancelled.
  const cancel = (reason: unknown) => void reader.cancel(reason).catch(() => {});
  const stopListening = onAbort(signal, () => cancel(signal.reason));
  try {
    const answer = new StreamedAnswer(model);
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read().catch((thrown) => {
        throw aiSdkFailure(model, thrown, { isAnswering: true });
      });
      signal.throwIfAborted();
      if (done) return answer.whole();
      const delta = answer.take(value);
      if (delta !== "") onTextDelta?.(delta);
    }
  } catch (thrown) {
    cancel(thrown);
    throw thrown;
  } finally {
    stopListening();
  }
}

class StreamedAnswer {
  #text = "";
  #reasoning = "";
  #end: ModelEnd | undefined;

  constructor(private readonly model: AiSdkLanguageModel) {}

  take(part: unknown): string {
    const { type, delta, error } = readFields(part, "type", "delta", "error");
    if (type === "error") throw aiSdkFailure(this.model, error, { isAnswering: true });
    if (type === "finish") this.#end = readEnd(this.model, part);
    if (type === "reasoning-start" && this.#reasoning !== "") this.#reasoning += "\n\n";
    if (type === "reasoning-delta") this.#reasoning += this.#checkDelta(delta);
    if (type !== "text-delta") return "";
    this.#text += this.#checkDelta(delta);
    return String(delta);
  }

  whole(): ModelResponse {
    const [text, reasoning, end] = [this.#text, this.#reasoning, this.#end];
    if (end === undefined) {
      const message = `The answer of ${modelName(this.model)} broke off after ${text.length} character${text.length === 1 ? "" : "s"}: the stream ended without a finish part.`;
      throw modelFailure(this.model, "interrupted", { message });
    }
    return toResponse(text, reasoning.trim(), end);
  }

  #checkDelta(delta: unknown): string {
    if (typeof delta === "string") {
      if (this.#text.length + this.#reasoning.length + delta.length > maxAnswerLength) throw answerTooLong(this.model);
      return delta;
    }
    const message = `${modelName(this.model)} sent a delta of type ${typeof delta}; expected text.`;
    throw modelFailure(this.model, "invalid-response", { message });
  }
}

type ModelEnd = ReturnType<typeof readEnd>;
const finishReasons = ["stop", "length", "content-filter"] as const;

/** In `v2`, the reason is a string and the counts are numbers. In later versions, both are objects. */
function readEnd(model: AiSdkLanguageModel, ended: unknown) {
  const { finishReason, usage } = readFields(ended, "finishReason", "usage");
  const unified = typeof finishReason === "string" ? finishReason : readFields(finishReason, "unified").unified;
  const name = modelName(model);
  if (unified === "error")
    throw modelFailure(model, "server-error", { message: `${name} ended its answer with an unknown error.` });
  if (unified === "interrupted")
    throw modelFailure(model, "interrupted", { message: `The answer of ${name} broke off.` });
  const reason = finishReasons.find((known) => known === unified) ?? ("other" as const);
  return { finishReason: reason, usage: readUsage(usage), reported: getReportedLogprobs(ended) };
}

function toResponse(text: string, reasoning: string, { reported, ...end }: ModelEnd): ModelResponse {
  return { text, ...end, ...defined({ reasoning: reasoning || undefined, logprobs: readLogprobs(text, reported) }) };
}

function readUsage(usage: unknown): ModelTokens {
  const read = readFields(usage, "inputTokens", "outputTokens", "cachedInputTokens");
  const { cacheRead } = readFields(read.inputTokens, "cacheRead");
  return defined({
    inputTokens: readTokens(read.inputTokens),
    cachedInputTokens: readTokens(cacheRead ?? read.cachedInputTokens),
    outputTokens: readTokens(read.outputTokens),
  });
}

/** Some providers report NaN for unknown values. */
function readTokens(reported: unknown): number | undefined {
  const tokens = typeof reported === "number" ? reported : readFields(reported, "total").total;
  return typeof tokens === "number" && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined;
}

function readResult(
  model: AiSdkLanguageModel,
  result: unknown,
  { responseFormat }: Pick<ModelRequest, "responseFormat">,
): ModelResponse {
  const { content, structuredOutputText } = readFields(result, "content", "structuredOutputText");
  if (!Array.isArray(content)) {
    const message = `The answer of ${modelName(model)} has no list "content".`;
    throw modelFailure(model, "invalid-response", { message });
  }
  // In `v4`, the JSON is in `structuredOutputText`, as `content` may also contain drafts.
  const isChosen = responseFormat?.type === "json" && typeof structuredOutputText === "string";
  const text = isChosen ? structuredOutputText : getTexts(content, "text").join("");
  const reasoning = getTexts(content, "reasoning").join("\n\n").trim();
  if (text.length + reasoning.length > maxAnswerLength) throw answerTooLong(model);
  return toResponse(text, reasoning, readEnd(model, result));
}

function getReportedLogprobs(ended: unknown): readonly unknown[] {
  const { openai, azure } = readFields(readFields(ended, "providerMetadata").providerMetadata, "openai", "azure");
  const { logprobs } = readFields(openai ?? azure, "logprobs");
  return Array.isArray(logprobs) ? logprobs.flat() : [];
}

function getTexts(content: readonly unknown[], wanted: "text" | "reasoning"): readonly string[] {
  return content.flatMap((part) => {
    const { type, text } = readFields(part, "type", "text");
    return type === wanted && typeof text === "string" ? [text] : [];
  });
}
