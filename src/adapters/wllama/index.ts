/** Models in WebAssembly, as in a browser: [wllama](https://github.com/ngxson/wllama) (MIT), 3.13 or later. @module */
import {
  type LanguageModel,
  type ModelFailureReason,
  type ModelFinishReason,
  type ModelRequest,
  type ModelResponse,
  maxAnswerLength,
  readLogprobs,
} from "../../core/language-model.ts";
import { answerTooLong, modelFailure } from "../../core/model-failure.ts";
import { checkObject, failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";

/** Instance of `Wllama`, reduced to the methods used here. Its package is not needed for these types. @group Models */
export interface WllamaInstance {
  /** Answers a chat request in the format of OpenAI's API, and passes chunks to `onData`. */
  createChatCompletion(options: object): Promise<unknown>;
  /** Returns the context size of the loaded model, in tokens. Throws if no model is loaded. */
  getLoadedContextInfo(): { readonly n_ctx: number };
}

/** Options of {@link createWllamaModel}. @inline */
interface WllamaModelOptions {
  /** Name of the model, for `source.model` of a plan and for errors. @default "model" */
  modelId?: string | undefined;
}

const modelOptions = { modelId: { type: "short-text", default: "model" } } satisfies OptionTable<WllamaModelOptions>;

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown };
    readonly finish_reason?: unknown;
    readonly logprobs?: { readonly content?: unknown } | null;
  }[];
  readonly timings?: { readonly cache_n?: number; readonly prompt_n?: number; readonly predicted_n?: number };
}

/**
 * Adapts the model that an instance of wllama has loaded. Answers follow the requested schema and, on request, have the
 * log probability of each token. Throws `invalid-options`.
 *
 * ```ts
 * const wllama = new Wllama({ default: "/wllama.wasm" });
 * await wllama.loadModelFromUrl("/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", { n_ctx: 8192 });
 * const planner = createLlmPlanner({ model: createWllamaModel(wllama, { modelId: "qwen2.5-coder-0.5b" }) });
 * ```
 * @group Models
 */
export function createWllamaModel(wllama: WllamaInstance, options: WllamaModelOptions = {}): LanguageModel {
  checkObject("wllama", wllama);
  if (typeof wllama.createChatCompletion !== "function" || typeof wllama.getLoadedContextInfo !== "function")
    failOption("wllama", wllama, "an instance of Wllama, version 3.13 or later");
  const { modelId } = readOptions(modelOptions, options, "options");
  const model = { provider: "wllama", modelId };
  return {
    ...model,
    schemas: "grammar",
    getContextTokens: async () => wllama.getLoadedContextInfo().n_ctx,
    generate: (request) => ask(wllama, model, request),
  };
}

async function ask(
  wllama: WllamaInstance,
  model: Pick<LanguageModel, "provider" | "modelId">,
  { messages, responseFormat, maxOutputTokens, temperature, logprobs, signal, onTextDelta }: ModelRequest,
): Promise<ModelResponse> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const tokens: unknown[] = [];
  let text = "";
  let finished: unknown;
  let timings: Chunk["timings"];
  const onData = (chunk: Chunk) => {
    const [choice] = chunk.choices ?? [];
    const delta = choice?.delta?.content;
    if (typeof delta === "string" && delta !== "") {
      text += delta;
      onTextDelta?.(delta);
    }
    if (Array.isArray(choice?.logprobs?.content)) tokens.push(...choice.logprobs.content);
    finished = choice?.finish_reason ?? finished;
    timings = chunk.timings ?? timings;
    if (text.length > maxAnswerLength) stop.abort();
  };
  try {
    await wllama.createChatCompletion({
      messages,
      stream: true,
      onData,
      cache_prompt: true,
      abortSignal: AbortSignal.any([signal, stop.signal]),
      ...(responseFormat?.type === "json" && { response_format: toResponseFormat(responseFormat.schema) }),
      ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(logprobs && { logprobs: true }),
    });
  } catch (thrown) {
    if (!signal.aborted && !stop.signal.aborted) throw failureOf(model, thrown);
  }
  if (signal.aborted) throw signal.reason;
  if (stop.signal.aborted) throw answerTooLong(model);
  const { cache_n: cachedInputTokens, prompt_n = 0, predicted_n: outputTokens } = timings ?? {};
  const inputTokens = timings && prompt_n + (cachedInputTokens ?? 0);
  const read = logprobs ? readLogprobs(text, tokens) : undefined;
  return {
    text,
    finishReason: finishReasons[String(finished)] ?? "other",
    usage: { inputTokens, cachedInputTokens, outputTokens },
    ...(read && { logprobs: read }),
  };
}

const finishReasons: Readonly<Record<string, ModelFinishReason>> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
};

function toResponseFormat(schema: object | undefined): object {
  return schema === undefined
    ? { type: "json_object" }
    : { type: "json_schema", json_schema: { name: "answer", schema, strict: true } };
}

function failureOf(model: Pick<LanguageModel, "provider" | "modelId">, cause: unknown) {
  const { type, message } = (cause ?? {}) as { readonly type?: unknown; readonly message?: unknown };
  const said = typeof message === "string" ? message : "it gave no message";
  return modelFailure(model, reasonOf(type, said), { message: `wllama/${model.modelId} failed: ${said}`, cause });
}

function reasonOf(type: unknown, said: string): ModelFailureReason {
  if (type === "model_not_loaded" || /not (?:been )?loaded|loadModel/i.test(said)) return "unknown-model";
  if (type === "kv_cache_full" || /context/i.test(said)) return "prompt-too-long";
  return /grammar|schema/i.test(said) ? "format-rejected" : "server-error";
}
