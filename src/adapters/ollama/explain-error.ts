import type { AgentError } from "../../core/errors.ts";
import type { ModelFailureReason } from "../../core/language-model.ts";
import { modelFailure } from "../../core/model-failure.ts";
import { cutText, describeThrown } from "../../core/text.ts";
import type { OllamaSettings } from "./ollama-options.ts";

type Server = Pick<OllamaSettings, "provider" | "modelId" | "host">;

/** How much of a network error is shown. */
const maxReasonLength = 200;

const namesFormat = /grammar|schema|\b(?:response_)?format\b|structured output/i;
const namesLength =
  /context (?:length|size|window)|(?:prompt|input|request)\b.*\b(?:too (?:long|large)|exceeds?|longer than)/i;

/** Explains a server's error. `hasFormat`: whether the request had a format. */
export function explainServerError(
  server: Server,
  error: ServerError,
  { hasFormat }: { hasFormat: boolean },
): AgentError<"model-failed"> {
  const reason = reasonOf(error, hasFormat);
  return modelFailure(server, reason, { message: describe(server, reason, error), status: error.status, cause: error });
}

function reasonOf(error: ServerError, hasFormat: boolean): ModelFailureReason {
  const status = error.status ?? 500;
  const isComplaint = error.isOllamas && status <= 500;
  if (status in reasonsByStatus) return reasonsByStatus[status] as ModelFailureReason;
  if (status === 404) return error.isOllamas ? "unknown-model" : "rejected";
  if (isComplaint && namesLength.test(error.message)) return "prompt-too-long";
  if (isComplaint && hasFormat && namesFormat.test(error.message)) return "format-rejected";
  if (status >= 500) return "server-error";
  return status >= 400 ? "rejected" : "invalid-response";
}

const reasonsByStatus: Readonly<Record<number, ModelFailureReason>> = {
  401: "unauthorized",
  403: "unauthorized",
  408: "interrupted",
  413: "prompt-too-long",
  429: "busy",
  499: "interrupted",
  503: "busy",
};

function describe({ modelId, host }: Server, reason: ModelFailureReason, error: ServerError): string {
  const said = `${error.status === undefined ? "" : `${error.status}, `}${error.message.replace(/\.$/, "")}`;
  switch (reason) {
    case "unknown-model":
      return `Ollama at ${host} has no model "${modelId}". Type: ollama pull ${modelId}`;
    case "unauthorized":
      return `The server at ${host} refuses access (${said}). Give a key in "headers", or type: ollama signin`;
    case "busy":
      return `Ollama at ${host} is too busy (${said}). Try again later.`;
    case "format-rejected":
      return `Ollama cannot answer in this format (${said}). A simpler schema, or none, may work.`;
    case "prompt-too-long":
      return `The messages are too long for ${modelId} (${said}).`;
    case "rejected":
      return error.isOllamas
        ? `Ollama refuses the request (${said}).`
        : `The server at ${host} does not seem to be Ollama (${said}). Check the option "host".`;
    default:
      return `The server at ${host} failed (${said}).`;
  }
}

/** Errors of an established connection. All others are of one that never was. */
const cutCodes = /^(?:UND_ERR_(?:SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT|REQ_CONTENT_LENGTH_MISMATCH)|ECONNRESET|EPIPE)$/;

/** Explains why no answer came. */
export function explainNoAnswer(server: Server, thrown: unknown): AgentError<"model-failed"> {
  const code = codeOf(thrown);
  const { host } = server;
  if (code !== undefined && cutCodes.test(code)) return explainCut(server, thrown);
  if (code?.startsWith("HPE_")) {
    const message = `The server at ${host} does not speak HTTP (${code}). Check the option "host".`;
    return modelFailure(server, "invalid-response", { message, cause: thrown });
  }
  const why = code ?? cutText(describeThrown(deepestCause(thrown)), maxReasonLength);
  // All other codes mean an address that is wrong or unreachable.
  const isDown = code === undefined || code === "ECONNREFUSED";
  const remedy = isDown ? "Type: ollama serve" : 'Check the option "host".';
  const message = `No Ollama server can be reached at ${host} (${why}). ${remedy}`;
  return modelFailure(server, "unreachable", { message, cause: thrown });
}

/** Explains why an answer broke off. */
export function explainCut(server: Server, thrown: unknown): AgentError<"model-failed"> {
  const why = codeOf(thrown) ?? cutText(describeThrown(deepestCause(thrown)), maxReasonLength);
  const message = `The connection to ${server.host} broke off before the answer was complete (${why}).`;
  return modelFailure(server, "interrupted", { message, cause: thrown });
}

const maxCauses = 5;

function* causesOf(thrown: unknown): Generator<unknown> {
  let cause = thrown;
  for (let depth = 0; depth < maxCauses && cause !== undefined && cause !== null; depth++) {
    yield cause;
    cause = (cause as { cause?: unknown }).cause;
  }
}

/** Such as `ECONNREFUSED`: fetch hides it in the cause of its error. */
function codeOf(thrown: unknown): string | undefined {
  for (const cause of causesOf(thrown)) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return undefined;
}

function deepestCause(thrown: unknown): unknown {
  return [...causesOf(thrown)].at(-1);
}

/** Of an error response. */
const maxBodyBytes = 65_536;
const maxTextLength = 200;

/** A server that answered with an error. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  /** The HTTP status; undefined if the error came as the first line of an answer. */
  readonly status: number | undefined;
  /** Whether it has the form of Ollama's errors: anything else is from a proxy, or another server. */
  readonly isOllamas: boolean;
  /** The header `retry-after`. */
  readonly retryAfter: string | undefined;

  constructor(
    text: string,
    options: { status?: number | undefined; isOllamas: boolean; retryAfter?: string | undefined },
  ) {
    super(cutText(toLine(text), maxTextLength));
    this.status = options.status;
    this.isOllamas = options.isOllamas;
    this.retryAfter = options.retryAfter;
  }
}

/** Reads an error response. The client library would, too, but logs it to the console. */
export async function readServerError(response: Response): Promise<ServerError> {
  const { status, statusText, headers } = response;
  const body = await readStart(response.body);
  const error = errorOf(body);
  const type = headers.get("content-type") ?? "";
  const isPage = type.includes("html") || body.trimStart().startsWith("<");
  const text = error ?? (isPage ? "a page of HTML" : body.trim() || statusText || "no text");
  const retryAfter = headers.get("retry-after") ?? undefined;
  return new ServerError(text, { status, isOllamas: error !== undefined, retryAfter });
}

/** The text of `{"error": …}`; undefined for anything else. */
function errorOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return error === undefined || error === null ? undefined : errorText(error);
  } catch {
    return undefined;
  }
}

/** An error as text; other servers wrap it in an object with a `message`. */
export function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { message?: unknown };
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
    // It was cut, or nobody waits for it any more: the status is enough.
  }
  return text;
}

/** A text as one line without control characters. */
function toLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be removed
  return text.replace(/[\u0000-\u0020\u007f-\u009f]+/g, " ").trim();
}
