import type { AgentError } from "../../core/errors.ts";
import type { ModelFailureReason } from "../../core/language-model.ts";
import { errorText, ServerError } from "./server-error.ts";

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

async function* readLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  options: AnswerLinesOptions,
): AsyncGenerator<string> {
  const { fail } = options;
  let isFirst = true;
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
    yield line.text;
    if (answer.done === true) return;
  }
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
