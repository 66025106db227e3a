import type { JsonSchema } from "../../core/json-schema.ts";

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

/** A `ReadableStream`, as far as it is used here. @inline */
export interface AiSdkStream {
  /** Locks the stream. */
  getReader(): AiSdkReader;
}

/** See {@link AiSdkStream}. @inline */
export interface AiSdkReader {
  /** The next piece. */
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  /** Notifies the provider that nobody reads any further. */
  cancel(reason?: unknown): Promise<void>;
}

/** Options of single providers, under their names, such as `{ openai: { reasoningEffort: "low" } }`. */
export type AiSdkProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The options of a call to such a model; these are the same in every version. */
export interface AiSdkCallOptions {
  prompt: AiSdkMessage[];
  responseFormat?: { type: "text" } | { type: "json"; schema?: JsonSchema; name?: string };
  maxOutputTokens?: number;
  temperature?: number;
  abortSignal: AbortSignal;
  providerOptions?: AiSdkProviderOptions;
}

/** A message of {@link AiSdkCallOptions}: system messages are text, all others have parts. */
export type AiSdkMessage =
  | { role: "system"; content: string }
  | { role: "user" | "assistant"; content: { type: "text"; text: string }[] };
