import type { ChatRequest } from "ollama/browser";
import { onAbort } from "../../async/abort.ts";
import { settleOrAbort } from "../../async/promises.ts";
import { type ModelRequest, type ModelResponse, type ModelTokens, maxAnswerLength } from "../../core/language-model.ts";
import { ModelCalls } from "../../core/model-calls.ts";
import { answerTooLong, modelFailure } from "../../core/model-failure.ts";
import { type OllamaChatRequest, toChatRequest } from "./chat-request.ts";
import { explainCut, explainServerError, ServerError } from "./explain-error.ts";
import { askModelFacts, isFinal, type ModelFacts, SharedLoad, unknownFacts } from "./model-facts.ts";
import type { OllamaSettings } from "./ollama-options.ts";
import { openClient } from "./open-client.ts";
import { answerLines, type FailAnswer, readAnswer } from "./read-answer.ts";

/** What a call passes on. */
interface Call {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly facts: ModelFacts;
}

/** As long as the prompt of a few tools. */
const usualPrompt = "x".repeat(4_500);

/**
 * Makes the calls to a model, and keeps what they have in common: what the model can do, and how large its context is.
 */
export class OllamaCaller {
  private readonly facts: SharedLoad<ModelFacts>;
  private readonly calls: ModelCalls;
  private largestContext = 0;
  private refusesThink = false;
  /** Whether the server was seen to ignore the format while the model may not think. */
  private mustThink = false;

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
    const facts = await this.knownFacts(signal);
    return this.calls.run({ ...request, signal }, (attempt) => this.ask({ request: attempt, signal, facts }));
  }

  /** See `LanguageModel.getContextTokens`. */
  async contextTokens(signal: AbortSignal): Promise<number | undefined> {
    const { contextLength } = await this.knownFacts(signal).catch(() => {
      // The first request reports it.
      signal.throwIfAborted();
      return unknownFacts(this.settings.modelId);
    });
    const { contextTokens } = this.settings;
    if (typeof contextTokens !== "number") return contextLength;
    return Math.min(contextTokens, contextLength ?? contextTokens);
  }

  /** See `OllamaModel.preload`. */
  async preload(signal: AbortSignal): Promise<void> {
    const facts = await this.facts.get(signal);
    // As for a prompt of usual size, as the server loads the model again for another context.
    const { think: _, ...chat } = this.toChat({ messages: [{ role: "user", content: usualPrompt }], signal }, facts);
    try {
      const client = await openClient(this.settings, { signal });
      await client.chat({ ...chat, messages: [], stream: false });
    } catch (thrown) {
      signal.throwIfAborted();
      throw thrown instanceof ServerError ? explainServerError(this.settings, thrown, { hasFormat: false }) : thrown;
    }
  }

  /** Rejects if a call cannot continue. */
  private knownFacts(signal: AbortSignal): Promise<ModelFacts> {
    return this.facts.get(signal).catch((thrown: unknown) => {
      signal.throwIfAborted();
      if (isFinal(thrown)) throw thrown;
      return unknownFacts(this.settings.modelId);
    });
  }

  private toChat(request: ModelRequest, facts: ModelFacts): OllamaChatRequest {
    const { settings, refusesThink, mustThink, largestContext } = this;
    const chat = toChatRequest(request, { settings, facts, refusesThink, mustThink, largestContext });
    this.largestContext = Math.max(largestContext, chat.options.num_ctx ?? 0);
    return chat;
  }

  /**
   * Asks once, or again if the server refused the option `think`, or ignored the format: some versions hold it only
   * while a model thinks (ollama/ollama#14645).
   */
  private async ask(call: Call): Promise<ModelResponse> {
    const { settings } = this;
    const chat = this.toChat(call.request, call.facts);
    try {
      const response = await this.send(chat, call);
      const mayThink = settings.think === undefined && call.facts.canThink === true;
      if (!mayThink || !ignoresFormat(chat, response)) return response;
      this.mustThink = true;
      return withUsage(await this.ask(call), response.usage);
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
    const tooLong = () => answerTooLong(this.settings);
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
    const response = await readAnswer(parts, { signal, onTextDelta: request.onTextDelta, fail, tooLong });
    const { num_predict: room = 0 } = chat.options;
    return room < (request.maxOutputTokens ?? 0) ? { ...response, maxOutputTokens: room } : response;
  }
}

/** Whether a model that can think, and was told not to, has written nothing like JSON. */
function ignoresFormat(
  { format, think }: OllamaChatRequest,
  { text, finishReason }: Pick<ModelResponse, "text" | "finishReason">,
): boolean {
  return format !== undefined && think === false && finishReason === "stop" && text.trim() !== "" && !/[{[]/.test(text);
}

/** An answer with what an earlier one used, too. */
function withUsage(response: ModelResponse, { inputTokens = 0, outputTokens = 0 }: ModelTokens): ModelResponse {
  const { usage } = response;
  return {
    ...response,
    usage: {
      ...usage,
      ...(usage.inputTokens !== undefined && { inputTokens: usage.inputTokens + inputTokens }),
      ...(usage.outputTokens !== undefined && { outputTokens: usage.outputTokens + outputTokens }),
    },
  };
}

function isAboutThinking({ status, message }: ServerError): boolean {
  return status === 400 && /\bthink(?:ing)?\b/i.test(message);
}
