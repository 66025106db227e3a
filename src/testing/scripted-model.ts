import { settleOrAbort } from "../async/promises.ts";
import {
  type LanguageModel,
  type ModelFinishReason,
  type ModelPrice,
  type ModelRequest,
  type ModelResponse,
  type ModelTokens,
  modelName,
  type TokenLogprob,
} from "../core/language-model.ts";
import { checkOption, failOption } from "../core/option-tables.ts";
import { cutText } from "../core/text.ts";

/** Answer of a scripted model; mere text is short for `{ text }`. @inline */
export interface ScriptedText {
  readonly text: string;
  readonly reasoning?: string | undefined;
  /** Reason why the answer ended. @default stop */
  readonly finishReason?: ModelFinishReason | undefined;
  /** Tokens that the answer used. @default none; the caller estimates them */
  readonly usage?: ModelTokens | undefined;
  /** Log probabilities of the tokens, for a request with `logprobs`. @default none */
  readonly logprobs?: readonly TokenLogprob[] | undefined;
  /** Pieces of the text that `onTextDelta` receives. @default the whole text */
  readonly deltas?: readonly string[] | undefined;
}

/** Reply of a scripted model: it answers, throws, or hangs until its signal aborts. @inline */
export type ScriptedReply = string | ScriptedText | Error | { readonly hangs: "until-aborted" };

/** Answer of {@link createScriptedModel}: a reply, or a function of the request that returns one. @group Models */
export type ScriptedAnswer = ScriptedReply | ((request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>);

/** Options of {@link createScriptedModel}. @inline */
export interface ScriptedModelOptions {
  /** Name of the provider. @default scripted */
  provider?: string | undefined;
  /** Name of the model. @default script */
  modelId?: string | undefined;
  /** Price of the model's tokens. @default none */
  price?: ModelPrice | undefined;
  /** Size of the model's context, in tokens. @default unknown */
  contextTokens?: number | undefined;
}

/** Model with scripted answers that records its requests. @group Models */
export interface ScriptedModel extends LanguageModel {
  /** Requests, including those without an answer. */
  readonly requests: readonly ModelRequest[];
  /** Throws unless there were exactly as many requests as answers. */
  assertComplete(this: void): void;
}

const expectedReply = 'text, { text }, an Error or { hangs: "until-aborted" }';

/**
 * Creates a model. Each request takes the next answer, even if it is aborted. Requests beyond the last answer throw.
 * {@includeCode ../../examples/12-plan-with-a-model.ts} @group Models
 */
export function createScriptedModel(
  answers: readonly ScriptedAnswer[],
  { provider = "scripted", modelId = "script", price, contextTokens }: ScriptedModelOptions = {},
): ScriptedModel {
  if (!Array.isArray(answers))
    failOption("answers", answers, `an array of replies (${expectedReply}) and functions that return a reply`);
  answers.forEach((answer: unknown, index) => {
    if (typeof answer !== "function") checkReply(`answers[${index}]`, answer);
  });
  const requests: ModelRequest[] = [];
  const name = modelName({ provider, modelId });
  return {
    provider,
    modelId,
    ...(price && { price }),
    ...(contextTokens !== undefined && { getContextTokens: async () => contextTokens }),
    requests,
    async generate(request) {
      checkOption({ type: "function" }, request.onTextDelta, "request.onTextDelta");
      const index = requests.length;
      requests.push(request);
      const answer = answers[index];
      if (answer === undefined) throw new Error(tooManyRequests(name, answers.length, requests));
      return settleOrAbort(replyTo(request, answer, `answers[${index}]`), request.signal);
    },
    assertComplete() {
      const left = answers.length - requests.length;
      if (left < 0) throw new Error(tooManyRequests(name, answers.length, requests));
      if (left === 0) return;
      throw new Error(
        `The script of ${name} has ${countAnswers(answers.length)}; ${left} of them ${left === 1 ? "was" : "were"} not requested.`,
      );
    },
  };
}

async function replyTo(request: ModelRequest, answer: ScriptedAnswer, place: string): Promise<ModelResponse> {
  const reply = typeof answer === "function" ? await answer(request) : answer;
  checkReply(place, reply);
  if (reply instanceof Error) throw reply;
  if (typeof reply === "object" && "hangs" in reply) return new Promise(() => {});
  const said: ScriptedText = typeof reply === "string" ? { text: reply } : reply;
  const { text, reasoning, finishReason = "stop", usage = {}, logprobs, deltas = text === "" ? [] : [text] } = said;
  for (const delta of deltas) {
    // The caller aborts once it has received enough.
    if (request.signal.aborted) break;
    request.onTextDelta?.(delta);
  }
  const likelihood = request.logprobs && logprobs && { logprobs };
  return { text, ...(reasoning !== undefined && { reasoning }), finishReason, usage, ...likelihood };
}

export function checkReply(place: string, reply: unknown): asserts reply is ScriptedReply {
  if (typeof reply === "string" || reply instanceof Error) return;
  if (typeof reply !== "object" || reply === null) failOption(place, reply, expectedReply);
  if ("hangs" in reply) {
    if (reply.hangs !== "until-aborted") failOption(`${place}.hangs`, reply.hangs, '"until-aborted"', true);
    return;
  }
  const { text, deltas } = reply as { text?: unknown; deltas?: unknown };
  if (typeof text !== "string") failOption(`${place}.text`, text, "text");
  if (deltas === undefined) return;
  if (!Array.isArray(deltas) || deltas.join("") !== text)
    failOption(`${place}.deltas`, deltas, 'an array of the pieces of "text"');
}

function tooManyRequests(name: string, answers: number, requests: readonly ModelRequest[]): string {
  const text = requests.at(-1)?.messages.at(-1)?.content ?? "";
  const asked = JSON.stringify(cutText(text, 201));
  return `The script of ${name} has ${countAnswers(answers)}; this is request ${requests.length}, whose last message is ${asked}.`;
}

export function countAnswers(answers: number): string {
  return answers === 1 ? "1 answer" : `${answers} answers`;
}
