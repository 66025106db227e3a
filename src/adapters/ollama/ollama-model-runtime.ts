import { monotonicNow, sleep } from "../../async/clock.ts";
import { onAbort } from "../../async/on-abort.ts";
import { retryDelayMs, retryFailed } from "../../async/retry.ts";
import { settleOrAbort } from "../../async/timeout.ts";
import { isAgentError } from "../../core/errors.ts";
import type { ModelRequest, ModelResponse } from "../../core/language-model.ts";
import { modelFailure } from "../../core/model-failure.ts";
import { type OllamaChatRequest, toChatRequest } from "./chat-request.ts";
import { explainCut, explainServerError, ServerError } from "./explain-error.ts";
import { askModelFacts, isFinal, type ModelFacts, SharedLoad, unknownFacts } from "./model-facts.ts";
import type { OllamaSettings } from "./ollama-options.ts";
import { openClient } from "./open-client.ts";
import { answerLines, type FailAnswer, maxAnswerLength, readAnswer } from "./read-answer.ts";

/** What a call passes on. */
interface Call {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly facts: ModelFacts;
}

/**
 * Makes the calls to a model, and keeps what they have in common: what the model can do, and how large its context is.
 */
export class OllamaCaller {
  private readonly facts: SharedLoad<ModelFacts>;
  private largestContext = 0;
  private refusesThink = false;

  constructor(private readonly settings: OllamaSettings) {
    this.facts = new SharedLoad((signal) => askModelFacts(settings, signal));
  }

  /** See `LanguageModel.generate`. */
  async generate(request: ModelRequest): Promise<ModelResponse> {
    request.signal.throwIfAborted();
    const controller = new AbortController();
    const stopListening = onAbort(request.signal, () => controller.abort(request.signal.reason));
    try {
      return await settleOrAbort(this.answer(request, controller.signal), request.signal);
    } finally {
      stopListening();
      // Closes the connection of an answer that was not read to its end.
      controller.abort();
    }
  }

  private async answer(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
    const facts = await this.facts.get(signal).catch((thrown: unknown) => {
      signal.throwIfAborted();
      if (isFinal(thrown)) throw thrown;
      return unknownFacts(this.settings.modelId);
    });
    return repeatCall(() => this.ask({ request, signal, facts }), this.settings, signal);
  }

  /** Asks once, or again if the server refused the option `think`. */
  private async ask(call: Call): Promise<ModelResponse> {
    const { settings, refusesThink } = this;
    const { facts, request } = call;
    const chat = toChatRequest(request, { settings, facts, refusesThink, largestContext: this.largestContext });
    this.largestContext = Math.max(this.largestContext, chat.options.num_ctx);
    try {
      return await this.send(chat, call);
    } catch (thrown) {
      call.signal.throwIfAborted();
      if (!(thrown instanceof ServerError)) throw thrown;
      if (chat.think === undefined || !isAboutThinking(thrown)) {
        throw explainServerError(settings, thrown, { hasFormat: chat.format !== undefined });
      }
      this.refusesThink = true;
      return this.ask(call);
    }
  }

  private async send(chat: OllamaChatRequest, { request, signal }: Call): Promise<ModelResponse> {
    const fail: FailAnswer = (reason, message) => {
      return modelFailure(this.settings, reason, { message: `${message} (${this.settings.host}).` });
    };
    const client = await openClient(this.settings, {
      signal,
      readBody: (body) =>
        answerLines(body, {
          signal,
          maxLength: 2 * maxAnswerLength,
          fail,
          explainCut: (thrown) => explainCut(this.settings, thrown),
        }),
    });
    const parts = await client.chat(chat);
    const response = await readAnswer(parts, { signal, onTextDelta: request.onTextDelta, fail });
    const { num_predict: room = 0 } = chat.options;
    return room < (request.maxOutputTokens ?? 0) ? { ...response, maxOutputTokens: room } : response;
  }
}

function isAboutThinking({ status, message }: ServerError): boolean {
  return status === 400 && /\bthink(?:ing)?\b/i.test(message);
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly thrown: unknown };

/**
 * Retries a call while the server is too busy, and once after its runner crashed. Waits as long as the server asks for,
 * or gives up if that is longer than `maxDelayMs`.
 */
export async function repeatCall<T>(
  call: () => Promise<T>,
  { retry, clock, random }: OllamaSettings,
  signal: AbortSignal,
): Promise<T> {
  const latestStartMs = monotonicNow(clock) + retry.maxTotalMs;
  let hasCrashed = false;
  const attempt = (): Promise<Attempt<T>> =>
    call().then(
      (value) => ({ ok: true, value }),
      (thrown: unknown) => ({ ok: false, thrown }),
    );
  const shouldRetry = async (failure: Attempt<T>, number: number): Promise<boolean> => {
    const kind = failure.ok ? undefined : retryKind(failure.thrown);
    if (failure.ok || kind === undefined || (kind === "crash" && hasCrashed)) return false;
    hasCrashed ||= kind === "crash";
    const delayMs = Math.max(retryDelayMs(retry, number, random), askedDelayMs(failure.thrown, clock.now()));
    if (delayMs > retry.maxDelayMs || monotonicNow(clock) + delayMs > latestStartMs) return false;
    return sleep(delayMs, { clock, signal });
  };
  const first = await attempt();
  const last = first.ok
    ? first
    : await retryFailed(first as Attempt<T>, {
        maxAttempts: retry.maxAttempts,
        isFailure: ({ ok }) => !ok,
        shouldRetry,
        attempt,
      });
  if (!last.ok) throw last.thrown;
  return last.value;
}

function retryKind(thrown: unknown): "busy" | "crash" | undefined {
  if (!isAgentError(thrown, "model-failed")) return undefined;
  if (thrown.details.reason === "busy") return "busy";
  const { cause } = thrown;
  return cause instanceof ServerError && cause.message.includes("unexpectedly stopped") ? "crash" : undefined;
}

function askedDelayMs(thrown: unknown, nowMs: number): number {
  const { cause } = thrown as { cause?: unknown };
  return (cause instanceof ServerError ? cause.retryAfterMs(nowMs) : undefined) ?? 0;
}
