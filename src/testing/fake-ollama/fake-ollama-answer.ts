/** A whole answer of a model. */
export interface FakeOllamaText {
  readonly text: string;
  /** What the model thought before. @default nothing */
  readonly thinking?: string | undefined;
  /** Why it stopped, such as `length`; null to leave it out. @default stop */
  readonly doneReason?: string | null | undefined;
  /** How many tokens the messages had; 0 is left out, as Ollama does. @default a guess */
  readonly inputTokens?: number | undefined;
  /** How many tokens the answer had; 0 is left out. @default a guess */
  readonly outputTokens?: number | undefined;
}

/** An answer that goes wrong; what it would have been is `text`, where that matters. */
export interface FakeOllamaFault {
  readonly fault: FakeOllamaFaultName;
  /** @default some JSON */
  readonly text?: string | undefined;
  /** @default nothing */
  readonly thinking?: string | undefined;
}

/** An error as Ollama tells it. */
export interface FakeOllamaError {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Whatever else a server, or what stands before it, may send. */
export interface FakeOllamaBody {
  readonly body: string;
  /** @default 200 */
  readonly status?: number | undefined;
  /** @default `content-type: application/x-ndjson` */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a fake Ollama answers a chat request with. */
export type FakeOllamaAnswer = FakeOllamaText | FakeOllamaFault | FakeOllamaError | FakeOllamaBody;

/** What a fake Ollama answers `/api/show` with where a test wants something else than what is true. */
export type FakeOllamaShowAnswer = { readonly fault: FakeOllamaServerFault } | FakeOllamaError | FakeOllamaBody;

/**
 * What a model makes wrong; the answer itself is whole.
 * - `fence`: the text stands in a fence of Markdown.
 * - `prose`: there are sentences before and after it.
 * - `think-tag`: the model's thoughts stand before it, in a tag.
 * - `thinking-only`: it is told as thinking, and there is no text.
 * - `empty`: there is no text.
 * - `two-objects`: it is there twice.
 * - `refusal`: an excuse instead of it.
 * - `cut-short`: half of it, as the tokens were used up.
 * - `white-space`: nothing but white space, until the tokens were used up.
 * - `large`: 2 MB of text.
 */
export type FakeOllamaTextFault =
  | "fence"
  | "prose"
  | "think-tag"
  | "thinking-only"
  | "empty"
  | "two-objects"
  | "refusal"
  | "cut-short"
  | "white-space"
  | "large";

/**
 * What goes wrong, or is unusual, on the way.
 * - `one-byte-chunks`: each byte is sent alone, so that lines and characters are cut. Nothing is wrong with that.
 * - `no-metrics`: no counts and no durations. Old servers do so.
 * - `extra-fields`: fields that nobody knows. New servers do so.
 * - `silent-end`: the end comes without a line that says `done`; not streamed, `done` is false.
 * - `error-mid-stream`: an error after three lines.
 * - `cut`: the connection breaks after three lines.
 * - `hang-mid-stream`: nothing comes after three lines, until `release()`.
 * - `drip`: each line waits for a `release()`, or for a second on the `clock` that was given.
 */
export type FakeOllamaStreamFault =
  | "one-byte-chunks"
  | "no-metrics"
  | "extra-fields"
  | "silent-end"
  | "error-mid-stream"
  | "cut"
  | "hang-mid-stream"
  | "drip";

/**
 * What a server does instead of answering.
 * - `hang`: nothing comes, not even the headers, until `release()`.
 * - `cut-at-once`: it closes the connection.
 * - `busy`: 503, too many requests.
 * - `crash`: 500, the model's process died.
 * - `format-rejected`: 500, the engine can make no grammar of the schema.
 * - `thinking-unsupported`: 400, the model cannot think.
 * - `prompt-too-long`: 400, the messages do not fit the context.
 * - `unknown-model`: 404.
 * - `unauthorized`: 401, as for a model in the cloud.
 * - `html`: 502 and a page of HTML, from a proxy.
 */
export type FakeOllamaServerFault =
  | "hang"
  | "cut-at-once"
  | "busy"
  | "crash"
  | "format-rejected"
  | "thinking-unsupported"
  | "prompt-too-long"
  | "unknown-model"
  | "unauthorized"
  | "html";

/** Each way in which a fake Ollama can go wrong; {@link fakeOllamaFaults} has them all. */
export type FakeOllamaFaultName = FakeOllamaTextFault | FakeOllamaStreamFault | FakeOllamaServerFault;

const known: Readonly<Record<FakeOllamaFaultName, true>> = {
  fence: true,
  prose: true,
  "think-tag": true,
  "thinking-only": true,
  empty: true,
  "two-objects": true,
  refusal: true,
  "cut-short": true,
  "white-space": true,
  large: true,
  "one-byte-chunks": true,
  "no-metrics": true,
  "extra-fields": true,
  "silent-end": true,
  "error-mid-stream": true,
  cut: true,
  "hang-mid-stream": true,
  drip: true,
  hang: true,
  "cut-at-once": true,
  busy: true,
  crash: true,
  "format-rejected": true,
  "thinking-unsupported": true,
  "prompt-too-long": true,
  "unknown-model": true,
  unauthorized: true,
  html: true,
};

/** Each fault by name, to test that an app survives them all. */
export const fakeOllamaFaults = Object.keys(known) as readonly FakeOllamaFaultName[];
