import * as z from "zod/v4";
import { systemClock } from "../async/clock.ts";
import { retryAfterMs } from "../async/retry.ts";
import { callOutcome } from "../core/call-outcome.ts";
import { define, indexTools } from "../core/define-tool.ts";
import { toErrorData } from "../core/error-data.ts";
import { type AgentErrorData, fromErrorData, isAgentError } from "../core/errors.ts";
import { copyJson, isHolder, type JsonValue, toJson } from "../core/json.ts";
import { checkKeys, defined, failOption } from "../core/option-tables.ts";
import { parseWith, type SchemaIssue, type StandardSchema, zodVersionOf } from "../core/schema.ts";
import type {
  DefinedTool,
  InferToolInput,
  InferToolOutput,
  InferToolResources,
  Tool,
  ToolContext,
  UndoneCall,
} from "../core/tool.ts";
import { isSensitiveTool } from "../core/tool-schemas.ts";
import { cutJson, type RecordingKind, RecordingWriter, Replay } from "./recording.ts";

/** Tools with the same names and types. @inline */
export type SameTools<TTools extends readonly Tool[]> = {
  readonly [K in keyof TTools]: DefinedTool<
    TTools[K]["name"],
    InferToolInput<TTools[K]>,
    InferToolOutput<TTools[K]>,
    InferToolResources<TTools[K]>
  >;
};

/**
 * Returns tools that call the given ones and record each call in a file, for `replayTools`. The first call overwrites
 * the file, and each call returns once it is recorded. Calls are recorded in the order in which they were made;
 * attempts and undoing are separate calls. A call is recorded with its input as the tool gets it and its output as
 * JSON, or the data of its error: no stacks, headers or resources. An aborted call is recorded only if it returns a
 * value and no other attempt follows. Throws `invalid-options`, also for a tool with `sensitive` fields, as the file is
 * not encrypted. A call whose parsed input is not JSON fails before it is made; a call that cannot be written fails
 * afterwards. Neither is retried. {@includeCode ../../examples/30-recorded-tools.ts} @group Testing
 */
export function recordTools<const TTools extends readonly Tool[]>(tools: TTools, path: string): SameTools<TTools> {
  const defined = [...indexTools(tools).values()];
  if (typeof path !== "string" || path === "") failOption("path", path, "the path of a file");
  const secret = defined.find(isSensitiveTool);
  if (secret !== undefined)
    failOption("tools", secret.name, "tools without sensitive fields, as a recording is not encrypted", true);
  const writer = new RecordingWriter(path, () => ({ version }));
  const latest = new Map<string, { readonly place: number; isLate: boolean }>();
  const keep = (place: number, call: RecordedCall | undefined) => {
    writer.set(place, call);
    try {
      writer.write();
    } catch (thrown) {
      // The tool was called, and must not be called again because of the file.
      throw Object.assign(thrown as Error, { retryable: false });
    }
  };
  const recordTool = (tool: DefinedTool) =>
    wrapTool(tool, async (asked, { signal, idempotencyKey }, make) => {
      const attempt = { place: writer.reserve(), isLate: false };
      const before = latest.get(idempotencyKey);
      latest.set(idempotencyKey, attempt);
      // As there is another attempt, the late value of the one before did not count. The next write removes it.
      if (before?.isLate) writer.set(before.place, undefined);
      let value: unknown;
      let outcome: Outcome;
      try {
        value = await make();
        outcome = asked.undone === undefined ? await toOutcome(tool, value) : { output: null };
      } catch (thrown) {
        keep(attempt.place, signal.aborted ? undefined : { ...asked, error: toRecorded(tool, thrown) });
        throw thrown;
      }
      attempt.isLate = signal.aborted;
      const isKept = !signal.aborted || latest.get(idempotencyKey) === attempt;
      keep(attempt.place, isKept ? { ...asked, ...outcome } : undefined);
      return value;
    });
  return defined.map(recordTool) as unknown as SameTools<TTools>;
}

/** Options of {@link replayTools}. @inline */
export interface ReplayToolsOptions<TTools extends readonly Tool[]> {
  /** Tools that were recorded. Their `execute` and `undo` are never called. */
  tools: TTools;
}

/** Check of replayed tools. @inline */
export interface ReplayedCalls {
  /** Throws unless exactly the recorded calls were made. */
  assertComplete(this: void): void;
}

/** Tools for an agent, which answer from a recording. @group Testing */
export type ReplayedTools<TTools extends readonly Tool[] = readonly DefinedTool[]> = {
  readonly [K in keyof TTools]: DefinedTool<TTools[K]["name"], InferToolInput<TTools[K]>, InferToolOutput<TTools[K]>>;
} & ReplayedCalls;

/**
 * Returns tools like the given ones that answer from a file written by `recordTools`. A recorded call answers one call
 * with the same tool and input (in `undo`, also the same output). Equal calls are answered in recorded order. Errors
 * are thrown again, with their data. Any other call throws an error that is not retried and describes how the call
 * differs from the most similar recorded one. Throws `invalid-options`, also if a recorded tool is not given, and an
 * error that names the file if it cannot be read. {@includeCode ../../examples/30-recorded-tools.ts} @group Testing
 */
export function replayTools<const TTools extends readonly Tool[]>(
  path: string,
  options: ReplayToolsOptions<TTools>,
): ReplayedTools<TTools> {
  if (typeof path !== "string" || path === "") failOption("path", path, "the path of a file");
  checkKeys("options", options, ["tools"]);
  if (options.tools === undefined) failOption("options.tools", undefined, "the recorded tools");
  const tools = indexTools(options.tools);
  const replay = new Replay(path, toolRecordings);
  const unknown = replay.recording.calls.find(({ tool }) => !tools.has(tool));
  if (unknown !== undefined)
    failOption("options.tools", [...tools.keys()].join(", "), `all recorded tools, including ${unknown.tool}`, true);
  const replayed = [...tools.values()].map((tool) => replayTool(tool, replay));
  return Object.assign(replayed, { assertComplete: () => replay.assertComplete() }) as unknown as ReplayedTools<TTools>;
}

const version = 2;
const valueSchema = z.custom<JsonValue>((value) => value !== undefined, "Invalid input: it is missing");

const errorSchema = z.strictObject({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  outcome: z.enum(["not-done", "unknown"]).optional(),
  retryAfterMs: z.number().min(0).optional(),
  details: z.custom<object>((value) => typeof value === "object" && value !== null).optional(),
  get cause() {
    return errorSchema.optional();
  },
});
type RecordedError = z.output<typeof errorSchema>;

const callSchema = z.strictObject({
  tool: z.string(),
  input: valueSchema,
  undone: valueSchema.optional(),
  output: valueSchema.optional(),
  error: errorSchema.optional(),
  invalidOutput: z
    .array(z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
    .optional(),
});
type RecordedCall = z.output<typeof callSchema>;
type AskedCall = Pick<RecordedCall, "tool" | "input" | "undone">;
type Outcome = Omit<RecordedCall, keyof AskedCall>;
const recordingSchema = z.strictObject({ version: z.literal(version), calls: z.array(callSchema) });

const identityOf = ({ tool, input, undone }: AskedCall) => ({ tool, input, output: undone });

const toolRecordings: RecordingKind<z.output<typeof recordingSchema>> = {
  version,
  schema: recordingSchema,
  checkKind(json) {
    if (isHolder(json) && "model" in json)
      throw new Error("it is a recording of a model: replay it with createRecordedModel");
  },
  outcomes: ["output", "error", "invalidOutput"],
  mustHave: "exactly one of output, error and invalidOutput",
  identityOf,
  unmade: "not made",
  howToRecord: (path) => `To record it again, run once with recordTools(tools, ${JSON.stringify(path)}).`,
};

async function toOutcome({ outputSchema }: DefinedTool, value: unknown): Promise<Outcome> {
  const parsed = outputSchema && (await parseWith(outputSchema, value));
  if (parsed?.ok === false) return { invalidOutput: parsed.issues as Outcome["invalidOutput"] };
  const json = toJson(parsed === undefined ? value : parsed.value);
  return json.ok ? { output: json.value } : { invalidOutput: [json.issue] as Outcome["invalidOutput"] };
}

function toRecorded({ declaredEffect }: DefinedTool, thrown: unknown): RecordedError {
  const askedMs = retryAfterMs(thrown, systemClock.now());
  const mayBeOnce = declaredEffect === "once" || declaredEffect === "by-input";
  return {
    ...(toErrorData(thrown) as RecordedError),
    ...(mayBeOnce && callOutcome(thrown) === "unknown" && { outcome: "unknown" }),
    ...(askedMs !== undefined && { retryAfterMs: askedMs }),
  };
}

function replayTool(tool: DefinedTool, replay: Replay<z.output<typeof recordingSchema>>): DefinedTool {
  /** Recorded issues by output. The schema cannot check outputs again: a `Date`, for example, has become text. */
  const outputs = new Map<unknown, readonly SchemaIssue[]>();
  const answer: CallTool = async (asked, { signal }) => {
    signal.throwIfAborted();
    const call = replay.take(identityOf(asked));
    if (call === undefined) throw Object.assign(missOf(asked, replay), { retryable: false });
    const { output, error, invalidOutput = [] } = call;
    if (error !== undefined) throw toThrown(error);
    const returned = invalidOutput.length > 0 ? {} : copyJson(output);
    outputs.set(returned, invalidOutput);
    return returned;
  };
  const isInvalid = (call: RecordedCall) => call.tool === tool.name && call.invalidOutput !== undefined;
  // Without a schema, only outputs that are not JSON are invalid. For these, the file has issues instead.
  const schema = tool.outputSchema ?? (replay.recording.calls.some(isInvalid) ? z.unknown() : undefined);
  if (schema === undefined) return wrapTool(tool, answer);
  const outputSchema = withValidate(schema, (value) => {
    const issues = outputs.get(value);
    if (issues === undefined) return schema["~standard"].validate(value);
    return issues.length === 0 ? { value } : { issues };
  });
  return wrapTool({ ...tool, outputSchema }, answer);
}

function missOf(asked: AskedCall, replay: Replay<z.output<typeof recordingSchema>>): Error {
  const { tool, input, undone } = asked;
  const from = undone === undefined ? tool : `${tool}.undo`;
  const isCompared = (call: RecordedCall) =>
    call.tool === tool && (call.undone === undefined) === (undone === undefined);
  const said = { from, asked: `its input is ${cutJson(input)}`, of: ` of ${from}` };
  return replay.miss(identityOf(asked), { ...said, isCompared });
}

function toThrown({ cause, retryAfterMs, outcome, ...data }: RecordedError): Error {
  const { name, message, ...rest } = data;
  const inner = cause && toThrown(cause);
  const error = isAgentError(data)
    ? fromErrorData({ ...(data as AgentErrorData), cause: inner })
    : Object.assign(new Error(message, inner && { cause: inner }), { name }, rest);
  error.stack = `${name}: ${message}`;
  return Object.assign(error, defined({ retryAfterMs, outcome }));
}

type CallTool = (asked: AskedCall, context: ToolContext, make: () => unknown) => Promise<unknown>;

function wrapTool(tool: DefinedTool, call: CallTool): DefinedTool {
  const { name, undo } = tool;
  const toInput = (parsed: unknown): JsonValue => {
    const json = toJson(parsed);
    if (json.ok) return json.value;
    const why = `The input of ${name} cannot be recorded, as its schema turns it into something that is not JSON: ${json.issue.message}`;
    throw Object.assign(new Error(why), { retryable: false });
  };
  return define({
    ...tool,
    execute: async (input, context) =>
      call({ tool: name, input: toInput(input) }, context, () => tool.execute(input, context)),
    undo:
      undo &&
      (async (done: UndoneCall<unknown, unknown>, context: ToolContext) => {
        const asked = { tool: name, input: toInput(done.input), undone: done.output as JsonValue };
        return call(asked, context, () => undo(done, context));
      }),
  });
}

function withValidate(schema: StandardSchema, validate: StandardSchema["~standard"]["validate"]): StandardSchema {
  // In zod 4, only a clone keeps the registered metadata.
  const copy = zodVersionOf(schema) === 4 ? (schema as unknown as { clone(): object }).clone() : Object.create(schema);
  const value = { ...schema["~standard"], validate };
  return Object.defineProperty(copy, "~standard", { value }) as StandardSchema;
}
