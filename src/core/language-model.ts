import type { RetryOptions } from "../async/retry.ts";
import type { ErrorData } from "./error-data.ts";
import type { JsonSchema } from "./json-schema.ts";

/** One message to a model. @group Models */
export interface ModelMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A request to a model. @group Models */
export interface ModelRequest {
  /** At least one message; the last is the user's. */
  readonly messages: readonly ModelMessage[];
  /** A model may treat the format as a hint, so the caller checks the answer. @default text */
  readonly responseFormat?: ModelResponseFormat | undefined;
  /** Maximum length of the answer in tokens, including the model's thinking. @default the model's */
  readonly maxOutputTokens?: number | undefined;
  /** Sampling temperature; 0 for the likeliest answer. @default the model's */
  readonly temperature?: number | undefined;
  /** True to request the probability of each token of the answer, if the model supports it. @default false */
  readonly logprobs?: boolean | undefined;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Called with each piece of the answer in order, or once with the whole answer if the model cannot stream. */
  readonly onTextDelta?: ((delta: string) => void) | undefined;
  /** Makes the attempts of a model with a retry policy; see {@link LanguageModel.retry}. */
  readonly attempts?: ModelAttempts | undefined;
}

/** Makes and reports the attempts of a call. @group Models */
export interface ModelAttempts {
  /** Makes an attempt, numbered from 1, by calling `call` with changes to the request. */
  make(
    attempt: number,
    call: (instead?: Pick<ModelRequest, "maxOutputTokens" | "onTextDelta">) => Promise<ModelResponse>,
  ): Promise<ModelResponse>;
  /** Called when an attempt has failed and another follows after `delayMs`. */
  retry(failed: {
    readonly attempt: number;
    readonly error: ErrorData;
    readonly delayMs: number;
  }): void | Promise<void>;
}

/** See {@link ModelRequest.responseFormat}. @inline */
export type ModelResponseFormat =
  | { readonly type: "text" }
  | {
      readonly type: "json";
      readonly schema?: JsonSchema | undefined;
      /** True if the schema is closed, so that a server can enforce it strictly. @default false */
      readonly strict?: boolean | undefined;
    };

/** The reason why a model stopped. Only `stop` means that the answer is complete; `length` means that it was cut. @inline */
export type ModelFinishReason = "stop" | "length" | "content-filter" | "other";

/** The tokens of a call, as far as the model reported them. @inline */
export interface ModelTokens {
  readonly inputTokens?: number | undefined;
  /** Number of input tokens that the provider had cached. */
  readonly cachedInputTokens?: number | undefined;
  /** Number of output tokens, including the model's thinking. */
  readonly outputTokens?: number | undefined;
}

/** A token of an answer and its probability. @inline */
export interface TokenLogprob {
  /** Text of the token, with replacement characters for incomplete characters. */
  readonly token: string;
  /** Natural logarithm of the token's probability before any grammar is applied: at most 0. */
  readonly logprob: number;
}

/** The answer of a model. @group Models */
export interface ModelResponse {
  readonly text: string;
  /** The model's thinking, if it reports that separately from the answer. */
  readonly reasoning?: string | undefined;
  readonly finishReason: ModelFinishReason;
  readonly usage: ModelTokens;
  /** All tokens of `text` in order, if they were requested and the model reports them. */
  readonly logprobs?: readonly TokenLogprob[] | undefined;
  /** Maximum length of the answer in tokens, if the context or a budget reduced it. */
  readonly maxOutputTokens?: number | undefined;
}

/** The price of a model's tokens, in a currency of your choice. @group Models */
export interface ModelPrice {
  readonly inputPerMillion: number;
  /** Price of a million cached input tokens. @default the price of other input */
  readonly cachedInputPerMillion?: number | undefined;
  readonly outputPerMillion: number;
}

/**
 * A language model, whose calls are independent. `generate` rejects with the reason of the signal soon after it aborts,
 * and with `model-failed` if the model fails. It resolves even if the answer was cut off: see `finishReason`.
 * {@includeCode ../../examples/14-your-own-model.ts} @group Models
 */
export interface LanguageModel {
  /** The provider of the model, such as `ollama`. */
  readonly provider: string;
  /** The name of the model at the provider, such as `qwen3`. */
  readonly modelId: string;
  /**
   * Schemas that the server enforces. `plain`: the usual keywords. `strict`, as for OpenAI: closed, with every key
   * required, and null for an omitted value. `grammar`, as for llama.cpp: also formats, lengths, patterns and
   * definitions. @default "plain"
   */
  readonly schemas?: "plain" | "strict" | "grammar" | undefined;
  /** True if the server itself limits the length of an answer, so that a request needs no limit. @default false */
  readonly hasOutputLimit?: boolean | undefined;
  /** Retry policy. A model with one must make each attempt through `request.attempts`, if present. @default one attempt */
  readonly retry?: RetryOptions | undefined;
  /** Price of the model's tokens, needed for a budget of `cost`. */
  readonly price?: ModelPrice | undefined;
  /** Returns the answer to a request. Rejects with `model-failed` or the reason of the signal. */
  generate(request: ModelRequest): Promise<ModelResponse>;
  /** Returns the maximum number of tokens of a request and its answer. Rejects only with the reason of the signal. @default unknown */
  getContextTokens?(signal: AbortSignal): Promise<number | undefined>;
}

/**
 * The reason why a model gave no answer. `busy`: it may answer later. `format-rejected`: it may answer in a weaker
 * format. `rejected`: any other refusal. `interrupted`: the answer broke off. @group Models
 */
export type ModelFailureReason =
  | "unreachable"
  | "unknown-model"
  | "unauthorized"
  | "busy"
  | "format-rejected"
  | "prompt-too-long"
  | "rejected"
  | "interrupted"
  | "server-error"
  | "invalid-response";

export const maxAnswerLength = 1_048_576;

export function modelName({ provider, modelId }: Pick<LanguageModel, "provider" | "modelId">): string {
  return `${provider}/${modelId}`;
}

export function readLogprobs(text: string, reported: readonly unknown[]): readonly TokenLogprob[] | undefined {
  const read: TokenLogprob[] = [];
  for (const item of reported) {
    const { token, logprob } = (item ?? {}) as Partial<Record<keyof TokenLogprob, unknown>>;
    if (typeof token !== "string" || typeof logprob !== "number" || !(logprob <= 0)) return undefined;
    read.push({ token, logprob });
  }
  const joined = read.map(({ token }) => token).join("");
  // A token with part of a character has replacement characters, so `joined` may differ from `text` and be longer.
  if (read.length === 0 || joined.length < text.length) return undefined;
  let extra = joined.endsWith(text) ? joined.length - text.length : 0;
  const start = read.findIndex(({ token }) => {
    extra -= token.length;
    return extra < 0;
  });
  return read.slice(Math.max(start, 0));
}

/** Estimates one token per three UTF-8 bytes, as in JSON. For English, with about four, the estimate is too high. */
export function estimateTokens(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair counts as two of its four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return Math.ceil(bytes / 3);
}
