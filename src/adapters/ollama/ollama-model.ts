import { countPending, settleOrAbort } from "../../async/promises.ts";
import type { LanguageModel } from "../../core/language-model.ts";
import type { OllamaCalls } from "./ollama-calls.ts";
import { type OllamaModelOptions, resolveOllamaOptions } from "./ollama-options.ts";

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
  let loading: Promise<OllamaCalls> | undefined;
  // With the client library, the calls are a quarter of what an app loads to create an agent.
  const load = (signal: AbortSignal): Promise<OllamaCalls> => {
    signal.throwIfAborted();
    loading ??= countPending(import("./ollama-calls.ts")).then(({ OllamaCalls }) => new OllamaCalls(settings));
    return loading;
  };
  return {
    provider,
    modelId,
    price,
    retry,
    schemas: "grammar",
    async preload({ signal = new AbortController().signal } = {}) {
      const calls = await load(signal);
      await settleOrAbort(calls.preload(signal), signal);
    },
    async getContextTokens(signal) {
      const calls = await load(signal);
      return settleOrAbort(calls.contextTokens(signal), signal);
    },
    async generate(request) {
      const calls = await load(request.signal);
      return calls.generate(request);
    },
  };
}
