import { onAbort } from "../../async/abort.ts";
import type { AgentError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { type ModelFailureReason, maxAnswerLength } from "../../core/language-model.ts";
import { causesOf, isNodeTimeout, modelFailure, readFailureReason } from "../../core/model-failure.ts";
import { cutText, describeThrown } from "../../core/text.ts";
import type { OllamaSettings } from "./ollama-options.ts";

/** A call of the server. */
interface ServerCall {
  readonly settings: OllamaSettings;
  readonly path: "show" | "chat";
  /** Sent as JSON. */
  readonly body: { readonly model: string; readonly format?: unknown };
  /** Closes the connection when it aborts, at any moment; the call rejects with its reason. */
  readonly signal: AbortSignal;
}

/** An object that a server has sent. */
type ServerObject = Readonly<Record<string, unknown>>;

/**
 * Does work with a connection, whose signal aborts with another one and when the work ends. So nothing stays open, and no
 * listener of `fetch` on the other one.
 */
export async function withConnection<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const connection = new AbortController();
  const stopListening = onAbort(signal, () => connection.abort(signal.reason));
  try {
    return await work(connection.signal);
  } finally {
    stopListening();
    connection.abort();
  }
}

/** Returns what the server answers. Rejects with `model-failed`. */
export function callServer(call: ServerCall): Promise<unknown> {
  return withConnection(call.signal, async (signal) => {
    const response = await post({ ...call, signal });
    try {
      return await response.json();
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof SyntaxError)) throw cutFailure(call.settings, thrown);
      throw answerFailure(call.settings, "invalid-response", "The answer is not JSON");
    }
  });
}

async function post(call: ServerCall): Promise<Response> {
  const { settings, path, body, signal } = call;
  const headers = new Headers(settings.headers);
  headers.set("content-type", "application/json");
  const init = { method: "POST", headers, body: JSON.stringify(body), signal };
  let response: Response;
  try {
    response = await settings.fetch(`${settings.host}/api/${path}`, init);
  } catch (thrown) {
    signal.throwIfAborted();
    throw connectionFailure(settings, thrown);
  }
  // A `fetch` that ignores signals: nothing else would close it.
  if (signal.aborted) response.body?.cancel().catch(() => {});
  signal.throwIfAborted();
  if (response.ok) return response;
  const error = await readServerError(response);
  signal.throwIfAborted();
  throw serverFailure(call, error);
}

/** The error of an answer that cannot be read. */
function answerFailure(
  settings: OllamaSettings,
  reason: ModelFailureReason,
  message: string,
): AgentError<"model-failed"> {
  return modelFailure(settings, reason, { message: `${message} (${settings.host}).` });
}

/** Ollama ends a stream without its last line after 30 equal tokens. */
const maxRepeats = 28;

/**
 * The lines of a streamed answer, up to the one with `done`; else it fails. An error in the first line counts as an error
 * response: a moment earlier it would have been sent as one.
 */
export async function* streamAnswer(call: ServerCall): AsyncGenerator<ServerObject> {
  const { settings, signal } = call;
  const { body } = await post(call);
  const reader = (body ?? new Blob([]).stream()).getReader();
  // A `fetch` that ignores signals would leave it open.
  signal.addEventListener("abort", () => void reader.cancel(signal.reason).catch(() => {}), { once: true });
  let isFirst = true;
  let lastText: string | undefined;
  let repeats = 0;
  for await (const { line, isTail } of splitLines(reader, settings)) {
    if (line.trim() === "") continue;
    const part = parseObject(line);
    // The end of a connection may leave half a line.
    if (part === undefined && isTail) break;
    if (part === undefined)
      throw answerFailure(settings, "invalid-response", "A line of the answer is not a JSON object");
    if (part.error !== undefined) {
      const error = createServerError(errorText(part.error), { isOllamas: true });
      if (isFirst) throw serverFailure(call, error);
      throw answerFailure(settings, "interrupted", `The answer broke off with an error: ${error.message}`);
    }
    isFirst = false;
    const text = getContent(part.message);
    repeats = text !== undefined && text === lastText ? repeats + 1 : 0;
    lastText = text;
    yield part;
    if (part.done === true) return;
  }
  if (repeats < maxRepeats)
    throw answerFailure(settings, "interrupted", "The answer ended before it said that it was done");
  // The server gives up a model that writes the same again and again: nothing else comes, however often it is asked.
  yield { done: true, done_reason: "stop" };
}

function getContent(message: unknown): string | undefined {
  const { content } = Object(message) as { readonly content?: unknown };
  return typeof content === "string" ? content.trim() : undefined;
}

const maxLineLength = 2 * maxAnswerLength;

/** Splits what a connection sends. What comes after the last line break is the tail. */
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

function parseObject(text: string): ServerObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const maxTextLength = 200;
/** The part of an error response that is read. */
const maxBodyBytes = 65_536;

/** The error that a server answered with. */
interface ServerError extends Error {
  /** The HTTP status; undefined if the error came as the first line of an answer. */
  readonly status?: number;
  /** True if it has the form of Ollama's errors: anything else is from a proxy, or another server. */
  readonly isOllamas: boolean;
  /** The header `retry-after`. */
  readonly retryAfter?: string | undefined;
}

function createServerError(text: string, facts: Omit<ServerError, keyof Error>): ServerError {
  return Object.assign(new Error(cutText(toLine(text), maxTextLength)), { name: "ServerError", ...facts });
}

async function readServerError(response: Response): Promise<ServerError> {
  const { status, statusText, headers } = response;
  const body = await readStart(response.body);
  const { error } = parseObject(body) ?? {};
  const isOllamas = error !== undefined && error !== null;
  const isPage = (headers.get("content-type") ?? "").includes("html") || body.trimStart().startsWith("<");
  const text = isOllamas ? errorText(error) : isPage ? "a page of HTML" : body.trim() || statusText || "no text";
  return createServerError(text, { status, isOllamas, retryAfter: headers.get("retry-after") ?? undefined });
}

/** An error as text; other servers wrap it in an object with a `message`. */
function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  const { message } = Object(error) as { readonly message?: unknown };
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
      // A chunk can be as long as the body.
      text += decoder.decode(value.subarray(0, maxBodyBytes - bytes), { stream: true });
      bytes += value.length;
    }
    await reader.cancel();
  } catch {
    // It was cut, or the call was aborted: the status is enough.
  }
  return text;
}

/** A text as one line without control characters. */
function toLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be removed
  return text.replace(/[\u0000-\u0020\u007f-\u009f]+/g, " ").trim();
}

/** The failure of a call that the server answered with an error. */
function serverFailure({ settings, body }: ServerCall, error: ServerError): AgentError<"model-failed"> {
  const { status } = error;
  const reason = serverReason(error, body.format !== undefined);
  return modelFailure(settings, reason, { message: describe(settings, reason, error), status, cause: error });
}

function serverReason({ status = 500, isOllamas, message }: ServerError, hasFormat: boolean): ModelFailureReason {
  if (status === 408 || status === 499) return "interrupted";
  if (status === 404 && !isOllamas) return "rejected";
  const reason = readFailureReason({ status, message: isOllamas && status <= 500 ? message : "" });
  if (reason === "format-rejected" && !hasFormat) return "rejected";
  // The server takes a grammar that it cannot parse for its own error.
  const isAboutFormat = isOllamas && hasFormat && /grammar|schema|\bformat\b|structured output/i.test(message);
  const isOpen = status <= 500 && (reason === "server-error" || reason === "rejected");
  return isOpen && isAboutFormat ? "format-rejected" : reason;
}

function describe({ modelId, host }: OllamaSettings, reason: ModelFailureReason, error: ServerError): string {
  const received = `${error.status === undefined ? "" : `${error.status}, `}${error.message.replace(/\.$/, "")}`;
  switch (reason) {
    case "unknown-model":
      return `Ollama at ${host} has no model "${modelId}". Type: ollama pull ${modelId}`;
    case "unauthorized":
      return `The server at ${host} refuses access (${received}). Give a key in "headers", or type: ollama signin`;
    case "busy":
      return `Ollama at ${host} is too busy (${received}). Try again later.`;
    case "format-rejected":
      return `Ollama cannot answer in this format (${received}). A simpler schema, or none, may work.`;
    case "prompt-too-long":
      return `The messages are too long for ${modelId} (${received}).`;
    case "rejected":
      return error.isOllamas
        ? `Ollama refuses the request (${received}).`
        : `The server at ${host} does not seem to be Ollama (${received}). Check the option "host".`;
    default:
      return `The server at ${host} failed (${received}).`;
  }
}

/** Errors of an established connection. All others are of one that never was. */
const cutCodes = /^(?:UND_ERR_(?:SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT|REQ_CONTENT_LENGTH_MISMATCH)|ECONNRESET|EPIPE)$/;

/** The failure of a call that got no response. */
function connectionFailure(settings: OllamaSettings, thrown: unknown): AgentError<"model-failed"> {
  const { host } = settings;
  const code = findCode(thrown);
  if (code !== undefined && cutCodes.test(code)) return cutFailure(settings, thrown);
  if (code?.startsWith("HPE_")) {
    const message = `The server at ${host} does not speak HTTP (${code}). Check the option "host".`;
    return modelFailure(settings, "invalid-response", { message, cause: thrown });
  }
  // All other codes mean an address that is wrong or unreachable.
  const isDown = code === undefined || code === "ECONNREFUSED";
  const remedy = isDown ? "Type: ollama serve" : 'Check the option "host".';
  const message = `No Ollama server can be reached at ${host} (${describeCause(thrown)}). ${remedy}`;
  return modelFailure(settings, "unreachable", { message, cause: thrown });
}

/** The failure of a call whose response broke off. */
function cutFailure(settings: OllamaSettings, thrown: unknown): AgentError<"model-failed"> {
  const advice = isNodeTimeout(thrown) ? ' To wait longer, pass another "fetch" to createOllamaModel.' : "";
  const message = `The connection to ${settings.host} broke off before the answer was complete (${describeCause(thrown)}).${advice}`;
  return modelFailure(settings, "interrupted", { message, cause: thrown });
}

/** The code of an error, such as `ECONNREFUSED`. */
function findCode(thrown: unknown): string | undefined {
  return causesOf(thrown)
    .map(({ code }) => code)
    .find((code) => typeof code === "string");
}

function describeCause(thrown: unknown): string {
  return findCode(thrown) ?? cutText(describeThrown(causesOf(thrown).at(-1)?.of), maxTextLength);
}
