import type { Ollama } from "ollama/browser";
import { countPending } from "../../async/promises.ts";
import { explainNoAnswer, readServerError } from "./explain-error.ts";
import type { OllamaSettings } from "./ollama-options.ts";

interface OpenClientOptions {
  /** Closes the connection when it aborts, at any moment; the call rejects with its reason. */
  readonly signal: AbortSignal;
  /** What the client reads instead of the body. @default the body */
  readonly readBody?: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;
}

/**
 * The client library for one call, with a `fetch` that passes on only what the library reads well: server errors are
 * thrown as `ServerError`, and connection errors as `model-failed`. The library itself supports no signal, and logs to
 * the console.
 */
export async function openClient(
  settings: OllamaSettings,
  { signal, readBody = (body) => body }: OpenClientOptions,
): Promise<Ollama> {
  const { host, headers } = settings;
  const { Ollama } = await countPending(import("ollama/browser"));
  return new Ollama({
    host,
    headers: { ...headers },
    fetch: async (input, init) => {
      signal.throwIfAborted();
      const response = await send(settings, input, { ...init, signal });
      if (!response.ok) throw await unlessAborted(signal, readServerError(response));
      return new Response(readBody(response.body ?? emptyBody()));
    },
  });
}

async function send(
  settings: OllamaSettings,
  input: Parameters<typeof fetch>[0],
  init: RequestInit & { signal: AbortSignal },
): Promise<Response> {
  const { signal } = init;
  try {
    const response = await settings.fetch(input, init);
    // A `fetch` that ignores signals: nothing else would close it.
    if (signal.aborted) response.body?.cancel().catch(() => {});
    return await unlessAborted(signal, response);
  } catch (thrown) {
    signal.throwIfAborted();
    throw explainNoAnswer(settings, thrown);
  }
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

async function unlessAborted<T>(signal: AbortSignal, value: T | Promise<T>): Promise<T> {
  const settled = await value;
  signal.throwIfAborted();
  return settled;
}
