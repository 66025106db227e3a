import type { Clock } from "../../async/clock.ts";
import type { FakeOllamaModel } from "./fake-models.ts";
import type { FakeOllamaAnswer, FakeOllamaShowAnswer } from "./fake-ollama-answer.ts";
import type { FakeOllamaChat, FakeOllamaRequest } from "./fake-ollama-request.ts";

/** An answer, or what makes one of the request. */
export type FakeOllamaScriptEntry =
  | FakeOllamaAnswer
  | ((chat: FakeOllamaChat) => FakeOllamaAnswer | Promise<FakeOllamaAnswer>);

/** Options of {@link startFakeOllama}. */
export interface FakeOllamaOptions {
  /** What chat requests are answered with, in turn. @default nothing */
  script?: readonly FakeOllamaScriptEntry[] | undefined;
  /** What those are answered with that come after the script's end. @default an error that says so */
  otherwise?: FakeOllamaScriptEntry | undefined;
  /** What `/api/show` is answered with, in turn; after that it tells the truth. @default the truth */
  showScript?: readonly FakeOllamaShowAnswer[] | undefined;
  /** The models there are. @default one of every name that is asked for, which cannot think */
  models?: readonly FakeOllamaModel[] | undefined;
  /** Where the second between the lines of a `drip` comes from. @default none: only `release()` lets them go */
  clock?: Clock | undefined;
}

/** A server that speaks as Ollama does, and answers as a test says. */
export interface FakeOllama {
  /** Its address, such as `http://127.0.0.1:40123`: the `host` of a client. */
  readonly host: string;
  /** Every request there was. */
  readonly requests: readonly FakeOllamaRequest[];
  /** What the chat requests asked for that were answered by the script. */
  readonly chats: readonly FakeOllamaChat[];
  /**
   * How many connections are open that have had a request. Each is used for one only, so a client has not read the answer,
   * or not closed what it does not want. Those that it has opened ahead of a request, as Node's `fetch` does, do not count.
   */
  readonly openSockets: number;
  /** The next request to a path that no test has waited for, at once if it has come. @default `/api/chat` */
  waitForRequest(this: void, path?: string): Promise<FakeOllamaRequest>;
  /** The next request that its client has given up, by closing the connection before it had the whole answer. */
  waitForDisconnect(this: void): Promise<FakeOllamaRequest>;
  /** Settles once no connection is open that has had a request. */
  waitForIdle(this: void): Promise<void>;
  /** Lets each answer that hangs go on, also one that will only in a moment, and each that drips send one line. */
  release(this: void): void;
  /** Throws unless every answer of the scripts was asked for, and none beyond. */
  assertComplete(this: void): void;
  /** Closes all connections; from then on they are refused. Closing it again does nothing. */
  close(this: void): Promise<void>;
}
