import { type LanguageModel, type ModelResponse, modelName } from "../core/language-model.ts";
import { modelFailure } from "../core/model-failure.ts";
import { aiSdkFailure } from "./ai-sdk-failure.ts";
import type { AiSdkReader, AiSdkStream } from "./ai-sdk-language-model.ts";
import { type ModelEnd, readEnd } from "./model-end.ts";
import { readFields } from "./read-fields.ts";

type Model = Pick<LanguageModel, "provider" | "modelId">;

/**
 * Reads the stream of a model to its end. It is cancelled when the signal aborts, and after any error; then this
 * rejects with `model-failed`, or with what `onTextDelta` threw.
 */
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

/** An answer as its parts arrive. */
class StreamedAnswer {
  private text = "";
  private reasoning = "";
  private end: ModelEnd | undefined;

  constructor(private readonly model: Model) {}

  /** Takes a part and returns its text to emit. Unknown kinds contain no text. */
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
        return "";
      default:
        return "";
    }
  }

  /** The answer, once the stream has ended. */
  whole(): ModelResponse {
    const { text, reasoning, end } = this;
    if (end === undefined) {
      const message = `The answer of ${modelName(this.model)} broke off after ${text.length} characters: its stream ended without a finish part.`;
      throw modelFailure(this.model, "interrupted", { message });
    }
    return { text, ...(reasoning.trim() !== "" && { reasoning: reasoning.trim() }), ...end };
  }

  private checkDelta(delta: unknown): string {
    if (typeof delta === "string") return delta;
    const message = `${modelName(this.model)} sent a part of a text whose delta is ${typeof delta}, not text.`;
    throw modelFailure(this.model, "invalid-response", { message });
  }
}
