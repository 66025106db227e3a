import { onAbort } from "../../async/abort.ts";
import { type Clock, systemClock } from "../../async/clock.ts";
import { settleOrAbort } from "../../async/promises.ts";
import { isAgentError } from "../../core/errors.ts";
import {
  type LanguageModel,
  type ModelMessage,
  type ModelPrice,
  type ModelRequest,
  type ModelResponse,
  type ModelResponseFormat,
  modelName,
} from "../../core/language-model.ts";
import { type ModelCallOptions, ModelCalls, modelCallOptions } from "../../core/model-calls.ts";
import { modelFailure, priceOptions } from "../../core/model-failure.ts";
import { checkObject, failOption, type OptionTable, readOptions } from "../../core/options.ts";
import { aiSdkFailure, isNotImplemented } from "./ai-sdk-failure.ts";
import type {
  AiSdkCallOptions,
  AiSdkLanguageModel,
  AiSdkMessage,
  AiSdkProviderOptions,
  AiSdkStream,
} from "./ai-sdk-language-model.ts";
import { isStrict, logprobsOptions, sendableFormat, strictOptions } from "./provider-options.ts";
import { readResult, readStream } from "./read-answer.ts";
import { readFields } from "./read-fields.ts";

/** Options of {@link createAiSdkModel}. @inline */
interface AiSdkModelOptions extends ModelCallOptions {
  /** What its tokens cost; a budget of `cost` needs it. @default unknown */
  price?: ModelPrice | undefined;
  /** Sent with every call, such as `{ openai: { reasoningEffort: "low" } }`. @default none */
  providerOptions?: AiSdkProviderOptions | undefined;
  /** For the delays between attempts. @default the machine's */
  clock?: Clock | undefined;
  /** For the jitter of delays: from 0 to 1. @default Math.random */
  random?: (() => number) | undefined;
}

const modelOptions = {
  price: { options: priceOptions },
  providerOptions: (options, option): AiSdkProviderOptions | undefined => {
    if (options !== undefined) checkObject(option, options);
    return options as AiSdkProviderOptions | undefined;
  },
  ...modelCallOptions,
  clock: { type: "clock", default: systemClock },
  random: { type: "function", default: () => Math.random() },
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
  return {
    provider,
    modelId,
    schemas: isStrict(provider) ? "strict" : "plain",
    hasOutputLimit: true,
    ...(price && { price }),
    retry,
    async generate(request) {
      const { signal } = request;
      signal.throwIfAborted();
      // A signal for this call alone: listeners that the model leaves on it stay on no signal that lives longer.
      const call = new AbortController();
      const stopListening = onAbort(signal, () => call.abort(signal.reason));
      try {
        const answer = calls.run({ ...request, signal: call.signal }, async (attempt) => {
          const send = (logprobs: boolean) => {
            const asked = logprobs ? logprobsOptions(provider, providerOptions) : providerOptions;
            return ask(
              model,
              attempt,
              toCallOptions(attempt, { provider, signal: call.signal, providerOptions: asked }),
            );
          };
          if (!attempt.logprobs || refusesLogprobs) return send(false);
          try {
            return await send(true);
          } catch (thrown) {
            if (signal.aborted || !isAboutLogprobs(thrown)) throw thrown;
            refusesLogprobs = true;
            return send(false);
          }
        });
        return await settleOrAbort(answer, signal);
      } finally {
        stopListening();
      }
    },
  };
}

/** A model that may not report them refuses the whole request, some as forbidden. */
function isAboutLogprobs(thrown: unknown): boolean {
  return isAgentError(thrown, "model-failed") && !thrown.retryable && /log_?prob/i.test(thrown.message);
}

async function ask(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  callOptions: AiSdkCallOptions,
): Promise<ModelResponse> {
  const { abortSignal: signal } = callOptions;
  const { onTextDelta } = request;
  const stream = await openStream(model, callOptions);
  if (stream !== undefined) return readStream(model, stream, { signal, onTextDelta });
  signal.throwIfAborted();
  const response = readResult(model, await generateWhole(model, callOptions), request);
  signal.throwIfAborted();
  if (response.text !== "") onTextDelta?.(response.text);
  return response;
}

/** The stream of an answer; undefined if the model does not stream. */
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

async function generateWhole(model: AiSdkLanguageModel, callOptions: AiSdkCallOptions): Promise<object> {
  try {
    return await model.doGenerate(callOptions);
  } catch (thrown) {
    throw aiSdkFailure(model, thrown, { isAnswering: false });
  }
}

const expectedModel = 'a language model of the AI SDK, such as openai("gpt-5-mini")';

/** Recognizes what is often passed instead of a model, to report what is missing. */
function checkModel(model: unknown): void {
  if (typeof model === "string") {
    failOption(
      "model",
      model,
      `${expectedModel}: an id alone does not say where the model is; gateway(id) of "ai" makes a model from it`,
    );
  }
  if (typeof model === "function")
    failOption("model", model, `${expectedModel}: a provider is called with the id of a model`);
  checkObject("model", model);
  const { specificationVersion, provider, modelId, doStream, doGenerate } = model as Record<string, unknown>;
  if (specificationVersion !== "v2" && specificationVersion !== "v3" && specificationVersion !== "v4")
    failOption(
      "model.specificationVersion",
      specificationVersion,
      "v2, v3 or v4, as models of AI SDK 5, 6 and 7 have it",
    );
  if (typeof provider !== "string") failOption("model.provider", provider, "a text");
  if (typeof modelId !== "string") failOption("model.modelId", modelId, "a text");
  if (typeof doStream !== "function" && typeof doGenerate !== "function")
    failOption("model.doStream", doStream, "a function");
}

/** Some providers want a name for what a schema describes. */
const answerName = "answer";

/**
 * The options for calling a model of the AI SDK with a request. Unset ones are left out, so that their defaults apply.
 */
function toCallOptions(
  { messages, maxOutputTokens, temperature, ...request }: ModelRequest,
  {
    provider,
    signal,
    providerOptions,
  }: { provider: string; signal: AbortSignal; providerOptions: AiSdkProviderOptions | undefined },
): AiSdkCallOptions {
  const responseFormat = sendableFormat(provider, request.responseFormat);
  return {
    prompt: messages.map(toMessage),
    ...(responseFormat && { responseFormat: toFormat(responseFormat) }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...strictOptions(provider, responseFormat, providerOptions),
    abortSignal: signal,
  };
}

function toMessage({ role, content }: ModelMessage): AiSdkMessage {
  return role === "system" ? { role, content } : { role, content: [{ type: "text", text: content }] };
}

function toFormat(format: ModelResponseFormat): NonNullable<AiSdkCallOptions["responseFormat"]> {
  if (format.type === "text") return { type: "text" };
  return { type: "json", ...(format.schema && { schema: format.schema, name: answerName }) };
}
