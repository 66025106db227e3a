import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { countPending } from "../async/promises.ts";
import type { JsonValue } from "../core/json.ts";
import { failOption, type OptionTable, readOptions } from "../core/option-tables.ts";
import { describeThrown } from "../core/text.ts";
import { checkReply, countAnswers, type ScriptedReply, type ScriptedText } from "./scripted-model.ts";

/** Content of a chat request. @inline */
export interface FakeOllamaChat {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream?: boolean;
  readonly format?: JsonValue;
  readonly logprobs?: boolean;
  readonly [field: string]: unknown;
}

/**
 * A scripted model's reply, or an error with a status, such as `{ status: 503, error: "server busy" }`; an `Error` has
 * status 500. A reply is streamed as its `deltas`, or token by token if the request asks for its `logprobs`.
 * @inline
 */
export type FakeOllamaReply = ScriptedReply | { readonly status: number; readonly error: string };

/** Answer of {@link startFakeOllama}: a reply, or a function of the request that returns one. @group Models */
export type FakeOllamaAnswer = FakeOllamaReply | ((chat: FakeOllamaChat) => FakeOllamaReply | Promise<FakeOllamaReply>);

/** Options of {@link startFakeOllama}. @inline */
export interface FakeOllamaOptions {
  /** Names of the models; without a tag, the tag is `latest`. Requests for other models get 404. @default any name */
  models?: readonly string[] | undefined;
  /** Capabilities in `/api/show`, such as `thinking`. @default completion and tools */
  capabilities?: readonly string[] | undefined;
}

/** Server with Ollama's API and scripted answers. @group Models */
export interface FakeOllama {
  /** Address of the server, such as `http://127.0.0.1:40123`: the `host` of a client. */
  readonly host: string;
  /** Chat requests, including those without an answer. */
  readonly chats: readonly FakeOllamaChat[];
  /** Throws unless there were exactly as many chat requests as answers. */
  assertComplete(this: void): void;
  /** Closes all connections and refuses new ones. */
  close(this: void): Promise<void>;
}

const isNames = (value: unknown) =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "");
const names = { isValid: isNames, expected: "a list of names" } as const;
const fakeOptions = {
  models: names,
  capabilities: { ...names, default: ["completion", "tools"] },
} satisfies OptionTable<FakeOllamaOptions>;

/**
 * Starts a server with Ollama's API on a free port of this machine, for `createOllamaModel` or another client. It
 * serves `/api/chat`, streamed or not, from the script, and `/api/show`, `/api/tags` and `/api/version`. A request
 * beyond the last answer, or whose function throws, is answered with status 500. Throws `invalid-options`.
 * {@includeCode ../../examples/22-fake-models.ts} @group Models
 */
export async function startFakeOllama(
  answers: readonly FakeOllamaAnswer[],
  options: FakeOllamaOptions = {},
): Promise<FakeOllama> {
  const { models, capabilities } = readOptions(fakeOptions, options);
  if (!Array.isArray(answers)) failOption("answers", answers, "an array of answers");
  answers.forEach((answer: unknown, index) => {
    if (typeof answer !== "function") toReply(`answers[${index}]`, answer);
  });
  const chats: FakeOllamaChat[] = [];
  const chatWith = async (chat: FakeOllamaChat): Promise<FakeResponse> => {
    // A client that loads the model sends no messages.
    if (!chat.messages?.length) return jsonOf({ model: chat.model, done: true, done_reason: "load" });
    const index = chats.push(chat) - 1;
    const answer = answers[index];
    if (answer === undefined) return jsonOf({ error: describeScript(answers, chats) }, 500);
    try {
      const reply = toReply(`answers[${index}]`, typeof answer === "function" ? await answer(chat) : answer);
      if ("hangs" in reply) return {};
      if ("status" in reply) return jsonOf({ error: reply.error }, reply.status);
      const lines = linesOf(reply, chat).map((line) => `${JSON.stringify(line)}\n`);
      return { type: lines.length > 1 ? "application/x-ndjson" : jsonType, text: lines.join("") };
    } catch (thrown) {
      return jsonOf({ error: `The script threw: ${describeThrown(thrown)}` }, 500);
    }
  };
  const post = async (path: string, body: Record<string, unknown>): Promise<FakeResponse> => {
    const { model } = body;
    if (path !== "/api/chat" && path !== "/api/show") return { status: 404, text: "404 page not found" };
    if (typeof model !== "string") return jsonOf({ error: "model is required" }, 400);
    if (models?.some((each) => withTag(each) === withTag(model)) === false)
      return jsonOf({ error: `model '${model}' not found` }, 404);
    if (path === "/api/chat") return chatWith(body as FakeOllamaChat);
    const info = { "general.architecture": "fake", "fake.context_length": 32_768 };
    return jsonOf({ details: { family: "fake" }, model_info: info, capabilities });
  };
  const pages: Readonly<Record<string, FakeResponse>> = {
    "/": { text: "Ollama is running" },
    "/api/version": jsonOf({ version: "0.0.0" }),
    "/api/tags": jsonOf({ models: models?.map(withTag).map((name) => ({ name, model: name })) ?? [] }),
  };
  const { createServer } = await countPending(import("node:http"));
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const { url = "" } = request;
    const { status = 200, type = "text/plain", text } = pages[url] ?? (await post(url, body));
    if (text !== undefined) response.writeHead(status, { "content-type": type }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chats,
    assertComplete() {
      if (chats.length !== answers.length) throw new Error(describeScript(answers, chats));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface FakeResponse {
  readonly status?: number;
  readonly type?: string;
  readonly text?: string;
}

const jsonType = "application/json; charset=utf-8";

function jsonOf(value: object, status = 200): FakeResponse {
  return { status, type: jsonType, text: JSON.stringify(value) };
}

function linesOf(
  reply: ScriptedText,
  { model, messages, stream, logprobs: isAsked }: FakeOllamaChat,
): readonly object[] {
  const { text, reasoning, finishReason = "stop", usage = {}, logprobs = [], deltas = [text] } = reply;
  const line = (message: object, others: object = { done: false }) => {
    const spoken = { role: "assistant", content: "", ...message };
    return { model, created_at: "2026-01-01T00:00:00Z", message: spoken, ...others };
  };
  const prompt = messages.map(({ content }) => content).join(" ");
  const end = {
    done: true,
    done_reason: finishReason,
    prompt_eval_count: usage.inputTokens ?? Math.ceil(prompt.length / 4),
    eval_count: usage.outputTokens ?? Math.ceil(text.length / 4),
  };
  const hasTokens = isAsked === true && logprobs.length > 0;
  if (stream === false)
    return [line({ thinking: reasoning, content: text }, { ...(hasTokens && { logprobs }), ...end })];
  const pieces = hasTokens
    ? logprobs.map((token) => line({ content: token.token }, { logprobs: [token], done: false }))
    : deltas.map((content) => line({ content }));
  return [...(reasoning === undefined ? [] : [line({ thinking: reasoning })]), ...pieces, line({}, end)];
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  try {
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function withTag(name: string): string {
  return name.includes(":") ? name : `${name}:latest`;
}

function describeScript(answers: readonly unknown[], { length }: readonly unknown[]): string {
  return `The script has ${countAnswers(answers.length)}; received ${length} ${length === 1 ? "request" : "requests"}.`;
}

function toReply(place: string, reply: unknown): Exclude<FakeOllamaReply, string | Error> {
  const { status, error } = Object(reply);
  if (Number.isInteger(status) && typeof error === "string") return { status, error };
  checkReply(place, reply);
  if (reply instanceof Error) return { status: 500, error: reply.message };
  return typeof reply === "string" ? { text: reply } : reply;
}
