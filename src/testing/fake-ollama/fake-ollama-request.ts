import type { JsonValue } from "../../core/json.ts";

/** A request that a fake Ollama has had, to whatever path. */
export interface FakeOllamaRequest {
  readonly method: string;
  /** Such as `/api/chat`. */
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text as it came; `""` if there was none. */
  readonly body: string;
}

/** What a chat request asks for. */
export interface FakeOllamaChat {
  readonly model: string;
  readonly messages: readonly FakeOllamaMessage[];
  readonly stream?: boolean;
  readonly format?: JsonValue;
  readonly options?: Readonly<Record<string, JsonValue>>;
  readonly think?: boolean | string;
  readonly keep_alive?: number | string;
  /** Fields that are seldom sent, and those that the fake does not know. */
  readonly [field: string]: unknown;
}

/** A message of a {@link FakeOllamaChat}. */
export interface FakeOllamaMessage {
  readonly role: string;
  readonly content: string;
  readonly [field: string]: unknown;
}
