import type { FakeOllamaText } from "./fake-ollama-answer.ts";
import type { FakeOllamaChat } from "./fake-ollama-request.ts";

/** How an answer is written. */
export interface ChatLinesOptions {
  readonly chat: FakeOllamaChat;
  readonly nowMs: number;
  /** Fields of each line that no client knows. */
  readonly extra?: object | undefined;
  readonly hasMetrics?: boolean | undefined;
}

const durationOfTokenNs = 1_000_000;
const mostLines = 500;

/** The objects of a streamed answer: its thinking, its text, and the last one, which states that it is done. */
export function chatLines(answer: FakeOllamaText, options: ChatLinesOptions): readonly object[] {
  const { thinking = "", text } = answer;
  const line = (message: object) => ({ ...head(options), message: { role: "assistant", ...message }, done: false });
  return [
    ...pieces(thinking).map((piece) => line({ content: "", thinking: piece })),
    ...pieces(text).map((piece) => line({ content: piece })),
    { ...head(options), message: { role: "assistant", content: "" }, ...end(answer, options) },
  ];
}

/** The one object of an answer that is not streamed. */
export function chatObject(answer: FakeOllamaText, options: ChatLinesOptions & { isDone: boolean }): object {
  const { thinking, text } = answer;
  const message = { role: "assistant", content: text, ...(thinking && { thinking }) };
  return { ...head(options), message, ...(options.isDone ? end(answer, options) : { done: false }) };
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
