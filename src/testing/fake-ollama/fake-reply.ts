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
