import type { ServerResponse } from "node:http";
import type { FakeOllamaError } from "./fake-ollama-answer.ts";

/** A reply as it is sent. */
export interface FakeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; each part is written separately. */
  readonly parts: readonly Uint8Array[];
  /** The part before which it waits; `headers` is before all. */
  readonly holdsBefore?: "headers" | "each" | number | undefined;
  /** Whether the connection breaks instead of ending; `at-once`: before the headers. */
  readonly cut?: "at-once" | "after-parts" | undefined;
}

const encoder = new TextEncoder();

/** A reply of one JSON object. */
export function jsonReply(value: object): FakeReply {
  const headers = { "content-type": "application/json; charset=utf-8" };
  return { status: 200, headers, parts: [encoder.encode(JSON.stringify(value))] };
}

/** A reply of one text. */
export function textReply(text: string, { status = 200, headers = {} }: Partial<FakeReply> = {}): FakeReply {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
    parts: [encoder.encode(text)],
  };
}

/** A reply with one object per line. */
export function linesReply(lines: readonly object[]): FakeReply {
  const parts = lines.map((line) => encoder.encode(`${JSON.stringify(line)}\n`));
  return { status: 200, headers: { "content-type": "application/x-ndjson" }, parts };
}

/** An error in Ollama's format. */
export function errorReply({ status, error, headers }: FakeOllamaError): FakeReply {
  const reply = jsonReply({ error });
  return { ...reply, status, headers: { ...reply.headers, ...headers } };
}

/** Sends a reply, waiting where it says so. Ends early when the client has disconnected. Never rejects. */
export async function sendReply(
  response: ServerResponse,
  reply: FakeReply,
  hold: (isDrip: boolean) => Promise<void>,
): Promise<void> {
  const { status, headers, parts, holdsBefore, cut } = reply;
  // The client may disconnect at any time.
  response.on("error", () => {});
  if (holdsBefore === "headers") await hold(false);
  if (cut === "at-once") response.destroy();
  if (response.destroyed) return;
  // With `close`, an open connection is one that its client still needs or has not closed. A cut connection must not
  // announce that it closes.
  response.writeHead(status, { ...headers, ...(cut === undefined && { connection: "close" }) });
  response.flushHeaders();
  for (const [index, part] of parts.entries()) {
    if (holdsBefore === "each" || holdsBefore === index) await hold(holdsBefore === "each");
    if (response.destroyed) return;
    const isLast = index === parts.length - 1 && cut === undefined;
    // The last part is sent with the end, so that a client that has it has everything.
    if (isLast) response.end(part);
    else await write(response, part);
  }
  if (cut !== undefined) response.destroy();
  else if (parts.length === 0) response.end();
}

/** Settles once the part is sent, or never will be. */
async function write(response: ServerResponse, part: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = () => {
      response.off("close", settle);
      resolve();
    };
    response.once("close", settle);
    response.write(part, settle);
  });
  // Lets a client in this process read it now. Otherwise it would read many parts as one.
  await new Promise<void>((resolve) => setImmediate(resolve));
}
