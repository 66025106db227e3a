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
import { modelFailure, retryableByReason } from "../core/model-failure.ts";
import { checkKeys, checkObject, defined, failOption } from "../core/option-tables.ts";
import { quote, type RecordingKind, RecordingWriter, Replay } from "./recording.ts";

/** Options of {@link createRecordedModel}. @inline */
export interface RecordedModelOptions {
  /** Path of the recording, a JSON file. Each model needs its own file. */
  path: string;
  /** `record` asks the model, and overwrites the file at the first call; `replay` reads it. @default replay */
  mode?: "record" | "replay" | undefined;
  /** Model to record. A replay never asks it, but the recording must be of this model. */
  model?: LanguageModel | undefined;
}

/** Model whose calls are recorded, or answered from a recording. @group Models */
export interface RecordedModel extends LanguageModel {
  /** Throws unless exactly the recorded calls were made; never throws while recording. */
  assertComplete(this: void): void;
}

/**
 * Creates a {@link RecordedModel} with the name, price, `schemas`, `hasOutputLimit` and context of the recorded model.
 * A replay answers a call if one with the same messages, response format, `maxOutputTokens`, `temperature` and
 * `logprobs` is recorded. Repeated calls are answered in recorded order, and only as often as recorded. Any other call
 * throws an error that is not `model-failed`. Prompts contain the date, so give the agent a clock that stands
 * still. A recorded `model-failed` fails again; other errors and aborted calls are not recorded. `onTextDelta` receives
 * a recorded answer as a whole. A recording has no headers or keys. Throws if the recording cannot be read.
 * {@includeCode ../../examples/22-fake-models.ts} @group Models
 */
export function createRecordedModel(options: RecordedModelOptions): RecordedModel {
  checkKeys("options", options, ["path", "mode", "model"]);
  const { path, mode = "replay", model } = options;
  if (typeof path !== "string" || path === "") failOption("options.path", path, "the path of a file");
  if (mode !== "record" && mode !== "replay") failOption("options.mode", mode, '"record" or "replay"', true);
  if (model !== undefined) {
    checkObject("options.model", model);
    if (typeof model.generate !== "function") failOption("options.model.generate", model.generate, "a function");
  }
  if (mode === "replay") return replay(path, model);
  if (model === undefined) failOption("options.model", model, 'the model to record, as mode is "record"');
  return record(path, model);
}

function record(path: string, model: LanguageModel): RecordedModel {
  let contextTokens: number | undefined;
  const writer = new RecordingWriter(path, () => ({
    version: recordingVersion,
    model: printFacts(model, contextTokens),
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
      // Copied, as the caller may change its request afterwards.
      const asked = structuredClone(printRequest(request));
      const keep = async (outcome: object) => {
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
  const replay = new Replay(path, modelRecordings);
  const { model } = replay.recording;
  const name = modelName(model);
  if (given !== undefined && modelName(given) !== name) {
    const howTo = modelRecordings.howToRecord(path);
    throw new Error(`The recording "${path}" was made with ${name}, not with ${modelName(given)}. ${howTo}`);
  }
  const { contextTokens } = model;
  return {
    ...pickFacts({ ...model, price: given?.price ?? model.price }),
    ...(contextTokens !== undefined && { getContextTokens: async () => contextTokens }),
    async generate(request) {
      request.signal.throwIfAborted();
      const asked = comparedOf(request);
      const call = replay.take(asked);
      if (call === undefined) {
        const question = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
        throw replay.miss(asked, { from: name, asked: `its last user message is ${quote(question)}` });
      }
      const { failure } = call;
      if (failure !== undefined) throw modelFailure(model, failure.reason, failure);
      const response = call.response as ModelResponse;
      if (response.text !== "") request.onTextDelta?.(response.text);
      request.signal.throwIfAborted();
      return structuredClone(response);
    },
    assertComplete: () => replay.assertComplete(),
  };
}

type RecordedRequest = Pick<
  ModelRequest,
  "messages" | "responseFormat" | "maxOutputTokens" | "temperature" | "logprobs"
>;

type RecordedFacts = Pick<LanguageModel, "provider" | "modelId" | "price" | "schemas" | "hasOutputLimit">;

function comparedOf({ messages, responseFormat, maxOutputTokens, temperature, logprobs }: RecordedRequest): object {
  const { type = "text", schema, strict } = responseFormat?.type === "json" ? responseFormat : {};
  return {
    messages: messages.map(({ role, content }) => ({ role, content })),
    responseFormat: JSON.stringify({ type, schema: schema && JSON.parse(canonicalJson(schema)), strict }),
    maxOutputTokens: finite(maxOutputTokens),
    temperature: finite(temperature),
    logprobs: logprobs === true,
  };
}

const recordingVersion = 2;
const failureReasons = Object.keys(retryableByReason) as readonly ModelFailureReason[];

/** Text of several lines is stored as a list, so that a change to a prompt changes few lines of the file. */
const textSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === "string" ? text : text.join("\n")));
const tokensSchema = z.number().min(0).optional();
/** Each entry is one line: log probability, space, token. */
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
      usage: z.strictObject({ inputTokens: tokensSchema, cachedInputTokens: tokensSchema, outputTokens: tokensSchema }),
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

const modelRecordings: RecordingKind<z.output<typeof recordingSchema>> = {
  version: recordingVersion,
  schema: recordingSchema,
  outcomes: ["response", "failure"],
  mustHave: "a response or a failure, and not both",
  identityOf: ({ request }) => comparedOf(request),
  unmade: "not made",
  howToRecord: (path) =>
    `To record it again, run once with createRecordedModel({ mode: "record", model, path: ${JSON.stringify(path)} }).`,
};

function pickFacts({ provider, modelId, price, schemas, hasOutputLimit }: RecordedFacts): RecordedFacts {
  return { provider, modelId, ...defined({ price, schemas, hasOutputLimit }) };
}

function printFacts(model: RecordedFacts, contextTokens: number | undefined): object {
  const { provider, modelId, price, schemas, hasOutputLimit } = model;
  const { inputPerMillion, cachedInputPerMillion, outputPerMillion } = price ?? {};
  const prices = price && { inputPerMillion, cachedInputPerMillion, outputPerMillion };
  return { provider, modelId, price: prices, schemas, hasOutputLimit, contextTokens };
}

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

function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
