import type { JsonValue } from "../../core/json.ts";

/** A request to a fake Ollama, to any path. @inline */
export interface FakeOllamaRequest {
  readonly method: string;
  /** Such as `/api/chat`. */
  readonly path: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text as received; `""` if there was none. */
  readonly body: string;
}

/** The content of a chat request. @inline */
export interface FakeOllamaChat {
  readonly model: string;
  readonly messages: readonly FakeOllamaMessage[];
  readonly stream?: boolean;
  readonly format?: JsonValue;
  readonly options?: Readonly<Record<string, JsonValue>>;
  readonly think?: boolean | string;
  readonly keep_alive?: number | string;
  /** Rare fields, and fields that the fake does not know. */
  readonly [field: string]: unknown;
}

/** A message of a {@link FakeOllamaChat}. @inline */
export interface FakeOllamaMessage {
  readonly role: string;
  readonly content: string;
  readonly [field: string]: unknown;
}
