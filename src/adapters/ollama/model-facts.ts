import { settleOrAbort } from "../../async/promises.ts";
import { isAgentError } from "../../core/errors.ts";
import { explainServerError, ServerError } from "./explain-error.ts";
import type { OllamaSettings } from "./ollama-options.ts";
import { openClient } from "./open-client.ts";

/** What a server reports about a model; undefined where it reports nothing. */
export interface ModelFacts {
  readonly canThink: boolean | undefined;
  /** Its thinking has levels, and cannot be turned off. */
  readonly isGptOss: boolean;
  /** The longest context it was made for, in tokens. */
  readonly contextLength: number | undefined;
}

/** What is known of a model about which its server reports nothing. */
export function unknownFacts(modelId: string): ModelFacts {
  return { canThink: undefined, isGptOss: isGptOss(modelId), contextLength: undefined };
}

/**
 * Asks a server about a model. Rejects with `model-failed` if there is no server or no such model, with the reason of
 * the signal, or with any other error, which says nothing about the model.
 */
export async function askModelFacts(settings: OllamaSettings, signal: AbortSignal): Promise<ModelFacts> {
  try {
    const client = await openClient(settings, { signal });
    return readFacts(settings.modelId, await client.show({ model: settings.modelId }));
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ServerError && thrown.isOllamas && thrown.status === 404) {
      throw explainServerError(settings, thrown, { hasFormat: false });
    }
    throw thrown;
  }
}

/** Whether a call cannot continue after {@link askModelFacts} rejected with this. */
export function isFinal(thrown: unknown): boolean {
  if (!isAgentError(thrown, "model-failed")) return false;
  return thrown.details.reason === "unreachable" || thrown.details.reason === "unknown-model";
}

function readFacts(modelId: string, answer: unknown): ModelFacts {
  const { capabilities, details, model_info: info } = record(answer);
  const { "general.architecture": architecture } = record(info);
  const { family } = record(details);
  const length = record(info)[`${String(architecture)}.context_length`];
  return {
    canThink: Array.isArray(capabilities) ? capabilities.includes("thinking") : undefined,
    isGptOss: [family ?? modelId, architecture].some(isGptOss),
    contextLength: typeof length === "number" && Number.isInteger(length) && length > 0 ? length : undefined,
  };
}

function isGptOss(name: unknown): boolean {
  return typeof name === "string" && /gpt-?oss/i.test(name);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

interface Loading<T> {
  readonly value: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Loads a value once for all callers, and keeps it. The next caller restarts a load that failed; one that nobody waits
 * for any more is aborted.
 */
export class SharedLoad<T> {
  private loaded: { readonly value: T } | undefined;
  private loading: Loading<T> | undefined;

  constructor(private readonly load: (signal: AbortSignal) => Promise<T>) {}

  /** Rejects as the load does, or with the signal's reason. */
  async get(signal: AbortSignal): Promise<T> {
    if (this.loaded !== undefined) return this.loaded.value;
    this.loading ??= this.begin();
    const { loading } = this;
    loading.waiting++;
    try {
      const value = await settleOrAbort(loading.value, signal);
      this.loaded = { value };
      return value;
    } finally {
      loading.waiting--;
      if (loading.waiting === 0) {
        loading.controller.abort();
        if (this.loading === loading) this.loading = undefined;
      }
    }
  }

  private begin(): Loading<T> {
    const controller = new AbortController();
    return { value: this.load(controller.signal), controller, waiting: 0 };
  }
}
