import type { ChatResponse } from "ollama/browser";
import type { ModelFinishReason, ModelResponse } from "../../core/language-model.ts";
import type { FailAnswer } from "./answer-lines.ts";

/** The longest answer, with the model's thinking, in characters. A model that does not end is stopped here. */
export const maxAnswerLength = 1_048_576;
/** So much white space in a row means that the model is lost in a grammar: nothing else will come. */
const maxBlankLength = 500;

interface ReadAnswerOptions {
  readonly signal: AbortSignal;
  readonly onTextDelta: ((delta: string) => void) | undefined;
  readonly fail: FailAnswer;
}

/** Reads a streamed answer to its end. It may stop early: the caller that opened the connection closes it. */
export async function readAnswer(
  parts: AsyncIterable<ChatResponse>,
  { signal, onTextDelta, fail }: ReadAnswerOptions,
): Promise<ModelResponse> {
  let text = "";
  let reasoning = "";
  let blankLength = 0;
  const response = (finishReason: ModelFinishReason, usage: ModelResponse["usage"]): ModelResponse => {
    return { text, ...(reasoning !== "" && { reasoning }), finishReason, usage };
  };
  for await (const part of parts) {
    signal.throwIfAborted();
    const thought = asText(part.message?.thinking);
    const delta = asText(part.message?.content);
    reasoning += thought;
    text += delta;
    if (text.length + reasoning.length > maxAnswerLength) {
      throw fail("invalid-response", `The answer is longer than ${maxAnswerLength} characters`);
    }
    if (delta !== "") onTextDelta?.(delta);
    if (part.done) return response(finishReasonOf(part.done_reason), usageOf(part));
    blankLength = blankAtEnd(thought + delta, blankLength);
    if (blankLength >= maxBlankLength) return response("length", {});
  }
  throw fail("invalid-response", "The answer is not a chat answer");
}

/** How many white-space characters there are in a row at the end, including those before. */
function blankAtEnd(piece: string, before: number): number {
  const inked = piece.trimEnd().length;
  return inked === 0 ? before + piece.length : piece.length - inked;
}

/** Another kind of server may send null, or nothing. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function finishReasonOf(reason: string | null | undefined): ModelFinishReason {
  if (reason === "length") return "length";
  return reason === undefined || reason === null || reason === "" || reason === "stop" ? "stop" : "other";
}

function usageOf(part: ChatResponse): ModelResponse["usage"] {
  const inputTokens = count(part.prompt_eval_count);
  const outputTokens = count(part.eval_count);
  return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}
