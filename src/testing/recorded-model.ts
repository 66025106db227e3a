import { isAgentError } from "../core/errors.ts";
import { type LanguageModel, type ModelRequest, type ModelResponse, modelName } from "../core/language-model.ts";
import { modelFailure } from "../core/model-failure.ts";
import { checkKeys, checkObject, failOption } from "../core/options.ts";
import { describeMiss, describeQuestion } from "./describe-miss.ts";
import {
  modelRecordings,
  printCall,
  printModel,
  type RecordedCall,
  type RecordedFacts,
  type RecordedRequest,
  requestKey,
} from "./model-recording.ts";
import { readRecording } from "./recording-file.ts";
import { RecordingWriter } from "./recording-writer.ts";

const { howToRecord } = modelRecordings;

/** Options of {@link createRecordedModel}. @inline */
export interface RecordedModelOptions {
  /** The file of the recording, as JSON; one file for each model. */
  path: string;
  /**
   * `record` asks the model and writes its answers: the first call overwrites the file. `replay` answers from the file.
   * @default replay
   */
  mode?: "record" | "replay" | undefined;
  /** The model to record. In a replay it is never asked, but the recording must be of this model. */
  model?: LanguageModel | undefined;
}

/** A model whose calls are recorded, or answered from a recording. @group Models */
export interface RecordedModel extends LanguageModel {
  /** Throws unless exactly the recorded calls were made; never throws while recording. */
  assertComplete(this: void): void;
}

/**
 * Creates a {@link RecordedModel} with the name, price, `schemas`, `hasOutputLimit` and context of the recorded model.
 *
 * In a replay, a call is answered if one with the same messages, response format, `maxOutputTokens`, `temperature` and
 * `logprobs` is recorded; repeated calls are answered in the order of the recording, and as often. Any other call throws an error
 * that is not `model-failed`, so that it does not look like a failure of the model. Prompts contain the date: give the
 * agent a clock that stands still. A call that failed with `model-failed` fails in the same way; other errors and
 * aborted calls are not recorded. `onTextDelta` receives a recorded answer as a whole.
 *
 * A recording contains the texts of messages and answers, but no headers or keys. Throws if the recording to replay is
 * missing or cannot be read.
 *
 * {@includeCode ../../examples/22-fake-models.ts}
 * @group Models
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
  let contextTokens: number | undefined;
  const writer = new RecordingWriter(path, () => printModel({ ...pickFacts(model), contextTokens }));
  const getContextTokens = async (signal: AbortSignal) => {
    contextTokens = finite(await model.getContextTokens?.(signal));
    return contextTokens;
  };
  return {
    ...pickFacts(model),
    ...(model.getContextTokens && { getContextTokens }),
    async generate(request) {
      const place = writer.reserve();
      // A copy, as the caller may change its request afterwards.
      const asked = structuredClone(pickRequest(request));
      const { outcome, settle } = await ask(model, request);
      if (outcome !== undefined) {
        // The file has it before its calls, whenever it is asked for.
        contextTokens ??= await getContextTokens(request.signal).catch(() => undefined);
        writer.set(place, printCall({ request: asked, outcome }));
        writer.write();
      }
      return settle();
    },
    assertComplete() {},
  };
}

/** The outcome to record, if any, and how the call ends for its caller. */
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
  const { model, calls } = readRecording(path, modelRecordings);
  const name = modelName(model);
  if (given !== undefined && modelName(given) !== name) {
    throw new Error(`The recording "${path}" is of ${name}, not of ${modelName(given)}. ${howToRecord(path)}`);
  }
  const queues = queueCalls(calls);
  const left = new Set(calls);
  const misses: string[] = [];
  const { contextTokens } = model;
  return {
    ...pickFacts({ ...model, price: given?.price ?? model.price }),
    ...(contextTokens !== undefined && { getContextTokens: async () => contextTokens }),
    async generate(request) {
      request.signal.throwIfAborted();
      const asked = pickRequest(request);
      const queue = queues.get(requestKey(asked));
      const call = queue?.calls[queue.asked];
      if (queue === undefined || call === undefined) {
        const why = queue ? tooOften(asked, queue.calls.length) : describeMiss(asked, calls);
        misses.push(why);
        throw new Error(
          `The recording "${path}" has no answer from ${name} for this call: ${why}. ${howToRecord(path)}`,
        );
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

/** The calls with the same request, in the order of the recording, and how many of them were made. */
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
  return `it is recorded ${recorded}, but was made more often (${describeQuestion(request)})`;
}

function pickFacts({
  provider,
  modelId,
  price,
  schemas,
  hasOutputLimit,
}: LanguageModel | RecordedFacts): RecordedFacts {
  return {
    provider,
    modelId,
    ...(price && { price }),
    ...(schemas && { schemas }),
    ...(hasOutputLimit !== undefined && { hasOutputLimit }),
  };
}

function pickRequest({
  messages,
  responseFormat,
  maxOutputTokens,
  temperature,
  logprobs,
}: ModelRequest): RecordedRequest {
  return {
    messages,
    responseFormat,
    maxOutputTokens: finite(maxOutputTokens),
    temperature: finite(temperature),
    logprobs,
  };
}

function pickResponse({
  text,
  reasoning,
  finishReason,
  usage,
  logprobs,
  maxOutputTokens,
}: ModelResponse): ModelResponse {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  return {
    text,
    reasoning,
    finishReason,
    usage: {
      inputTokens: finite(inputTokens),
      cachedInputTokens: finite(cachedInputTokens),
      outputTokens: finite(outputTokens),
    },
    logprobs: logprobs?.map(({ token, logprob }) => ({ token, logprob })),
    maxOutputTokens: finite(maxOutputTokens),
  };
}

/** JSON has no `Infinity` and no `NaN`; a limit or a count with such a value is left out. */
function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
