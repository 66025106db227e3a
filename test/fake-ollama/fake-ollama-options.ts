import type { Clock, JsonValue } from "planwright";
import type { FakeOllamaModel } from "./fake-models.ts";
import type { FakeOllamaAnswer, FakeOllamaShowAnswer } from "./fake-ollama-answer.ts";

/** An answer, or a function of the request that returns one. @inline */
export type FakeOllamaScriptEntry =
  | FakeOllamaAnswer
  | ((chat: FakeOllamaChat) => FakeOllamaAnswer | Promise<FakeOllamaAnswer>);

/** Options of {@link startFakeOllama}. @group Models */
export interface FakeOllamaOptions {
  /** The answers to chat requests, in order. @default none */
  script?: readonly FakeOllamaScriptEntry[] | undefined;
  /** The answer to chat requests after the end of the script. @default an error that says so */
  otherwise?: FakeOllamaScriptEntry | undefined;
  /** The answers to `/api/show`, in order; after that it answers the truth. @default the truth */
  showScript?: readonly FakeOllamaShowAnswer[] | undefined;
  /** The models of the server. @default one of every requested name, which cannot think */
  models?: readonly FakeOllamaModel[] | undefined;
  /** Measures the second between the lines of a `drip`. @default none: only `release()` sends them */
  clock?: Clock | undefined;
}

/** A server that behaves like Ollama, with answers from a script. @group Models */
export interface FakeOllama {
  /** Its address, such as `http://127.0.0.1:40123`: the `host` of a client. */
  readonly host: string;
  /** Every request so far. */
  readonly requests: readonly FakeOllamaRequest[];
  /** The chat requests that were answered by the script. */
  readonly chats: readonly FakeOllamaChat[];
  /**
   * How many connections with a request are open. Each is used for one request, so an open one means that a client has
   * not read the answer, or has not closed an unwanted one. Connections opened ahead of a request, as by Node's
   * `fetch`, do not count.
   */
  readonly openSockets: number;
  /** The next request to a path that was not waited for yet; at once if it is already there. @default `/api/chat` */
  waitForRequest(this: void, path?: string): Promise<FakeOllamaRequest>;
  /** The next request whose client closed the connection before it had the whole answer. */
  waitForDisconnect(this: void): Promise<FakeOllamaRequest>;
  /** Settles once no connection with a request is open. */
  waitForIdle(this: void): Promise<void>;
  /** Lets each hanging answer continue, even one that is about to hang, and each dripping one send one line. */
  release(this: void): void;
  /** Throws unless there were exactly as many requests as scripted answers. */
  assertComplete(this: void): void;
  /** Closes all connections; from then on they are refused. Closing it again does nothing. */
  close(this: void): Promise<void>;
}

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
  readonly logprobs?: boolean;
  readonly keep_alive?: number | string;
  /** Rare fields, and fields that the fake does not know. */
  readonly [field: string]: unknown;
}

/** A message of a {@link FakeOllamaChat}. @inline */
interface FakeOllamaMessage {
  readonly role: string;
  readonly content: string;
  readonly [field: string]: unknown;
}
