import { countPending, settleOrAbort } from "../../async/promises.ts";
import type { LanguageModel } from "../../core/language-model.ts";
import type { OllamaCaller } from "./ollama-model-runtime.ts";
import { type OllamaModelOptions, type OllamaSettings, resolveOllamaOptions } from "./ollama-options.ts";

/** A model of Ollama. @group Models */
export interface OllamaModel extends LanguageModel {
  /**
   * Loads the model into the server's memory, so that the first request does not wait for that. Rejects with
   * `model-failed`, or with the reason of the signal.
   */
  preload(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * A model that runs in Ollama, on this machine or another.
 *
 * It asks the server once what the model can do, and from that decides whether to let it think and how large a context
 * to ask for. Answers are always streamed, so that aborting a call closes its connection, which makes the server stop
 * generating.
 *
 * Throws `invalid-options`. Nothing is loaded or sent before the first call.
 *
 * {@includeCode ../../../examples/22-fake-models.ts}
 * @group Models
 */
export function createOllamaModel(options: OllamaModelOptions): OllamaModel {
  const settings = resolveOllamaOptions(options);
  const { provider, modelId, price, retry } = settings;
  let caller: Promise<OllamaCaller> | undefined;
  return {
    provider,
    modelId,
    price,
    retry,
    schemas: "grammar",
    async preload({ signal = new AbortController().signal } = {}) {
      signal.throwIfAborted();
      caller ??= loadCaller(settings);
      await settleOrAbort((await caller).preload(signal), signal);
    },
    async getContextTokens(signal) {
      signal.throwIfAborted();
      caller ??= loadCaller(settings);
      return settleOrAbort((await caller).contextTokens(signal), signal);
    },
    async generate(request) {
      request.signal.throwIfAborted();
      caller ??= loadCaller(settings);
      return (await caller).generate(request);
    },
  };
}

async function loadCaller(settings: OllamaSettings): Promise<OllamaCaller> {
  const { OllamaCaller } = await countPending(import("./ollama-model-runtime.ts"));
  return new OllamaCaller(settings);
}
