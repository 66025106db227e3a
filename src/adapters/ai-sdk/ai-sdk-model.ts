import { readFields } from "../../core/error-data.ts";
import { isAgentError } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import {
  type LanguageModel,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  modelName,
} from "../../core/language-model.ts";
import { type ModelCallOptions, ModelCalls, modelCallOptions } from "../../core/model-calls.ts";
import { modelFailure } from "../../core/model-failure.ts";
import { checkObject, failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import { aiSdkFailure, isNotImplemented } from "./ai-sdk-failure.ts";
import { type AiSdkStream, readResult, readStream } from "./read-answer.ts";

/**
 * A language model object of the AI SDK, as far as it is used here: of version 5, 6 or 7 of the package `ai`. It is
 * declared again so that none of them has to be installed for its types, and answers are read with care.
 * @group Models
 */
export interface AiSdkLanguageModel {
  /** The version of the interface: `v2` of AI SDK 5, `v3` of 6, `v4` of 7. */
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  /** Returns the whole answer. */
  doGenerate(options: object): PromiseLike<object>;
  /** Streams the answer. */
  doStream(options: object): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** Options of single providers, under their names, such as `{ openai: { reasoningEffort: "low" } }`. */
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
  /** Sent with every call, such as `{ openai: { reasoningEffort: "low" } }`. @default none */
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
 * A language model of the AI SDK, version 5, 6 or 7, such as `openai("gpt-5-mini")`, as a model of this package. It is
 * called directly: the package `ai` is not needed, and warnings about settings that a model
 * does not support are not reported. If it cannot stream, it is asked for the whole answer.
 *
 * Throws `invalid-options` for anything that is not such a model, including a mere id, which `generateText` of the AI
 * SDK accepts.
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
      return await send(model, request, logprobsOptions(provider, providerOptions));
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
  if (stream !== undefined) return readStream(model, stream, { signal, onTextDelta });
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
const expectedVersion = "v2, v3 or v4, as models of AI SDK 5, 6 and 7 have it";

function checkModel(model: unknown): void {
  const advice = 'an id alone does not say where the model is; gateway(id) of "ai" makes a model from it';
  if (typeof model === "string") failOption("model", model, `${expectedModel}: ${advice}`, true);
  if (typeof model === "function")
    failOption("model", model, `${expectedModel}: a provider is called with the id of a model`);
  checkObject("model", model);
  const { specificationVersion, provider, modelId, doStream, doGenerate } = model as Record<string, unknown>;
  if (specificationVersion !== "v2" && specificationVersion !== "v3" && specificationVersion !== "v4")
    failOption("model.specificationVersion", specificationVersion, expectedVersion, true);
  if (typeof provider !== "string") failOption("model.provider", provider, "a text");
  if (typeof modelId !== "string") failOption("model.modelId", modelId, "a text");
  if (typeof doStream !== "function" && typeof doGenerate !== "function")
    failOption("model.doStream", doStream, "a function");
}

function toCallOptions(
  provider: string,
  { messages, maxOutputTokens, temperature, signal, ...request }: ModelRequest,
  providerOptions: AiSdkProviderOptions | undefined,
): AiSdkCallOptions {
  const { responseFormat: format } = request;
  const { schema, strict = false } = format?.type === "json" ? format : {};
  // An open schema is left out if the provider would send it as a closed one.
  const sent = strict || !alwaysStrict.has(getFamily(provider)) ? schema : undefined;
  // These providers otherwise take a schema for a strict one.
  const isDeclared = sent !== undefined && isStrict(provider);
  const options = isDeclared
    ? addOptions(getFamily(provider), { strictJsonSchema: strict }, providerOptions)
    : providerOptions;
  return {
    prompt: messages.map(toMessage),
    // Some providers want a name for what a schema describes.
    ...(format && { responseFormat: { type: format.type, ...(sent && { schema: sent, name: "answer" }) } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(options && { providerOptions: options }),
    abortSignal: signal,
  };
}

function toMessage({ role, content }: ModelMessage): AiSdkMessage {
  return role === "system" ? { role, content } : { role, content: [{ type: "text", text: content }] };
}

/** Providers that want closed schemas, by the part of their name before the first dot. */
const strictProviders = new Set(["openai", "azure", "groq", "xai", "cerebras", "openrouter"]);
/** These send each schema as strict, whatever is asked. */
const alwaysStrict = new Set(["xai", "openrouter"]);
/** Others whose models are named like those of `@ai-sdk/openai-compatible`, such as `mistral.chat`. */
const otherProviders = new Set("mistral cohere perplexity deepseek google vertex anthropic gateway".split(" "));

function getFamily(provider: string): string {
  return provider.split(".")[0] ?? provider;
}

export function isStrict(provider: string): boolean {
  const family = getFamily(provider);
  return strictProviders.has(family) || (/\.(chat|completion)$/.test(provider) && !otherProviders.has(family));
}

/** Adds options where the caller has given none. Azure reads those of OpenAI, too. */
function addOptions(name: string, options: object, given: AiSdkProviderOptions | undefined): AiSdkProviderOptions {
  const names = name === "azure" ? ["openai", "azure"] : [name];
  return { ...given, ...Object.fromEntries(names.map((each) => [each, { ...options, ...given?.[each] }])) };
}

/** OpenAI's models know the option, also behind a gateway; others ignore it. It is 1, as `true` makes some report twenty alternatives. */
function logprobsOptions(provider: string, given: AiSdkProviderOptions | undefined): AiSdkProviderOptions {
  return addOptions(getFamily(provider) === "azure" ? "azure" : "openai", { logprobs: 1 }, given);
}
