import type { TokenLogprob } from "../../src/core/language-model.ts";
import { cutText } from "../../src/core/text.ts";
import type {
  FakeOllamaAnswer,
  FakeOllamaFault,
  FakeOllamaServerFault,
  FakeOllamaShowAnswer,
  FakeOllamaStreamFault,
  FakeOllamaText,
  FakeOllamaTextFault,
} from "./fake-ollama-answer.ts";
import type { FakeOllamaChat } from "./fake-ollama-options.ts";
import { errorReply, type FakeReply, jsonReply, linesReply, textReply } from "./fake-reply.ts";

const defaultText = '{"answer":"Grüße von einem falschen Ollama 🦙"}';
const linesBeforeFault = 3;
const largeLength = 2_000_000;

/** Turns a scripted answer into a reply. */
export function replyToChat(answer: FakeOllamaAnswer, options: ChatLinesOptions): FakeReply {
  if ("error" in answer) return errorReply(answer);
  if ("body" in answer) return bodyReply(answer);
  if (!("fault" in answer)) return wholeReply(answer, options);
  const { fault } = answer;
  const whole: FakeOllamaText = { text: answer.text ?? defaultText, thinking: answer.thinking };
  if (isOneOf(textFaults, fault)) return wholeReply(textFaults[fault](whole), options);
  if (isOneOf(serverFaults, fault)) return serverReply(fault, options.chat.model, () => wholeReply(whole, options));
  return streamReply(fault, whole, options);
}

/** Turns a scripted answer to `/api/show` into a reply. */
export function replyToShow(answer: FakeOllamaShowAnswer, model: string, truth: () => FakeReply): FakeReply {
  if ("error" in answer) return errorReply(answer);
  return "body" in answer ? bodyReply(answer) : serverReply(answer.fault, model, truth);
}

function bodyReply({ body, status, headers }: Extract<FakeOllamaAnswer, { body: string }>): FakeReply {
  return textReply(body, { status: status ?? 200, headers: { "content-type": "application/x-ndjson", ...headers } });
}

function wholeReply(answer: FakeOllamaText, options: ChatLinesOptions): FakeReply {
  if (options.chat.stream === false) return jsonReply(chatObject(answer, { ...options, isDone: true }));
  return linesReply(chatLines(answer, options));
}

const textFaults: Readonly<Record<FakeOllamaTextFault, (whole: FakeOllamaText) => FakeOllamaText>> = {
  fence: (whole) => ({ ...whole, text: `\`\`\`json\n${whole.text}\n\`\`\`` }),
  prose: (whole) => ({ ...whole, text: `Sure! Here it is:\n\n${whole.text}\n\nLet me know if that helps.` }),
  "think-tag": (whole) => ({ ...whole, text: `<think>\nLet me think {about} it.\n</think>\n\n${whole.text}` }),
  "thinking-only": ({ text }) => ({ text: "", thinking: text }),
  empty: (whole) => ({ ...whole, text: "" }),
  "two-objects": (whole) => ({ ...whole, text: `${whole.text}\n${whole.text}` }),
  refusal: (whole) => ({ ...whole, text: "I'm sorry, but I can't help with that." }),
  "cut-short": (whole) => ({ ...whole, text: firstHalf(whole.text), doneReason: "length" }),
  "white-space": (whole) => ({ ...whole, text: " \n".repeat(15), doneReason: "length" }),
  large: (whole) => ({ ...whole, text: whole.text.padEnd(largeLength, " and so on") }),
};

function firstHalf(text: string): string {
  return cutText(text, Math.ceil(text.length / 2), "");
}

const serverFaults: Readonly<Record<FakeOllamaServerFault, (model: string) => FakeReply | "hang">> = {
  hang: () => "hang",
  "cut-at-once": () => ({ status: 200, headers: {}, parts: [], cut: "at-once" }),
  busy: () => error(503, "server busy, please try again.  maximum pending requests exceeded"),
  crash: () =>
    error(
      500,
      "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details",
    ),
  "format-rejected": () => error(500, "failed to parse grammar"),
  "thinking-unsupported": (model) => error(400, `${JSON.stringify(model)} does not support thinking`),
  "prompt-too-long": () => error(400, "the request exceeds the available context size, try increasing it"),
  "unknown-model": (model) => error(404, `model '${model}' not found`),
  unauthorized: () => error(401, "unauthorized"),
  html: () => textReply(badGatewayPage, { status: 502, headers: { "content-type": "text/html" } }),
};

const badGatewayPage = `<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body>
</html>
`;

function error(status: number, text: string): FakeReply {
  return errorReply({ status, error: text });
}

function serverReply(fault: FakeOllamaServerFault, model: string, truth: () => FakeReply): FakeReply {
  const reply = serverFaults[fault](model);
  return reply === "hang" ? { ...truth(), holdsBefore: "headers" } : reply;
}

function streamReply(fault: FakeOllamaStreamFault, whole: FakeOllamaText, options: ChatLinesOptions): FakeReply {
  const reply = wholeReply(whole, options);
  switch (fault) {
    case "one-byte-chunks":
      return { ...reply, parts: reply.parts.flatMap((part) => Array.from(part, (byte) => Uint8Array.of(byte))) };
    case "no-metrics":
      return wholeReply(whole, { ...options, hasMetrics: false });
    case "extra-fields":
      return wholeReply(whole, { ...options, extra: { remote_model: "x", shiny: { new: [1, null] } } });
    case "silent-end":
      if (options.chat.stream === false) return jsonReply(chatObject(whole, { ...options, isDone: false }));
      return { ...reply, parts: reply.parts.slice(0, -1) };
    default:
      return options.chat.stream === false ? stoppedAtOnce(fault, reply) : stoppedMidStream(fault, reply);
  }
}

type StoppingFault = Exclude<FakeOllamaStreamFault, "one-byte-chunks" | "no-metrics" | "extra-fields" | "silent-end">;

const midStreamError = "an error was encountered while running the model: unexpected EOF";

function stoppedMidStream(fault: StoppingFault, reply: FakeReply): FakeReply {
  // At least the last line comes after the fault.
  const before = Math.min(linesBeforeFault, reply.parts.length - 1);
  const start = reply.parts.slice(0, before);
  switch (fault) {
    case "error-mid-stream":
      return { ...reply, parts: [...start, ...linesReply([{ error: midStreamError }]).parts] };
    case "cut":
      return { ...reply, parts: start, cut: "after-parts" };
    case "hang-mid-stream":
      return { ...reply, holdsBefore: before };
    case "drip":
      return { ...reply, holdsBefore: "each" };
  }
}

/** Without a stream nothing is sent before the answer is complete. */
function stoppedAtOnce(fault: StoppingFault, reply: FakeReply): FakeReply {
  if (fault === "error-mid-stream") return error(500, midStreamError);
  return fault === "cut" ? { ...reply, cut: "at-once" } : { ...reply, holdsBefore: "headers" };
}

function isOneOf<TName extends string>(
  faults: Readonly<Record<TName, unknown>>,
  fault: FakeOllamaFault["fault"],
): fault is Extract<FakeOllamaFault["fault"], TName> {
  return fault in faults;
}

/** How an answer is written. */
interface ChatLinesOptions {
  readonly chat: FakeOllamaChat;
  readonly nowMs: number;
  /** Fields of each line that no client knows. */
  readonly extra?: object | undefined;
  readonly hasMetrics?: boolean | undefined;
}

const durationOfTokenNs = 1_000_000;
const mostLines = 500;

/** The objects of a streamed answer: its thinking, its text, and the last one, which states that it is done. */
function chatLines(answer: FakeOllamaText, options: ChatLinesOptions): readonly object[] {
  const { thinking = "" } = answer;
  const line = (message: object, told: TokenLogprob) => {
    const fields = { ...head(options), message: { role: "assistant", ...message }, done: false };
    return { ...fields, ...logprobsField(answer, options, [told]) };
  };
  return [
    ...tokensOf(thinking).map((told) => line({ content: "", thinking: told.token }, told)),
    ...tokensOf(answer.text, answer.logprobs).map((told) => line({ content: told.token }, told)),
    { ...head(options), message: { role: "assistant", content: "" }, ...end(answer, options) },
  ];
}

/** The one object of an answer that is not streamed. */
function chatObject(answer: FakeOllamaText, options: ChatLinesOptions & { isDone: boolean }): object {
  const { thinking, text } = answer;
  const message = { role: "assistant", content: text, ...(thinking && { thinking }) };
  const told = logprobsField(answer, options, [...tokensOf(thinking ?? ""), ...tokensOf(text, answer.logprobs)]);
  return { ...head(options), message, ...told, ...(options.isDone ? end(answer, options) : { done: false }) };
}

/** Ollama tells those of the thinking, too. */
function logprobsField(
  { logprobs }: FakeOllamaText,
  { chat }: ChatLinesOptions,
  told: readonly TokenLogprob[],
): object {
  if (!chat.logprobs || logprobs === false) return {};
  return { logprobs: told.map((item) => ({ ...item, bytes: [...new TextEncoder().encode(item.token)] })) };
}

function tokensOf(text: string, logprobs?: FakeOllamaText["logprobs"]): readonly TokenLogprob[] {
  if (!logprobs) return pieces(text).map((token) => ({ token, logprob: -0.01 }));
  if (logprobs.map(({ token }) => token).join("") === text) return logprobs;
  throw new Error('The tokens of "logprobs" must be the pieces of "text".');
}

/** Ollama's answer to a chat without messages, which loads or unloads a model. */
export function loadObject(options: ChatLinesOptions): object {
  const { keep_alive: keepAlive } = options.chat;
  const reason = keepAlive === 0 || keepAlive === "0" ? "unload" : "load";
  return { ...head(options), message: { role: "assistant", content: "" }, done: true, done_reason: reason };
}

function head({ chat, nowMs, extra }: ChatLinesOptions): object {
  const createdAt = new Date(nowMs).toISOString().replace("Z", "000000Z");
  return { model: chat.model, created_at: createdAt, ...extra };
}

function end(answer: FakeOllamaText, { chat, hasMetrics = true }: ChatLinesOptions): object {
  const { doneReason = "stop", text, thinking = "" } = answer;
  const { inputTokens = guessTokens(chat.messages.map(({ content }) => content).join(" ")) } = answer;
  const { outputTokens = guessTokens(thinking + text) } = answer;
  return {
    done: true,
    ...(doneReason !== null && { done_reason: doneReason }),
    ...(hasMetrics && metrics(inputTokens, outputTokens)),
  };
}

/** In nanoseconds; fields that are 0 are left out. */
function metrics(inputTokens: number, outputTokens: number): object {
  const all = {
    total_duration: (inputTokens + outputTokens + 1) * durationOfTokenNs,
    load_duration: durationOfTokenNs,
    prompt_eval_count: inputTokens,
    prompt_eval_duration: inputTokens * durationOfTokenNs,
    eval_count: outputTokens,
    eval_duration: outputTokens * durationOfTokenNs,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 0));
}

function guessTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Splits a text into pieces of the size of tokens, or larger ones if it is long; no character is cut. */
function pieces(text: string): readonly string[] {
  const length = Math.max(4, Math.ceil(text.length / mostLines));
  return text.match(new RegExp(`[\\s\\S]{1,${length}}`, "gu")) ?? [];
}
