import type { ChatRequest } from "ollama/browser";
import { onAbort } from "../../async/on-abort.ts";
import { settleOrAbort } from "../../async/timeout.ts";
import type { ModelRequest, ModelResponse } from "../../core/language-model.ts";
import { ModelCalls } from "../../core/model-calls.ts";
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
  private readonly calls: ModelCalls;
  private largestContext = 0;
  private refusesThink = false;

  constructor(private readonly settings: OllamaSettings) {
    this.calls = new ModelCalls(settings, settings);
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
    return this.calls.run({ ...request, signal }, (attempt) => this.ask({ request: attempt, signal, facts }));
  }

  /** Asks once, or again if the server refused the option `think`. */
  private async ask(call: Call): Promise<ModelResponse> {
    const { settings, refusesThink } = this;
    const { facts, request } = call;
    const chat = toChatRequest(request, { settings, facts, refusesThink, largestContext: this.largestContext });
    this.largestContext = Math.max(this.largestContext, chat.options.num_ctx ?? 0);
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
    const parts = await client.chat(chat as ChatRequest & { stream: true });
    const response = await readAnswer(parts, { signal, onTextDelta: request.onTextDelta, fail });
    const { num_predict: room = 0 } = chat.options;
    return room < (request.maxOutputTokens ?? 0) ? { ...response, maxOutputTokens: room } : response;
  }
}

function isAboutThinking({ status, message }: ServerError): boolean {
  return status === 400 && /\bthink(?:ing)?\b/i.test(message);
}
