import { isAgentError } from "../core/errors.ts";
import { type LanguageModel, type ModelRequest, type ModelResponse, modelName } from "../core/language-model.ts";
import { modelFailure } from "../core/model-failure.ts";
import { checkKeys, checkObject, failOption } from "../core/options.ts";
import { describeMiss, describeQuestion } from "./describe-miss.ts";
import { type RecordedCall, type RecordedRequest, type Recording, requestKey } from "./recording.ts";
import { howToRecord, RecordingWriter, readRecording } from "./recording-file.ts";

/** Options of {@link createRecordedModel}. */
export interface RecordedModelOptions {
  /** The file of the recording, as JSON; each model has a file of its own. */
  path: string;
  /**
   * `record` asks the model, and writes what it answers: the file begins again with the first call. `replay` answers from the
   * file. @default replay
   */
  mode?: "record" | "replay" | undefined;
  /** Whom to ask while recording. In a replay it is never asked; the recording has to be one of this model, then. */
  model?: LanguageModel | undefined;
}

/** A model whose calls are recorded, or answered from a recording. */
export interface RecordedModel extends LanguageModel {
  /** Throws unless each recorded call was asked for, and no other; while recording it never throws. */
  assertComplete(this: void): void;
}

/**
 * A {@link RecordedModel}, of the name and price of the model that was recorded.
 *
 * In a replay, a call is answered if one with the same messages, response format, `maxOutputTokens` and `temperature` is
 * recorded; the same call, asked again, is answered in the order of the recording, and as often. For any other it throws an
 * error that is no `model-failed`, so that nobody takes it for a failure of the model. Prompts have the day in them: give the
 * agent a clock that stands still. What failed with `model-failed` fails so again; other errors, and calls that were aborted,
 * are not recorded. A recorded answer is told to `onTextDelta` whole.
 *
 * A recording has the texts of messages and answers, and nothing of headers and keys. Throws if there is none to replay, or
 * none that can be read.
 */
export function createRecordedModel(options: RecordedModelOptions): RecordedModel {
  checkKeys("options", options, ["path", "mode", "model"]);
  const { path, mode = "replay", model } = options;
  if (typeof path !== "string" || path === "") failOption("options.path", path, "the path of a file");
  if (mode !== "record" && mode !== "replay") failOption("options.mode", mode, '"record" or "replay"');
  if (model !== undefined) {
    checkObject("options.model", model);
    if (typeof model.generate !== "function") failOption("options.model.generate", model.generate, "a function");
  }
  if (mode === "replay") return replay(path, model);
  if (model === undefined) failOption("options.model", model, "the model to record, as the mode is record");
  return record(path, model);
}

function record(path: string, model: LanguageModel): RecordedModel {
  const { provider, modelId, price } = model;
  const writer = new RecordingWriter(path);
  // In the order in which they were asked, whichever is answered first: so the file is the same each time.
  const calls: (RecordedCall | undefined)[] = [];
  const current = (): Recording => ({ model, calls: calls.filter((call) => call !== undefined) });
  return {
    provider,
    modelId,
    ...(price && { price }),
    async generate(request) {
      const index = calls.push(undefined) - 1;
      // A copy, as whoever asks may go on to change what it has asked.
      const asked = structuredClone(pickRequest(request));
      const { outcome, settle } = await ask(model, request);
      if (outcome !== undefined) {
        calls[index] = { request: asked, outcome };
        await writer.write(current);
      }
      return settle();
    },
    assertComplete() {},
  };
}

/** What to record of a call, if anything, and how it ends for whoever made it. */
async function ask(
  model: LanguageModel,
  request: ModelRequest,
): Promise<{ outcome: RecordedCall["outcome"] | undefined; settle: () => ModelResponse }> {
  try {
    const response = await model.generate(request);
    return { outcome: { type: "response", response: pickResponse(response) }, settle: () => response };
  } catch (thrown) {
    const settle = () => {
      throw thrown;
    };
    if (request.signal.aborted || !isAgentError(thrown, "model-failed")) return { outcome: undefined, settle };
    const { reason, status } = thrown.details;
    return { outcome: { type: "failure", failure: { reason, message: thrown.message, status } }, settle };
  }
}

function replay(path: string, given: LanguageModel | undefined): RecordedModel {
  const { model, calls } = readRecording(path);
  const name = modelName(model);
  if (given !== undefined && modelName(given) !== name) {
    throw new Error(`The recording "${path}" is of ${name}, not of ${modelName(given)}. ${howToRecord(path)}`);
  }
  const queues = queueCalls(calls);
  const left = new Set(calls);
  const misses: string[] = [];
  const price = given?.price ?? model.price;
  return {
    provider: model.provider,
    modelId: model.modelId,
    ...(price && { price }),
    async generate(request) {
      request.signal.throwIfAborted();
      const asked = pickRequest(request);
      const queue = queues.get(requestKey(asked));
      const call = queue?.calls[queue.asked];
      if (queue === undefined || call === undefined) {
        const why = queue ? tooOften(asked, queue.calls.length) : describeMiss(asked, calls);
        misses.push(why);
        throw new Error(`The recording "${path}" has no answer of ${name} to this call: ${why}. ${howToRecord(path)}`);
      }
      queue.asked++;
      left.delete(call);
      if (call.outcome.type === "failure") throw modelFailure(model, call.outcome.failure.reason, call.outcome.failure);
      const { response } = call.outcome;
      if (response.text !== "") request.onTextDelta?.(response.text);
      request.signal.throwIfAborted();
      return structuredClone(response);
    },
    assertComplete() {
      if (misses.length > 0) {
        const count = misses.length === 1 ? "1 call" : `${misses.length} calls`;
        throw new Error(`The recording "${path}" had no answer to ${count}; to the first, ${misses[0]}.`);
      }
      if (left.size === 0) return;
      const unasked = calls.flatMap((call, index) => (left.has(call) ? [`calls[${index}]`] : []));
      throw new Error(
        `The recording "${path}" has ${calls.length} calls; not asked for: ${unasked.join(", ")}. ${howToRecord(path)}`,
      );
    },
  };
}

/** The calls of one request, in the order of the recording, and how many of them were asked for. */
interface CallQueue {
  readonly calls: RecordedCall[];
  asked: number;
}

function queueCalls(calls: readonly RecordedCall[]): ReadonlyMap<string, CallQueue> {
  const queues = new Map<string, CallQueue>();
  for (const call of calls) {
    const key = requestKey(call.request);
    const queue = queues.get(key);
    if (queue === undefined) queues.set(key, { calls: [call], asked: 0 });
    else queue.calls.push(call);
  }
  return queues;
}

function tooOften(request: RecordedRequest, times: number): string {
  const recorded = times === 1 ? "once" : `${times} times`;
  return `it is recorded ${recorded}, and was asked for more often (${describeQuestion(request)})`;
}

function pickRequest({ messages, responseFormat, maxOutputTokens, temperature }: ModelRequest): RecordedRequest {
  return {
    messages,
    responseFormat,
    maxOutputTokens: finite(maxOutputTokens),
    temperature: finite(temperature),
  };
}

function pickResponse({ text, reasoning, finishReason, usage }: ModelResponse): ModelResponse {
  const { inputTokens, outputTokens } = usage;
  return {
    text,
    reasoning,
    finishReason,
    usage: { inputTokens: finite(inputTokens), outputTokens: finite(outputTokens) },
  };
}

/** JSON has no `Infinity` and no `NaN`; where a limit or a count is one of them, there is none. */
function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
