import { readFields } from "../../core/error-data.ts";
import {
  type LanguageModel,
  type ModelRequest,
  type ModelResponse,
  type ModelTokens,
  maxAnswerLength,
  modelName,
  readLogprobs,
} from "../../core/language-model.ts";
import { answerTooLong, modelFailure } from "../../core/model-failure.ts";
import { defined } from "../../core/option-tables.ts";
import { aiSdkFailure } from "./ai-sdk-failure.ts";

type Model = Pick<LanguageModel, "provider" | "modelId">;

/** A `ReadableStream`, as far as it is used here. @inline */
export interface AiSdkStream {
  /** Locks the stream. */
  getReader(): AiSdkReader;
}

/** See {@link AiSdkStream}. @inline */
interface AiSdkReader {
  /** The next piece. */
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  /** Ends the answer: no more of it will be read. */
  cancel(reason?: unknown): Promise<void>;
}

/** Cancels the stream when the signal aborts, and after any error, also one that `onTextDelta` throws. */
export async function readStream(
  model: Model,
  stream: AiSdkStream,
  { signal, onTextDelta }: { signal: AbortSignal; onTextDelta: ((delta: string) => void) | undefined },
): Promise<ModelResponse> {
  const reader = stream.getReader();
  // A pending read of a stream that is cancelled ends at once.
  const stop = () => void cancelReader(reader, signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = new StreamedAnswer(model);
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await readNext(model, reader);
      signal.throwIfAborted();
      if (done) return answer.whole();
      const delta = answer.take(value);
      if (delta !== "") onTextDelta?.(delta);
    }
  } catch (thrown) {
    void cancelReader(reader, thrown);
    throw thrown;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function readNext(model: Model, reader: AiSdkReader): ReturnType<AiSdkReader["read"]> {
  try {
    return await reader.read();
  } catch (thrown) {
    throw aiSdkFailure(model, thrown, { isAnswering: true });
  }
}

/** Never rejects: a stream that failed cannot be cancelled. */
async function cancelReader(reader: AiSdkReader, reason: unknown): Promise<void> {
  try {
    await reader.cancel(reason);
  } catch {
    // It has ended in another way.
  }
}

class StreamedAnswer {
  private text = "";
  private reasoning = "";
  private end: ModelEnd | undefined;
  private reported: readonly unknown[] = [];

  constructor(private readonly model: Model) {}

  take(part: unknown): string {
    const { type, delta, error } = readFields(part, "type", "delta", "error");
    switch (type) {
      case "text-delta":
        this.text += this.checkDelta(delta);
        return String(delta);
      case "reasoning-start":
        // Reasoning comes in blocks, such as summaries with a title each.
        if (this.reasoning !== "") this.reasoning += "\n\n";
        return "";
      case "reasoning-delta":
        this.reasoning += this.checkDelta(delta);
        return "";
      case "error":
        throw aiSdkFailure(this.model, error, { isAnswering: true });
      case "finish":
        this.end = readEnd(this.model, part);
        this.reported = getReportedLogprobs(part);
        return "";
      default:
        return "";
    }
  }

  whole(): ModelResponse {
    const { text, reasoning, end, reported } = this;
    if (end === undefined) {
      const message = `The answer of ${modelName(this.model)} broke off after ${text.length} characters: its stream ended without a finish part.`;
      throw modelFailure(this.model, "interrupted", { message });
    }
    return {
      text,
      ...(reasoning.trim() !== "" && { reasoning: reasoning.trim() }),
      ...end,
      ...toLogprobs(text, reported),
    };
  }

  private checkDelta(delta: unknown): string {
    if (typeof delta === "string") {
      if (this.text.length + this.reasoning.length + delta.length > maxAnswerLength) throw answerTooLong(this.model);
      return delta;
    }
    const message = `${modelName(this.model)} sent a part of a text whose delta is ${typeof delta}, not text.`;
    throw modelFailure(this.model, "invalid-response", { message });
  }
}

type ModelEnd = Pick<ModelResponse, "finishReason" | "usage">;

const finishReasons = ["stop", "length", "content-filter"] as const;

/** In version 2 the reason is a string and the usage has numbers; later both have objects, with `unified` and `total`. */
function readEnd(model: Model, ended: unknown): ModelEnd {
  const { finishReason, usage } = readFields(ended, "finishReason", "usage");
  const unified = typeof finishReason === "string" ? finishReason : readFields(finishReason, "unified").unified;
  const name = modelName(model);
  if (unified === "error")
    throw modelFailure(model, "server-error", { message: `${name} ended its answer with an error it does not name.` });
  if (unified === "interrupted")
    throw modelFailure(model, "interrupted", { message: `The answer of ${name} broke off.` });
  return { finishReason: finishReasons.find((reason) => reason === unified) ?? "other", usage: readUsage(usage) };
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

export function readResult(
  model: Model,
  result: unknown,
  { responseFormat }: Pick<ModelRequest, "responseFormat">,
): ModelResponse {
  const { content, structuredOutputText } = readFields(result, "content", "structuredOutputText");
  if (!Array.isArray(content)) {
    const message = `${modelName(model)} answered without a list of content.`;
    throw modelFailure(model, "invalid-response", { message });
  }
  // Version 4: which text is the JSON, if a model wrote drafts before it.
  const isChosen = responseFormat?.type === "json" && typeof structuredOutputText === "string";
  const text = isChosen ? structuredOutputText : getTexts(content, "text").join("");
  const reasoning = getTexts(content, "reasoning").join("\n\n").trim();
  if (text.length + reasoning.length > maxAnswerLength) throw answerTooLong(model);
  const logprobs = toLogprobs(text, getReportedLogprobs(result));
  return { text, ...(reasoning !== "" && { reasoning }), ...readEnd(model, result), ...logprobs };
}

/** The provider reports one list, or a list for each part of the answer. */
function getReportedLogprobs(ended: unknown): readonly unknown[] {
  const { openai, azure } = readFields(readFields(ended, "providerMetadata").providerMetadata, "openai", "azure");
  const { logprobs } = readFields(openai ?? azure, "logprobs");
  return Array.isArray(logprobs) ? logprobs.flat() : [];
}

function toLogprobs(text: string, reported: readonly unknown[]): Pick<ModelResponse, "logprobs"> {
  const logprobs = readLogprobs(text, reported);
  return logprobs === undefined ? {} : { logprobs };
}

function getTexts(content: readonly unknown[], wanted: "text" | "reasoning"): readonly string[] {
  return content.flatMap((part) => {
    const { type, text } = readFields(part, "type", "text");
    return type === wanted && typeof text === "string" ? [text] : [];
  });
}
