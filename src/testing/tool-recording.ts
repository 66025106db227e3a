import * as z from "zod/v4";
import type { JsonValue } from "../core/json.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import type { SchemaIssue } from "../core/schema.ts";
import { type ToolEffect, toolEffects } from "../core/tool.ts";
import { parseJson, parseRecordingJson, type RecordingKind } from "./recording.ts";

/** The format of recordings of tools that this version writes and reads. */
export const toolRecordingVersion = 1;

/** The data of an error that a tool threw. A cause is one as well. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly retryable?: boolean | undefined;
  /** The time that it asked to wait before another attempt. */
  readonly retryAfterMs?: number | undefined;
  readonly details?: object | undefined;
  readonly cause?: RecordedError | undefined;
}

/** The end of a call. An output that did not fit its schema, or was not JSON, is known by its issues. */
export type ToolCallOutcome =
  | { readonly type: "output"; readonly output: JsonValue }
  | { readonly type: "error"; readonly error: RecordedError }
  | { readonly type: "invalid-output"; readonly issues: readonly SchemaIssue[] };

/** The identity of a call: all that a replay compares. */
export interface AskedToolCall {
  readonly tool: string;
  /** As the plan has it, with references filled in, before defaults and transforms. */
  readonly input: JsonValue;
  /** The output that is undone, if the call is one of `undo`. */
  readonly undone?: JsonValue | undefined;
}

/** One call of a tool's `execute` or `undo`. */
export interface RecordedToolCall extends AskedToolCall {
  readonly outcome: ToolCallOutcome;
}

/** The answers of a tool's `effect` and `needsApproval` about an input. */
export interface RecordedAnswer {
  readonly tool: string;
  readonly input: JsonValue;
  readonly effect?: ToolEffect | undefined;
  readonly needsApproval?: boolean | undefined;
}

type Settings = Readonly<Record<string, number>>;

/** The parts of a tool that are kept. Limits of its time are not: a replay takes none. */
export interface RecordedTool {
  readonly name: string;
  readonly description: string;
  readonly effect: ToolEffect | "by-input";
  readonly needsApproval?: boolean | "by-input" | undefined;
  readonly hasUndo?: true | undefined;
  readonly result?: string | undefined;
  readonly retry?: Settings | undefined;
  readonly circuitBreaker?: Settings | undefined;
  /** Those without functions and types. */
  readonly phrases?: readonly (
    | string
    | { readonly phrase: string; readonly input: Readonly<Record<string, unknown>> }
  )[];
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}

/** The calls of some tools' functions, in the order in which they were made. */
export interface ToolRecording {
  readonly tools: readonly RecordedTool[];
  readonly calls: readonly (RecordedToolCall | RecordedAnswer)[];
}

/** True if a call was one of `effect` or `needsApproval`. */
export function isAnswer(call: RecordedToolCall | RecordedAnswer): call is RecordedAnswer {
  return !("outcome" in call);
}

const effectSchema = z.enum(toolEffects);
const settingsSchema = z.record(z.string(), z.number()).optional();
const jsonSchemaSchema = z.looseObject({}).transform((schema) => schema as JsonSchema);
/** All that JSON.parse returns. */
const valueSchema = z.custom<JsonValue>((value) => value !== undefined, "Invalid input: it is missing");

const toolSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  effect: z.union([effectSchema, z.literal("by-input")]),
  needsApproval: z.union([z.boolean(), z.literal("by-input")]).optional(),
  hasUndo: z.literal(true).optional(),
  result: z.string().optional(),
  retry: settingsSchema,
  circuitBreaker: settingsSchema,
  phrases: z.array(z.union([z.string(), z.strictObject({ phrase: z.string(), input: z.looseObject({}) })])).optional(),
  inputSchema: jsonSchemaSchema,
  outputSchema: jsonSchemaSchema.optional(),
});

const errorSchema: z.ZodType<RecordedError> = z.strictObject({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfterMs: z.number().min(0).optional(),
  details: z.custom<object>((value) => typeof value === "object" && value !== null).optional(),
  get cause() {
    return errorSchema.optional();
  },
});

const callSchema = z.strictObject({
  tool: z.string(),
  input: valueSchema,
  undone: valueSchema.optional(),
  output: valueSchema.optional(),
  error: errorSchema.optional(),
  invalidOutput: z
    .array(z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
    .optional(),
  effect: effectSchema.optional(),
  needsApproval: z.boolean().optional(),
});

const recordingSchema = z.strictObject({
  version: z.literal(toolRecordingVersion),
  tools: z.array(toolSchema),
  calls: z.array(callSchema),
});

/** Recordings of tools. */
export const toolRecordings: RecordingKind<ToolRecording> = {
  parse(text) {
    const json = parseJson(text);
    if (typeof json === "object" && json !== null && "model" in json) {
      throw new Error("it is a recording of a model, which createRecordedModel replays");
    }
    const { tools, calls } = parseRecordingJson(json, { version: toolRecordingVersion, schema: recordingSchema });
    const names = new Set(tools.map(({ name }) => name));
    if (names.size < tools.length) throw new Error("two of its tools have the same name");
    for (const [index, { tool }] of calls.entries()) {
      if (!names.has(tool)) throw new Error(`calls.${index}.tool: "${tool}" is not one of its tools`);
    }
    return { tools, calls: calls.map(toCall) };
  },
  howToRecord: (path) => `To record it again, run once with recordTools(tools, ${JSON.stringify(path)}).`,
};

function toCall(written: z.output<typeof callSchema>, index: number): RecordedToolCall | RecordedAnswer {
  const { tool, input, undone, output, error, invalidOutput, effect, needsApproval } = written;
  const outcomes: ToolCallOutcome[] = [];
  if (output !== undefined) outcomes.push({ type: "output", output });
  if (error !== undefined) outcomes.push({ type: "error", error });
  if (invalidOutput !== undefined) outcomes.push({ type: "invalid-output", issues: invalidOutput });
  const [outcome] = outcomes;
  if (effect !== undefined || needsApproval !== undefined) {
    if (undone === undefined && outcome === undefined) return { tool, input, effect, needsApproval };
    throw new Error(`calls.${index} must have an outcome, or what effect and needsApproval answered, and not both`);
  }
  if (outcome === undefined || outcomes.length > 1) {
    throw new Error(`calls.${index} must have one of output, error and invalidOutput`);
  }
  return { tool, input, undone, outcome };
}

/** A call as a file has it: keys in a fixed order. */
export function printToolCall(call: RecordedToolCall | RecordedAnswer): object {
  if (isAnswer(call)) {
    const { tool, input, effect, needsApproval } = call;
    return { tool, input, effect, needsApproval };
  }
  const { tool, input, undone, outcome } = call;
  const asked = { tool, input, undone };
  switch (outcome.type) {
    case "output":
      return { ...asked, output: outcome.output };
    case "error":
      return { ...asked, error: outcome.error };
    case "invalid-output":
      return { ...asked, invalidOutput: outcome.issues };
    default:
      return outcome satisfies never;
  }
}
