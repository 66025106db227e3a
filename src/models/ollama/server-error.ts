import { retryAfterMs } from "../../async/retry-after.ts";
import { cutText } from "../../core/text.ts";

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

  /** How long the server asks to wait. */
  retryAfterMs(nowMs: number): number | undefined {
    return retryAfterMs(this, nowMs);
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
