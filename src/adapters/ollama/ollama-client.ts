import type { Ollama } from "ollama/browser";
import { countPending } from "../../async/promises.ts";
import { readFields } from "../../core/error-data.ts";
import type { AgentError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { type ModelFailureReason, maxAnswerLength } from "../../core/language-model.ts";
import { causesOf, isNodeTimeout, modelFailure, readFailureReason } from "../../core/model-failure.ts";
import { cutText, describeThrown } from "../../core/text.ts";
import type { OllamaSettings } from "./ollama-options.ts";

interface ClientOptions {
  readonly settings: OllamaSettings;
  readonly signal: AbortSignal;
  readonly hasFormat?: boolean;
  readonly isAnswer?: boolean;
}

/** The library ignores signals, logs to the console and misreads broken answers. The given `fetch` prevents this. */
export async function createClient(options: ClientOptions): Promise<Ollama> {
  const { settings, signal, hasFormat = false, isAnswer = false } = options;
  const { Ollama } = await countPending(import("ollama/browser"));
  return new Ollama({
    host: settings.host,
    headers: { ...settings.headers },
    fetch: async (input, init) => {
      signal.throwIfAborted();
      let response: Response;
      try {
        response = await settings.fetch(input, { ...init, signal });
      } catch (thrown) {
        signal.throwIfAborted();
        throw connectionFailure(settings, thrown);
      }
      // A `fetch` that ignores signals leaves the body open.
      if (signal.aborted) response.body?.cancel().catch(() => {});
      signal.throwIfAborted();
      if (!response.ok) {
        const error = await readServerError(response);
        signal.throwIfAborted();
        throw serverFailure(settings, error, hasFormat);
      }
      return new Response(isAnswer ? answerLines(response.body ?? new Blob([]).stream(), options) : response.body);
    },
  });
}

export function answerFailure(settings: OllamaSettings, reason: ModelFailureReason, message: string) {
  return modelFailure(settings, reason, { message: `${message} (${settings.host}).` });
}

/** Checks each line, as the library would drop invalid JSON and misread an answer that ends early. */
function answerLines(body: ReadableStream<Uint8Array>, options: ClientOptions): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const { signal } = options;
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
    { highWaterMark: 0 },
  );
}

/** Ollama ends a stream without its last line after about 30 equal tokens. */
const maxRepeats = 28;

async function* readLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { settings, hasFormat = false }: ClientOptions,
): AsyncGenerator<string> {
  let isFirst = true;
  let lastText: string | undefined;
  let repeats = 0;
  for await (const { line, isTail } of splitLines(reader, settings)) {
    if (line.trim() === "") continue;
    const answer = parseObject(line);
    // A broken connection may leave half a line.
    if (answer === undefined && isTail) break;
    if (answer === undefined)
      throw answerFailure(settings, "invalid-response", "A line of the answer is not a JSON object");
    if (answer.error !== undefined) {
      const error = new ServerError(errorText(answer.error), true);
      if (isFirst) throw serverFailure(settings, error, hasFormat);
      throw answerFailure(settings, "interrupted", `The answer broke off with an error: ${error.message}`);
    }
    isFirst = false;
    const text = getContent(answer.message);
    repeats = text !== undefined && text === lastText ? repeats + 1 : 0;
    lastText = text;
    yield line;
    if (answer.done === true) return;
  }
  if (repeats < maxRepeats)
    throw answerFailure(settings, "interrupted", 'The answer ended without its last part, which has "done": true');
  // A retry would give the same repetition.
  yield JSON.stringify({ done: true, done_reason: "stop" });
}

function getContent(message: unknown): string | undefined {
  const { content } = readFields(message, "content");
  return typeof content === "string" ? content.trim() : undefined;
}

const maxLineLength = 2 * maxAnswerLength;

async function* splitLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  settings: OllamaSettings,
): AsyncGenerator<{ readonly line: string; readonly isTail: boolean }> {
  const decoder = new TextDecoder();
  let rest = "";
  const read = () =>
    reader.read().catch((thrown: unknown) => {
      throw cutFailure(settings, thrown);
    });
  for (let chunk = await read(); !chunk.done; chunk = await read()) {
    const text = decoder.decode(chunk.value, { stream: true });
    const end = text.lastIndexOf("\n");
    if (end !== -1) {
      for (const line of (rest + text.slice(0, end)).split("\n")) yield { line, isTail: false };
      rest = "";
    }
    rest += text.slice(end + 1);
    if (rest.length > maxLineLength) {
      const message = `A line of the answer is longer than ${maxLineLength} characters`;
      throw answerFailure(settings, "invalid-response", message);
    }
  }
  yield { line: rest + decoder.decode(), isTail: true };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const maxTextLength = 200;
const maxBodyBytes = 65_536;

class ServerError extends Error {
  override readonly name = "ServerError";

  constructor(
    text: string,
    readonly isOllamas: boolean,
    readonly status?: number,
    readonly retryAfter?: string,
  ) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are to be removed
    const line = text.replace(/[\u0000-\u0020\u007f-\u009f]+/g, " ").trim();
    super(cutText(line, maxTextLength));
  }
}

async function readServerError(response: Response): Promise<ServerError> {
  const { status, statusText, headers } = response;
  const body = await readStart(response.body);
  const { error } = parseObject(body) ?? {};
  const isOllamas = error !== undefined && error !== null;
  const isPage = (headers.get("content-type") ?? "").includes("html") || body.trimStart().startsWith("<");
  const text = isOllamas ? errorText(error) : isPage ? "a page of HTML" : body.trim() || statusText || "no text";
  return new ServerError(text, isOllamas, status, headers.get("retry-after") ?? undefined);
}

function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  const { message } = readFields(error, "message");
  return typeof message === "string" ? message : JSON.stringify(error);
}

async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let bytes = 0; bytes < maxBodyBytes; ) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value.subarray(0, maxBodyBytes - bytes), { stream: true });
      bytes += value.length;
    }
    await reader.cancel();
  } catch {
    // Ignores that the body was cut off, as the status is enough.
  }
  return text;
}

function serverFailure(settings: OllamaSettings, error: ServerError, hasFormat: boolean): AgentError<"model-failed"> {
  const { status } = error;
  const reason = serverReason(error, hasFormat);
  return modelFailure(settings, reason, { message: describe(settings, reason, error), status, cause: error });
}

function serverReason({ status = 500, isOllamas, message }: ServerError, hasFormat: boolean): ModelFailureReason {
  if (status === 408 || status === 499) return "interrupted";
  if (status === 404 && !isOllamas) return "rejected";
  const reason = readFailureReason({ status, message: isOllamas && status <= 500 ? message : "" });
  if (reason === "format-rejected" && !hasFormat) return "rejected";
  // The server reports a grammar that it cannot parse as an internal error.
  const isAboutFormat = isOllamas && hasFormat && /grammar|schema|\bformat\b|structured output/i.test(message);
  const isOpen = status <= 500 && (reason === "server-error" || reason === "rejected");
  return isOpen && isAboutFormat ? "format-rejected" : reason;
}

function describe({ modelId, host }: OllamaSettings, reason: ModelFailureReason, error: ServerError): string {
  const received = `${error.status === undefined ? "" : `${error.status}, `}${error.message.replace(/\.$/, "")}`;
  const messages: Partial<Record<ModelFailureReason, string>> = {
    "unknown-model": `Ollama at ${host} has no model "${modelId}". Type: ollama pull ${modelId}`,
    unauthorized: `The server at ${host} refused access (${received}). Pass a key in "apiKey", or type: ollama signin`,
    busy: `Ollama at ${host} is too busy (${received}). Try again later.`,
    "format-rejected": `Ollama cannot answer in this format (${received}). A simpler schema, or none, may work.`,
    "prompt-too-long": `The messages are too long for ${modelId} (${received}).`,
    rejected: error.isOllamas
      ? `Ollama refused the request (${received}).`
      : `The server at ${host} does not seem to be Ollama (${received}). Check the option "host".`,
  };
  return messages[reason] ?? `The server at ${host} failed (${received}).`;
}

const cutCodes = /^(?:UND_ERR_(?:SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT|REQ_CONTENT_LENGTH_MISMATCH)|ECONNRESET|EPIPE)$/;

function connectionFailure(settings: OllamaSettings, thrown: unknown): AgentError<"model-failed"> {
  const { host } = settings;
  const code = findCode(thrown);
  if (code !== undefined && cutCodes.test(code)) return cutFailure(settings, thrown);
  if (code?.startsWith("HPE_")) {
    const message = `The server at ${host} does not speak HTTP (${code}). Check the option "host".`;
    return modelFailure(settings, "invalid-response", { message, cause: thrown });
  }
  const isDown = code === undefined || code === "ECONNREFUSED";
  const remedy = isDown ? "Type: ollama serve" : 'Check the option "host".';
  const message = `No Ollama server can be reached at ${host} (${describeCause(thrown)}). ${remedy}`;
  return modelFailure(settings, "unreachable", { message, cause: thrown });
}

function cutFailure(settings: OllamaSettings, thrown: unknown): AgentError<"model-failed"> {
  const advice = isNodeTimeout(thrown) ? ' To wait longer, pass another "fetch" to createOllamaModel.' : "";
  const message = `The connection to ${settings.host} broke off before the answer was complete (${describeCause(thrown)}).${advice}`;
  return modelFailure(settings, "interrupted", { message, cause: thrown });
}

function findCode(thrown: unknown): string | undefined {
  return causesOf(thrown)
    .map(({ code }) => code)
    .find((code) => typeof code === "string");
}

function describeCause(thrown: unknown): string {
  return findCode(thrown) ?? cutText(describeThrown(causesOf(thrown).at(-1)?.of), maxTextLength);
}
