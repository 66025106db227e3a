import type { TokenLogprob } from "../../src/core/language-model.ts";

/** A complete answer of a model. @inline */
export interface FakeOllamaText {
  readonly text: string;
  /** What the model thought before answering. @default nothing */
  readonly thinking?: string | undefined;
  /**
   * How likely the tokens of the text were, sent to a request that asks for it; they are its pieces, in order. False for
   * a server that cannot say. @default −0.01 for each piece of about four characters
   */
  readonly logprobs?: readonly TokenLogprob[] | false | undefined;
  /** Why it stopped, such as `length`; null to leave it out. @default stop */
  readonly doneReason?: string | null | undefined;
  /** How many tokens the messages had; 0 is left out, as Ollama does. @default a guess */
  readonly inputTokens?: number | undefined;
  /** How many tokens the answer had; 0 is left out. @default a guess */
  readonly outputTokens?: number | undefined;
}

/** A faulty answer; `text` is the intended answer, where that matters. @inline */
export interface FakeOllamaFault {
  readonly fault: FakeOllamaFaultName;
  /** @default some JSON */
  readonly text?: string | undefined;
  /** @default nothing */
  readonly thinking?: string | undefined;
}

/** An error of Ollama. @inline */
export interface FakeOllamaError {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Any other response that a server, or a proxy in front of it, may send. @inline */
export interface FakeOllamaBody {
  readonly body: string;
  /** @default 200 */
  readonly status?: number | undefined;
  /** @default `content-type: application/x-ndjson` */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The answer of a fake Ollama to a chat request. @group Models */
export type FakeOllamaAnswer = FakeOllamaText | FakeOllamaFault | FakeOllamaError | FakeOllamaBody;

/** An answer of a fake Ollama to `/api/show` that differs from the truth. @inline */
export type FakeOllamaShowAnswer = { readonly fault: FakeOllamaServerFault } | FakeOllamaError | FakeOllamaBody;

/** Faults of the model; the response itself is complete. @inline */
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

/** Faults, or unusual behaviour, of the transmission. @inline */
export type FakeOllamaStreamFault =
  | "one-byte-chunks"
  | "no-metrics"
  | "extra-fields"
  | "silent-end"
  | "error-mid-stream"
  | "cut"
  | "hang-mid-stream"
  | "drip";

/** What a server does instead of answering. @inline */
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

/** Every fault of a fake Ollama; {@link fakeOllamaFaults} lists and explains them. @inline */
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

/**
 * The names of all faults, to test that an app survives them.
 *
 * Faults of the model; the response itself is complete.
 * - `fence`: the text is in a Markdown code fence.
 * - `prose`: there are sentences before and after it.
 * - `think-tag`: the model's thoughts precede it, in a tag.
 * - `thinking-only`: it is sent as thinking, and there is no text.
 * - `empty`: there is no text.
 * - `two-objects`: it is there twice.
 * - `refusal`: an excuse instead of it.
 * - `cut-short`: half of it, as the tokens were used up.
 * - `white-space`: only white space, until the tokens were used up.
 * - `large`: 2 MB of text.
 *
 * Faults, or unusual behaviour, of the transmission.
 * - `one-byte-chunks`: each byte is sent separately, so that lines and characters are cut. This is valid.
 * - `no-metrics`: no counts and no durations, as from old servers.
 * - `extra-fields`: unknown fields, as from new servers.
 * - `silent-end`: the answer ends without a line with `done`; if it is not streamed, `done` is false.
 * - `error-mid-stream`: an error after three lines.
 * - `cut`: the connection breaks after three lines.
 * - `hang-mid-stream`: nothing is sent after three lines, until `release()`.
 * - `drip`: each line waits for a `release()`, or for a second on the given `clock`.
 *
 * What a server does instead of answering.
 * - `hang`: nothing is sent, not even the headers, until `release()`.
 * - `cut-at-once`: it closes the connection.
 * - `busy`: 503, too many requests.
 * - `crash`: 500, the model's process died.
 * - `format-rejected`: 500, the engine cannot turn the schema into a grammar.
 * - `thinking-unsupported`: 400, the model cannot think.
 * - `prompt-too-long`: 400, the messages do not fit the context.
 * - `unknown-model`: 404.
 * - `unauthorized`: 401, as for a model in the cloud.
 * - `html`: 502 and an HTML page, from a proxy.
 *
 * {@includeCode ../../../examples/22-fake-models.ts}
 * @group Models
 */
export const fakeOllamaFaults = Object.keys(known) as readonly FakeOllamaFaultName[];
