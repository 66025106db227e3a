import * as z from "zod/v4";
import { isAgentError } from "../core/errors.ts";
import { canonicalJson } from "../core/json.ts";
import {
  type LanguageModel,
  type ModelFailureReason,
  type ModelRequest,
  type ModelResponse,
  modelName,
} from "../core/language-model.ts";
import { modelFailure } from "../core/model-failure.ts";
import { checkKeys, checkObject, failOption } from "../core/options.ts";
import {
  commonLength,
  describeTexts,
  describeTooOften,
  findNearest,
  Misses,
  parseJson,
  parseRecordingJson,
  quote,
  type RecordingKind,
  RecordingWriter,
  readRecording,
} from "./recording.ts";

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
  const writer = new RecordingWriter(path, () => ({
    version: recordingVersion,
    model: printFacts({ ...pickFacts(model), contextTokens }),
  }));
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
      const asked = structuredClone(printRequest(request));
      const keep = async (outcome: object) => {
        // The file has it before its calls, whenever it is asked for.
        contextTokens ??= await getContextTokens(request.signal).catch(() => undefined);
        writer.set(place, { request: asked, ...outcome });
        writer.write();
      };
      let response: ModelResponse;
      try {
        response = await model.generate(request);
      } catch (thrown) {
        if (!request.signal.aborted && isAgentError(thrown, "model-failed")) {
          const { reason, status } = thrown.details;
          await keep({ failure: { reason, message: thrown.message, status } });
        }
        throw thrown;
      }
      await keep({ response: printResponse(response) });
      return response;
    },
    assertComplete() {},
  };
}

function replay(path: string, given: LanguageModel | undefined): RecordedModel {
  const { howToRecord } = modelRecordings;
  const { model, calls } = readRecording(path, modelRecordings);
  const name = modelName(model);
  if (given !== undefined && modelName(given) !== name) {
    throw new Error(`The recording "${path}" is of ${name}, not of ${modelName(given)}. ${howToRecord(path)}`);
  }

  /** By request: the indexes of the calls that have answered none yet. */
  const open = new Map<string, number[]>();
  for (const [index, call] of calls.entries()) {
    const key = requestKey(call.request);
    open.set(key, [...(open.get(key) ?? []), index]);
  }
  const misses = new Misses(path, howToRecord);
  const { contextTokens } = model;
  return {
    ...pickFacts({ ...model, price: given?.price ?? model.price }),
    ...(contextTokens !== undefined && { getContextTokens: async () => contextTokens }),
    async generate(request) {
      request.signal.throwIfAborted();
      const index = open.get(requestKey(request))?.shift();
      const call = index === undefined ? undefined : calls[index];
      if (call === undefined) throw misses.add(`from ${name} for this call`, describeMiss(request, calls));
      if (call.outcome.type === "failure") throw modelFailure(model, call.outcome.failure.reason, call.outcome.failure);
      const { response } = call.outcome;
      if (response.text !== "") request.onTextDelta?.(response.text);
      request.signal.throwIfAborted();
      return structuredClone(response);
    },
    assertComplete() {
      const unused = [...open.values()].flat().sort((one, other) => one - other);
      misses.assertNone({ unused, count: calls.length, unmade: "not asked for" });
    },
  };
}

/** The recorded part of a request: everything that may change its answer. */
type RecordedRequest = Pick<
  ModelRequest,
  "messages" | "responseFormat" | "maxOutputTokens" | "temperature" | "logprobs"
>;

/** A call of a model: the request, and the answer or the reason why there was none. */
interface RecordedCall {
  readonly request: RecordedRequest;
  readonly outcome:
    | { readonly type: "response"; readonly response: ModelResponse }
    | {
        readonly type: "failure";
        readonly failure: {
          readonly reason: ModelFailureReason;
          readonly message: string;
          readonly status?: number | undefined;
        };
      };
}

/** The recorded part of a model: everything that may change what it is asked. */
type RecordedFacts = Pick<LanguageModel, "provider" | "modelId" | "price" | "schemas" | "hasOutputLimit"> & {
  readonly contextTokens?: number | undefined;
};

/** Two requests are the same if their keys are. The text format is the same as no format. */
function requestKey(request: RecordedRequest): string {
  return canonicalJson(printRequest(request));
}

/**
 * Describes a request that is not recorded: its last user message, and where it first differs from the most similar
 * recorded call.
 */
function describeMiss(request: RecordedRequest, calls: readonly RecordedCall[]): string {
  const question = lastUserText(request);
  const asked = `its last user message is ${quote(question)}`;
  const key = requestKey(request);
  const times = calls.filter((call) => requestKey(call.request) === key).length;
  if (times > 0) return describeTooOften(times, asked);
  const nearest = findNearest(calls, (call) => ({
    differences: findDifferences(request, call.request),
    common: commonLength(question, lastUserText(call.request)),
  }));
  if (nearest === undefined) return `${asked}. Nothing is recorded`;
  const recorded = calls.length === 1 ? "1 call is" : `${calls.length} calls are`;
  const { index, differences } = nearest;
  return `${asked}. ${recorded} recorded; the nearest, calls[${index}], differs in ${differences.join("; ")}`;
}

function lastUserText({ messages }: RecordedRequest): string {
  return messages.findLast(({ role }) => role === "user")?.content ?? "";
}

function findDifferences(asked: RecordedRequest, recorded: RecordedRequest): readonly string[] {
  const differences: string[] = [];
  const count = Math.max(asked.messages.length, recorded.messages.length);
  for (let index = 0; index < count; index++) {
    const [one, other] = [asked.messages[index], recorded.messages[index]];
    const place = `messages[${index}]`;
    if (one === undefined || other === undefined)
      differences.push(`${place}, which only ${one ? "this call" : "the recorded call"} has`);
    else if (one.role !== other.role) differences.push(`${place}.role: "${one.role}", recorded "${other.role}"`);
    else if (one.content !== other.content)
      differences.push(`${place}.content ${describeTexts(one.content, other.content)}`);
  }
  const formats = [asked, recorded].map(({ responseFormat }) => JSON.stringify(responseFormat ?? { type: "text" }));
  if (formats[0] !== formats[1])
    differences.push(`responseFormat ${describeTexts(formats[0] ?? "", formats[1] ?? "")}`);
  for (const key of ["maxOutputTokens", "temperature"] as const) {
    if (finite(asked[key]) !== recorded[key]) differences.push(`${key}: ${asked[key]}, recorded ${recorded[key]}`);
  }
  if (asked.logprobs !== recorded.logprobs)
    differences.push(`logprobs: ${asked.logprobs}, recorded ${recorded.logprobs}`);
  return differences;
}

/** The format of recordings that this version writes and reads. */
const recordingVersion = 2;

// All of them, as the compiler checks.
const failureReasons = Object.keys({
  unreachable: true,
  "unknown-model": true,
  unauthorized: true,
  busy: true,
  "format-rejected": true,
  "prompt-too-long": true,
  rejected: true,
  interrupted: true,
  "server-error": true,
  "invalid-response": true,
} satisfies Record<ModelFailureReason, true>) as ModelFailureReason[];

/** A text, or its lines, so that a changed line of a prompt is one changed line of the file. */
const textSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === "string" ? text : text.join("\n")));
const tokensSchema = z.number().min(0).optional();
/** A token on one line: its logarithm, a space, its text. */
const logprobSchema = z
  .string()
  .regex(/^-?[\d.]+(?:e-?\d+)? /)
  .transform((line) => {
    const space = line.indexOf(" ");
    return { token: line.slice(space + 1), logprob: Number(line.slice(0, space)) };
  });

const callSchema = z.strictObject({
  request: z.strictObject({
    messages: z.array(z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: textSchema })),
    responseFormat: z
      .strictObject({ type: z.literal("json"), schema: z.looseObject({}).optional(), strict: z.boolean().optional() })
      .optional(),
    maxOutputTokens: z.number().optional(),
    temperature: z.number().optional(),
    logprobs: z.literal(true).optional(),
  }),
  response: z
    .strictObject({
      text: textSchema,
      reasoning: textSchema.optional(),
      finishReason: z.enum(["stop", "length", "content-filter", "other"]),
      usage: z.strictObject({
        inputTokens: tokensSchema,
        cachedInputTokens: tokensSchema,
        outputTokens: tokensSchema,
      }),
      logprobs: z.array(logprobSchema).optional(),
      maxOutputTokens: tokensSchema,
    })
    .optional(),
  failure: z
    .strictObject({ reason: z.enum(failureReasons), message: z.string(), status: z.number().optional() })
    .optional(),
});

const recordingSchema = z.strictObject({
  version: z.literal(recordingVersion),
  model: z.strictObject({
    provider: z.string(),
    modelId: z.string(),
    price: z
      .strictObject({
        inputPerMillion: z.number(),
        cachedInputPerMillion: z.number().optional(),
        outputPerMillion: z.number(),
      })
      .optional(),
    schemas: z.enum(["plain", "strict", "grammar"]).optional(),
    hasOutputLimit: z.boolean().optional(),
    contextTokens: tokensSchema,
  }),
  calls: z.array(callSchema),
});

const modelRecordings: RecordingKind<{ readonly model: RecordedFacts; readonly calls: readonly RecordedCall[] }> = {
  parse: (text) => {
    const { model, calls } = parseRecordingJson(parseJson(text), {
      version: recordingVersion,
      schema: recordingSchema,
    });
    return { model, calls: calls.map(toCall) };
  },
  howToRecord: (path) =>
    `To record it again, run once with createRecordedModel({ mode: "record", model, path: ${JSON.stringify(path)} }).`,
};

function toCall({ request, response, failure }: z.output<typeof callSchema>, index: number): RecordedCall {
  if (response !== undefined && failure === undefined) return { request, outcome: { type: "response", response } };
  if (failure !== undefined && response === undefined) return { request, outcome: { type: "failure", failure } };
  throw new Error(`calls.${index} must have a response or a failure, and not both`);
}

/** The facts of a model that are read again. */
function pickFacts({ provider, modelId, price, schemas, hasOutputLimit }: RecordedFacts): RecordedFacts {
  return {
    provider,
    modelId,
    ...(price && { price }),
    ...(schemas && { schemas }),
    ...(hasOutputLimit !== undefined && { hasOutputLimit }),
  };
}

/** A model as a file has it: of its price only the fields that are read again. */
function printFacts({ provider, modelId, price, ...facts }: RecordedFacts): object {
  const { inputPerMillion, cachedInputPerMillion, outputPerMillion } = price ?? {};
  return { provider, modelId, price: price && { inputPerMillion, cachedInputPerMillion, outputPerMillion }, ...facts };
}

/** A request as a file has it: only the fields that are read again, and multi-line texts as lines. */
function printRequest({ messages, responseFormat, maxOutputTokens, temperature, logprobs }: RecordedRequest) {
  const { type, schema, strict } = responseFormat?.type === "json" ? responseFormat : {};
  return {
    messages: messages.map(({ role, content }) => ({ role, content: toLines(content) })),
    responseFormat: type && { type, schema, strict },
    maxOutputTokens: finite(maxOutputTokens),
    temperature: finite(temperature),
    logprobs: logprobs || undefined,
  };
}

/** An answer as a file has it. */
function printResponse({ text, reasoning, finishReason, usage, logprobs, maxOutputTokens }: ModelResponse): object {
  return {
    text: toLines(text),
    reasoning: reasoning === undefined ? undefined : toLines(reasoning),
    finishReason,
    usage: {
      inputTokens: finite(usage.inputTokens),
      cachedInputTokens: finite(usage.cachedInputTokens),
      outputTokens: finite(usage.outputTokens),
    },
    logprobs: logprobs?.map(({ token, logprob }) => `${logprob} ${token}`),
    maxOutputTokens: finite(maxOutputTokens),
  };
}

function toLines(text: string): string | readonly string[] {
  return text.includes("\n") ? text.split("\n") : text;
}

/** JSON has no `Infinity` and no `NaN`; a limit or a count with such a value is left out. */
function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
