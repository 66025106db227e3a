import * as z from "zod/v4";
import { canonicalJson } from "../core/json.ts";
import type {
  LanguageModel,
  ModelFailureReason,
  ModelPrice,
  ModelRequest,
  ModelResponse,
  ModelResponseFormat,
} from "../core/language-model.ts";
import { parseJson, parseRecordingJson, type RecordingKind } from "./recording-file.ts";

/** The format of recordings that this version writes and reads. */
export const recordingVersion = 2;

/** The recorded part of a request: everything that may change its answer. */
export type RecordedRequest = Pick<
  ModelRequest,
  "messages" | "responseFormat" | "maxOutputTokens" | "temperature" | "logprobs"
>;

/** Why a call had no answer. */
export interface RecordedFailure {
  readonly reason: ModelFailureReason;
  readonly message: string;
  readonly status?: number | undefined;
}

/** A call of a model: the request, and the answer or the reason why there was none. */
export interface RecordedCall {
  readonly request: RecordedRequest;
  readonly outcome:
    | { readonly type: "response"; readonly response: ModelResponse }
    | { readonly type: "failure"; readonly failure: RecordedFailure };
}

/** The recorded part of a model: everything that may change what it is asked. */
export type RecordedFacts = Pick<LanguageModel, "provider" | "modelId" | "price" | "schemas" | "hasOutputLimit"> & {
  readonly contextTokens?: number | undefined;
};

/** The calls of one model, in order. */
export interface Recording {
  readonly model: RecordedFacts;
  readonly calls: readonly RecordedCall[];
}

/** Two requests are the same if their keys are. The text format is the same as no format. */
export function requestKey({
  messages,
  responseFormat,
  maxOutputTokens,
  temperature,
  logprobs,
}: RecordedRequest): string {
  return canonicalJson({
    messages: messages.map(({ role, content }) => ({ role, content })),
    responseFormat: responseFormat?.type === "text" ? undefined : responseFormat,
    maxOutputTokens,
    temperature,
    logprobs: logprobs || undefined,
  });
}

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

/** Recordings of models. */
export const modelRecordings: RecordingKind<Recording> = {
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

/** What a file has before its calls: the model, as far as it is read again. */
export function printModel({ provider, modelId, price, ...facts }: RecordedFacts): object {
  const { schemas, hasOutputLimit, contextTokens } = facts;
  const model = { provider, modelId, price: price && pickPrice(price), schemas, hasOutputLimit, contextTokens };
  return { version: recordingVersion, model };
}

function pickPrice({ inputPerMillion, cachedInputPerMillion, outputPerMillion }: ModelPrice): ModelPrice {
  return { inputPerMillion, cachedInputPerMillion, outputPerMillion };
}

/** A call as a file has it: only the fields that are read again, and multi-line texts as lines. */
export function printCall({ request, outcome }: RecordedCall): object {
  const { messages, responseFormat, maxOutputTokens, temperature, logprobs } = request;
  const asked = {
    messages: messages.map(({ role, content }) => ({ role, content: toLines(content) })),
    responseFormat: responseFormat?.type === "json" ? pickFormat(responseFormat) : undefined,
    maxOutputTokens,
    temperature,
    logprobs: logprobs || undefined,
  };
  if (outcome.type === "failure") {
    const { reason, message, status } = outcome.failure;
    return { request: asked, failure: { reason, message, status } };
  }
  const { text, reasoning, finishReason, usage, maxOutputTokens: room } = outcome.response;
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  return {
    request: asked,
    response: {
      text: toLines(text),
      reasoning: reasoning === undefined ? undefined : toLines(reasoning),
      finishReason,
      usage: { inputTokens, cachedInputTokens, outputTokens },
      logprobs: outcome.response.logprobs?.map(({ token, logprob }) => `${logprob} ${token}`),
      maxOutputTokens: room,
    },
  };
}

function pickFormat({ type, schema, strict }: Extract<ModelResponseFormat, { type: "json" }>): ModelResponseFormat {
  return { type, schema, strict };
}

function toLines(text: string): string | readonly string[] {
  return text.includes("\n") ? text.split("\n") : text;
}
