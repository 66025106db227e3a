import type { ChatResponse } from "ollama/browser";
import type { AgentError } from "../../core/errors.ts";
import {
  type ModelFailureReason,
  type ModelFinishReason,
  type ModelResponse,
  maxAnswerLength,
  readLogprobs,
} from "../../core/language-model.ts";
import { errorText, ServerError } from "./explain-error.ts";

/** So much white space in a row means that the model is lost in a grammar: nothing else will come. */
const maxBlankLength = 500;

interface ReadAnswerOptions {
  readonly signal: AbortSignal;
  readonly onTextDelta: ((delta: string) => void) | undefined;
  readonly fail: FailAnswer;
  /** The error of an answer that does not end. */
  readonly tooLong: () => Error;
}

/** Reads a streamed answer to its end. It may stop early: the caller that opened the connection closes it. */
export async function readAnswer(
  parts: AsyncIterable<ChatResponse>,
  { signal, onTextDelta, fail, tooLong }: ReadAnswerOptions,
): Promise<ModelResponse> {
  let text = "";
  let reasoning = "";
  let blankLength = 0;
  let told: unknown[] = [];
  const response = (finishReason: ModelFinishReason, usage: ModelResponse["usage"]): ModelResponse => {
    const logprobs = readLogprobs(text, told);
    return { text, ...(reasoning !== "" && { reasoning }), finishReason, usage, ...(logprobs && { logprobs }) };
  };
  for await (const part of parts) {
    signal.throwIfAborted();
    const thought = asText(part.message?.thinking);
    const delta = asText(part.message?.content);
    reasoning += thought;
    text += delta;
    if (thought !== "") told = [];
    else if (Array.isArray(part.logprobs)) told.push(...part.logprobs);
    if (text.length + reasoning.length > maxAnswerLength || told.length > maxAnswerLength) throw tooLong();
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

/** Makes the error that a broken answer ends with. */
export type FailAnswer = (reason: ModelFailureReason, message: string) => AgentError<"model-failed">;

interface AnswerLinesOptions {
  /** Stops reading when it aborts. */
  readonly signal: AbortSignal;
  /** The most characters of one line. */
  readonly maxLength: number;
  readonly fail: FailAnswer;
  /** Explains a connection that broke off. */
  readonly explainCut: (thrown: unknown) => unknown;
}

/**
 * The lines of a streamed answer, each a complete JSON object, up to the one with `done`. Else it fails: with a
 * {@link ServerError} if the first line is an error, as a moment earlier it would have been sent with an error status.
 *
 * The client library reads the same lines after this. It drops a line that is not JSON, reporting it only to the
 * console, and mistakes an answer that ends early for many things.
 */
export function answerLines(body: ReadableStream<Uint8Array>, options: AnswerLinesOptions): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const { signal } = options;
  // A `fetch` that ignores signals would leave it open.
  signal.addEventListener("abort", () => void reader.cancel(signal.reason).catch(() => {}), { once: true });
  const lines = readLines(reader, options);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${value}\n`));
      },
    },
    // Nothing is read before it is requested.
    { highWaterMark: 0 },
  );
}

/** Ollama ends a stream without its last line after 30 equal tokens. */
const maxRepeats = 28;

/** Counts how often the text of a message is that of the one before. */
class Repeats {
  count = 0;
  private last: string | undefined;

  add(message: unknown): void {
    const { content } = (message ?? {}) as { readonly content?: unknown };
    const text = typeof content === "string" ? content.trim() : undefined;
    this.count = text !== undefined && text === this.last ? this.count + 1 : 0;
    this.last = text;
  }
}

async function* readLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  options: AnswerLinesOptions,
): AsyncGenerator<string> {
  const { fail } = options;
  let isFirst = true;
  const repeats = new Repeats();
  for await (const line of splitLines(reader, options)) {
    if (line.text.trim() === "") continue;
    const answer = parseObject(line.text);
    // The end of a connection may leave half a line.
    if (answer === undefined && line.isTail) break;
    if (answer === undefined) throw fail("invalid-response", "A line of the answer is not a JSON object");
    if (answer.error !== undefined) {
      const text = errorText(answer.error);
      if (isFirst) throw new ServerError(text, { isOllamas: true });
      throw fail(
        "interrupted",
        `The answer broke off with an error: ${new ServerError(text, { isOllamas: true }).message}`,
      );
    }
    isFirst = false;
    repeats.add(answer.message);
    yield line.text;
    if (answer.done === true) return;
  }
  // The server gives up a model that writes the same again and again: nothing else comes, however often it is asked.
  if (repeats.count >= maxRepeats) return void (yield JSON.stringify({ done: true, done_reason: "stop" }));
  throw fail("interrupted", "The answer ended before it said that it was done");
}

interface Line {
  readonly text: string;
  /** Whether it comes after the last line break. */
  readonly isTail: boolean;
}

async function* splitLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { maxLength, fail, explainCut }: AnswerLinesOptions,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = "";
  const read = () =>
    reader.read().catch((thrown: unknown) => {
      throw explainCut(thrown);
    });
  for (let chunk = await read(); !chunk.done; chunk = await read()) {
    const text = decoder.decode(chunk.value, { stream: true });
    const end = text.lastIndexOf("\n");
    if (end !== -1) {
      for (const line of (rest + text.slice(0, end)).split("\n")) yield { text: line, isTail: false };
      rest = "";
    }
    rest += text.slice(end + 1);
    if (rest.length > maxLength)
      throw fail("invalid-response", `A line of the answer is longer than ${maxLength} characters`);
  }
  yield { text: rest + decoder.decode(), isTail: true };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
