import { isAgentError } from "../../core/errors.ts";
import { explainServerError } from "./explain-error.ts";
import type { OllamaSettings } from "./ollama-options.ts";
import { openClient } from "./open-client.ts";
import { ServerError } from "./server-error.ts";

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
