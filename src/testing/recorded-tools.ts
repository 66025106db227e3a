import * as z from "zod/v4";
import { jsonSchema } from "../adapters/schemas/index.ts";
import { systemClock } from "../async/clock.ts";
import { countPending } from "../async/promises.ts";
import { retryAfterMs } from "../async/retry.ts";
import { define, indexTools } from "../core/define-tool.ts";
import { toErrorData } from "../core/error-data.ts";
import { type AgentErrorData, fromErrorData, isAgentError } from "../core/errors.ts";
import { canonicalJson, copyJson, type JsonValue, mapItems, toJson } from "../core/json.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { checkKeys, defined, failOption } from "../core/options.ts";
import { parseWith, type SchemaIssue, type StandardSchema, zodVersionOf } from "../core/schema.ts";
import type { SensitiveView } from "../core/sensitive-paths.ts";
import { describeThrown } from "../core/text.ts";
import {
  type DefinedTool,
  type InferToolInput,
  type InferToolOutput,
  type InferToolResources,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolPhrase,
  toolEffects,
  type UndoneCall,
} from "../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../core/tool-schemas.ts";
import {
  HiddenTexts,
  mapSensitive,
  type Path,
  type SensitiveViews,
  sensitiveViewsOf,
} from "../runs/secrets/sensitive-values.ts";
import {
  CallIndex,
  type Comparison,
  cutJson,
  isHolder,
  isSame,
  parseVersion,
  type RecordingKind,
  RecordingWriter,
  Replay,
  readRecording,
} from "./recording.ts";

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
 * Returns tools that call the given ones and record each call in a file, for `replayTools`. One file for each list
 * of tools; the first call overwrites it, and each call returns once it is recorded.
 *
 * The calls have the order in which they were made, whichever ends first: attempts and undoing as calls of their own, and
 * those of functions `effect` and `needsApproval`, once for each input. A call is recorded with its input as the plan has
 * it and its output as JSON, or the data of its error: no stacks, headers or resources. A call whose signal has aborted
 * is recorded only if it returns a value and no other attempt follows.
 *
 * A value that a schema marks as `sensitive` is never written: a numbered placeholder stands for it, the same for equal
 * values, also where its text appears in other values (from four characters on) and in errors.
 *
 * Throws `invalid-options` for what is not a list of tools, and for two of one name. If the file cannot be written, the
 * call, which has been made, fails with an error that is not retried.
 *
 * {@includeCode ../../examples/30-recorded-tools.ts}
 * @group Testing
 */
export function recordTools<const TTools extends readonly Tool[]>(tools: TTools, path: string): SameTools<TTools> {
  const defined = [...indexTools(tools).values()];
  if (typeof path !== "string" || path === "") failOption("path", path, "the path of a file");
  const recorder = new ToolRecorder(defined, path);
  return defined.map((tool) => recorder.wrap(tool)) as unknown as SameTools<TTools>;
}

/** Options of {@link replayTools}. @inline */
export interface ReplayToolsOptions<TTools extends readonly Tool[]> {
  /** The recorded tools. Neither `execute` nor `undo` of them is ever called. */
  tools: TTools;
}

/** The check of a list of replayed tools. @inline */
export interface ReplayedCalls {
  /** Throws unless exactly the recorded calls were made. */
  assertComplete(this: void): void;
}

/** Tools that answer from a recording, as a list for an agent. @group Testing */
export type ReplayedTools<TTools extends readonly Tool[] = readonly DefinedTool[]> = {
  readonly [K in keyof TTools]: DefinedTool<TTools[K]["name"], InferToolInput<TTools[K]>, InferToolOutput<TTools[K]>>;
} & ReplayedCalls;

/**
 * Returns tools that answer from a file that `recordTools` has written. They have the names, descriptions, schemas,
 * effects, approvals, retries and phrases of the recorded ones. Phrases that are functions are not in a file, nor are
 * functions in schemas: give the `tools` for these, which also infers the types.
 *
 * A call is answered by a recorded one with the same tool and input (in `undo`, also the same output) that has answered
 * none before; equal calls in the order of the recording. The order of different calls does not matter. Errors are
 * thrown again, with their data. Any other call throws an error that is not retried and says where it differs from the
 * most similar one.
 *
 * Where a secret was recorded, any value matches, but it must be the same one wherever its placeholder stands. Outputs
 * have placeholders instead of secrets.
 *
 * Throws an error that names the file if it is missing or cannot be read. Throws `invalid-options`.
 *
 * {@includeCode ../../examples/30-recorded-tools.ts}
 * @group Testing
 */
export function replayTools<const TTools extends readonly Tool[] = readonly DefinedTool[]>(
  path: string,
  options?: ReplayToolsOptions<TTools>,
): ReplayedTools<TTools>;
export function replayTools(path: string, options?: ReplayToolsOptions<readonly Tool[]>): ReplayedTools {
  if (typeof path !== "string" || path === "") failOption("path", path, "the path of a file");
  if (options !== undefined) checkKeys("options", options, ["tools"]);
  const given = options && [...indexTools(options.tools).values()];
  const { tools, calls } = readRecording(path, toolRecordings);
  const unknown = tools.find(({ name }) => given?.every((tool) => tool.name !== name));
  if (unknown !== undefined) {
    failOption(
      "options.tools",
      given?.map(({ name }) => name).join(", "),
      `all recorded tools, also ${unknown.name}`,
      true,
    );
  }
  const replay = new ToolReplay(path, calls);
  const replayed = (given ?? tools.map((tool) => replay.restore(tool))).map((tool) => replay.wrap(tool));
  return Object.assign(replayed, { assertComplete: () => replay.assertComplete() });
}

/*
 * The file. It has the calls of some tools' functions, in the order in which they were made.
 */

const version = 1;

const effectSchema = z.enum(toolEffects);
const settingsSchema = z.record(z.string(), z.number()).optional();
const jsonSchemaSchema = z.looseObject({}).transform((schema) => schema as JsonSchema);
/** All that JSON.parse returns. */
const valueSchema = z.custom<JsonValue>((value) => value !== undefined, "Invalid input: it is missing");

/** The parts of a tool that are kept. Limits of its time are not: a replay takes none. */
const toolSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  effect: z.union([effectSchema, z.literal("by-input")]),
  needsApproval: z.union([z.boolean(), z.literal("by-input")]).optional(),
  hasUndo: z.literal(true).optional(),
  result: z.string().optional(),
  retry: settingsSchema,
  circuitBreaker: settingsSchema,
  /** Those without functions and types. */
  phrases: z.array(z.union([z.string(), z.strictObject({ phrase: z.string(), input: z.looseObject({}) })])).optional(),
  inputSchema: jsonSchemaSchema,
  outputSchema: jsonSchemaSchema.optional(),
});
type RecordedTool = z.output<typeof toolSchema>;

/** The data of an error that a tool threw. */
const errorSchema = z.strictObject({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  /** The time that it asked to wait before another attempt. */
  retryAfterMs: z.number().min(0).optional(),
  details: z.custom<object>((value) => typeof value === "object" && value !== null).optional(),
  get cause() {
    return errorSchema.optional();
  },
});
type RecordedError = z.output<typeof errorSchema>;

const callSchema = z.strictObject({
  tool: z.string(),
  /** As the plan has it, with references filled in, before defaults and transforms. */
  input: valueSchema,
  /** The output that is undone, if the call is one of `undo`. */
  undone: valueSchema.optional(),
  // The end of the call. An output that did not fit its schema, or was not JSON, is known by its issues.
  output: valueSchema.optional(),
  error: errorSchema.optional(),
  invalidOutput: z
    .array(z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
    .optional(),
  // Or the answers of the tool's functions about this input.
  effect: effectSchema.optional(),
  needsApproval: z.boolean().optional(),
});
type RecordedCall = z.output<typeof callSchema>;
/** The identity of a call: all that a replay compares. */
type AskedCall = Pick<RecordedCall, "tool" | "input" | "undone">;

const recordingSchema = z.strictObject({
  version: z.literal(version),
  tools: z.array(toolSchema),
  calls: z.array(callSchema),
});

const toolRecordings: RecordingKind<z.output<typeof recordingSchema>> = {
  parse(json) {
    if (isHolder(json) && "model" in json) {
      throw new Error("it is a recording of a model, which createRecordedModel replays");
    }
    const recording = parseVersion(json, { version, schema: recordingSchema });
    const names = new Set(recording.tools.map(({ name }) => name));
    if (names.size < recording.tools.length) throw new Error("two of its tools have the same name");
    for (const [index, call] of recording.calls.entries()) {
      const { tool, undone, output, error, invalidOutput } = call;
      if (!names.has(tool)) throw new Error(`calls.${index}.tool: "${tool}" is not one of its tools`);
      const outcomes = [output, error, invalidOutput].filter((outcome) => outcome !== undefined).length;
      if (isAnswer(call) && (outcomes > 0 || undone !== undefined))
        throw new Error(`calls.${index} must have an outcome, or what effect and needsApproval answered, and not both`);
      if (!isAnswer(call) && outcomes !== 1)
        throw new Error(`calls.${index} must have one of output, error and invalidOutput`);
    }
    return recording;
  },
  howToRecord: (path) => `To record it again, run once with recordTools(tools, ${JSON.stringify(path)}).`,
};

/** True if a call was one of `effect` or `needsApproval`. */
function isAnswer({ effect, needsApproval }: RecordedCall): boolean {
  return effect !== undefined || needsApproval !== undefined;
}

/*
 * Recording.
 */

type Outcome = Pick<RecordedCall, "output" | "invalidOutput">;

/** Keeps the calls of some tools, secrets included, and writes them to a file without these. */
class ToolRecorder {
  private readonly writer: RecordingWriter;
  private readonly calls: (RecordedCall | undefined)[] = [];
  /** The sensitive parts of each tool; undefined until the first call is recorded. */
  private views: ReadonlyMap<string, SensitiveViews> | undefined;
  /** The secrets, as canonical JSON, in the order of the calls: their placeholders, and the first calls that have them. */
  private readonly secrets = new Map<string, { readonly placeholder: string; readonly place: number }>();
  private texts = new HiddenTexts();
  /** The last call with a secret that no earlier one has. */
  private lastNew = -1;
  /** The places of the answers of functions, by tool and input. */
  private readonly answers = new Map<string, number>();
  /** The latest attempt with each `idempotencyKey`, and the one that returned a value after its signal had aborted. */
  private readonly latest = new Map<string, number>();
  private readonly late = new Map<string, number>();

  constructor(
    private readonly tools: readonly DefinedTool[],
    path: string,
  ) {
    const describe = (tool: DefinedTool) => describeForReplay(tool, toolSchemas(tool) as ToolSchemas);
    this.writer = new RecordingWriter(path, () => ({ version, tools: tools.map(describe) }));
  }

  wrap(tool: DefinedTool): DefinedTool {
    const { name } = tool;
    return wrapTool(tool, {
      call: ({ parsed, written }, context, undone) =>
        this.record({ tool: name, input: written, ...undone }, context, async () => {
          if (undone === undefined) return tool.execute(parsed, context);
          await tool.undo?.({ input: parsed, output: undone.undone }, context);
        }),
      effect: ({ parsed, written }) => {
        const effect = tool.effect(parsed);
        // `effect` is synchronous, so it cannot await this. A run has already loaded the schemas.
        this.keepAnswer({ tool: name, input: written, effect })?.catch(() => {});
        return effect;
      },
      needsApproval: async ({ parsed, written }) => {
        const needsApproval = (await tool.needsApproval?.(parsed)) === true;
        await this.keepAnswer({ tool: name, input: written, needsApproval });
        return needsApproval;
      },
    });
  }

  private async record(
    asked: AskedCall,
    { signal, idempotencyKey }: ToolContext,
    make: () => unknown,
  ): Promise<unknown> {
    const place = this.writer.reserve();
    this.latest.set(idempotencyKey, place);
    // A late value of the attempt before does not count, or there would not be another. The next write removes it.
    const late = this.late.get(idempotencyKey);
    if (late !== undefined) this.set(late, undefined);
    this.late.delete(idempotencyKey);
    let value: unknown;
    let outcome: Outcome;
    try {
      value = await make();
      outcome = await this.outcomeOf(asked, value);
    } catch (thrown) {
      await this.keep(place, signal.aborted ? undefined : { ...asked, error: toRecorded(thrown) });
      throw thrown;
    }
    const isLatest = this.latest.get(idempotencyKey) === place;
    if (signal.aborted && isLatest) this.late.set(idempotencyKey, place);
    await this.keep(place, signal.aborted && !isLatest ? undefined : { ...asked, ...outcome });
    return value;
  }

  /** The output as the run will have it. It is returned as it is, and checked again by the caller. */
  private async outcomeOf({ tool: name, undone }: AskedCall, value: unknown): Promise<Outcome> {
    if (undone !== undefined) return { output: null };
    const { outputSchema } = this.tools.find((tool) => tool.name === name) ?? {};
    const parsed = outputSchema && (await parseWith(outputSchema, value));
    if (parsed?.ok === false) return { invalidOutput: parsed.issues as Outcome["invalidOutput"] };
    const json = toJson(parsed === undefined ? value : parsed.value);
    return json.ok ? { output: json.value } : { invalidOutput: [json.issue] as Outcome["invalidOutput"] };
  }

  /** Keeps what a function of a tool has answered, which a replay without the tool cannot know. */
  private keepAnswer(answer: RecordedCall): void | Promise<void> {
    const key = canonicalJson([answer.tool, answer.input]);
    const place = this.answers.get(key) ?? this.writer.reserve();
    this.answers.set(key, place);
    return this.keep(place, { ...this.calls[place], ...answer });
  }

  /** Records a call, or none. Synchronous, except the first time for zod 3, whose converter is loaded then. */
  private keep(place: number, call: RecordedCall | undefined): void | Promise<void> {
    if (this.views === undefined) {
      const schemas = this.tools.map(toolSchemas);
      if (schemas.some((schema) => schema instanceof Promise))
        return countPending(Promise.all(schemas)).then(() => this.keep(place, call));
      this.views = new Map(
        this.tools.map(({ name }, index) => [name, sensitiveViewsOf(schemas[index] as ToolSchemas)] as const),
      );
    }
    if (call !== undefined) this.set(place, call);
    try {
      this.writer.write();
    } catch (thrown) {
      // The tool has been called: it must not be again, only because of the file.
      throw Object.assign(thrown as Error, { retryable: false });
    }
  }

  /**
   * Sets or deletes a call. Numbers of secrets have the order of the calls: if that changes, all are numbered again. Else
   * only this call is shown again, and those that have a secret that was found in it.
   */
  private set(place: number, call: RecordedCall | undefined): void {
    this.calls[place] = call;
    const isInOrder =
      call !== undefined &&
      this.secretsIn(call).every((key) => (this.secrets.get(key)?.place ?? this.lastNew) <= place);
    if (!isInOrder) {
      this.secrets.clear();
      this.texts = new HiddenTexts();
    }
    const found: string[] = [];
    for (const [at, made] of isInOrder ? [[place, call] as const] : this.calls.entries()) {
      for (const key of made === undefined ? [] : this.secretsIn(made)) {
        if (this.secrets.has(key)) continue;
        const placeholder = `[secret ${this.secrets.size + 1}]`;
        this.secrets.set(key, { placeholder, place: at });
        this.lastNew = at;
        found.push(...this.texts.add(JSON.parse(key) as JsonValue, placeholder));
      }
    }
    for (const [at, made] of this.calls.entries()) {
      if (at === place || !isInOrder || mayContain(made, found)) this.writer.set(at, made && this.hide(made));
    }
  }

  private secretsIn(call: RecordedCall): readonly string[] {
    const found: string[] = [];
    this.mask(call, (secret) => void found.push(canonicalJson(secret)));
    return found;
  }

  /** A call as the file may have it. */
  private hide(call: RecordedCall): RecordedCall {
    const masked = this.mask(call, (secret) => this.secrets.get(canonicalJson(secret))?.placeholder);
    const hide = <T>(value: T) => hideIn(value, this.texts);
    const { input, undone, output, error, invalidOutput } = masked;
    return {
      ...masked,
      input: isAnswer(call) ? withoutNumbers(hide(input)) : hide(input),
      undone: hide(undone),
      output: hide(output),
      error: error && hideInError(error, this.texts),
      // The keys are not part of what a tool has said.
      invalidOutput: invalidOutput?.map((issue) => mapItems(issue, hide)),
    };
  }

  /** A call with replacements for the parts that are sensitive by their schema. */
  private mask(call: RecordedCall, replace: (secret: unknown) => unknown): RecordedCall {
    const { input: inputView, output: outputView } = this.views?.get(call.tool) ?? {};
    if (inputView === undefined && outputView === undefined) return call;
    const { input, undone, output } = call;
    return {
      ...call,
      input: mapSecrets(input, inputView, replace),
      undone: mapSecrets(undone, outputView, replace),
      output: mapSecrets(output, outputView, replace),
    };
  }
}

/** True if a call may contain one of these texts. Half of a surrogate pair is not found in JSON. */
function mayContain(call: RecordedCall | undefined, texts: readonly string[]): boolean {
  if (texts.length === 0) return false;
  const json = JSON.stringify(call) ?? "";
  return texts.some((text) => !text.isWellFormed() || json.includes(JSON.stringify(text).slice(1, -1)));
}

function hideInError(error: RecordedError, texts: HiddenTexts): RecordedError {
  return mapItems(error, (item, key) => {
    if (key === "cause") return item && hideInError(item as RecordedError, texts);
    return key === "retryAfterMs" ? item : hideIn(item, texts);
  });
}

function toRecorded(thrown: unknown): RecordedError {
  const askedMs = retryAfterMs(thrown, systemClock.now());
  return { ...(toErrorData(thrown) as RecordedError), ...(askedMs !== undefined && { retryAfterMs: askedMs }) };
}

/** Describes a tool, so that it can be replayed without it. */
function describeForReplay(tool: DefinedTool, { input, output }: ToolSchemas): RecordedTool {
  const { name, description, declaredEffect, declaredNeedsApproval, result, phrases } = tool;
  const plain = Array.isArray(phrases) ? phrases.filter(isPlain).map(toPlain) : [];
  return {
    name,
    description,
    effect: declaredEffect,
    ...defined({
      needsApproval: declaredNeedsApproval || undefined,
      hasUndo: tool.undo && (true as const),
      result,
      retry: finite(tool.retry),
      circuitBreaker: finite(tool.circuitBreaker),
      phrases: plain.length > 0 ? plain : undefined,
    }),
    inputSchema: input,
    ...(output && { outputSchema: output }),
  };
}

/** JSON has no `Infinity`: without it, the agent's setting counts, or none. */
function finite(settings: object | undefined): Record<string, number> | undefined {
  if (settings === undefined) return undefined;
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => Number.isFinite(value)));
}

function isPlain({ slots, toInput }: ToolPhrase): boolean {
  return slots === undefined && toInput === undefined;
}

function toPlain({ phrase, input }: ToolPhrase) {
  return input === undefined ? phrase : { phrase, input };
}

/*
 * Replaying.
 */

/** A call beside a recorded one. */
interface ToolComparison extends Comparison {
  /** With the placeholders of the recorded one for secrets that may be the same. */
  readonly asked: { readonly input: unknown; readonly output: unknown };
  /** The secret of each placeholder that had none before, as canonical JSON, if the calls are the same. */
  readonly given: ReadonlyMap<string, string>;
}

/**
 * Answers calls from a recording.
 *
 * Where a secret was recorded, any value matches, but the same one wherever its placeholder stands. Of several calls that
 * match, one where different secrets also differ comes first, then the one that was recorded first.
 */
class ToolReplay {
  private readonly replay: Replay<RecordedCall>;
  /** The secret that was given for each placeholder, as canonical JSON. */
  private readonly given = new Map<string, string>();
  /** The secrets that were given. */
  private readonly secrets = new Set<string>();
  private readonly texts = new HiddenTexts();

  constructor(
    private readonly path: string,
    private readonly calls: readonly RecordedCall[],
  ) {
    const { howToRecord } = toolRecordings;
    this.replay = new Replay(path, calls, { howToRecord, identityOf, unmade: "not made", isAnswer });
  }

  assertComplete(): void {
    this.replay.assertComplete();
  }

  wrap(tool: DefinedTool): DefinedTool {
    const { name } = tool;
    /**
     * The issues of each output that was returned. Its schema has checked it when it was recorded, and would not accept
     * it again: a `Date` has become text, and a placeholder stands for a secret number.
     */
    const outputs = new Map<unknown, readonly SchemaIssue[]>();
    const hasInvalid = this.calls.some(({ tool, invalidOutput }) => tool === name && invalidOutput !== undefined);
    // Without a schema an output is invalid if it is not JSON. The file does not have it, so its issues are reported instead.
    const outputSchema = tool.outputSchema ?? (hasInvalid ? uncheckedSchema({}) : undefined);
    return wrapTool(tool, {
      call: async ({ written }, { signal }, undone) => {
        signal.throwIfAborted();
        const views = sensitiveViewsOf(await toolSchemas(tool));
        const { output, error, invalidOutput = [] } = this.answer({ tool: name, input: written, ...undone }, views);
        if (error !== undefined) throw toThrown(error);
        const returned = invalidOutput.length > 0 ? {} : copyJson(output);
        outputs.set(returned, invalidOutput);
        return returned;
      },
      effect: ({ parsed }) => tool.effect(parsed),
      needsApproval: ({ parsed }) => tool.needsApproval?.(parsed) ?? false,
      outputSchema:
        outputSchema &&
        withValidate(outputSchema, (value) => {
          const issues = outputs.get(value);
          if (issues === undefined) return outputSchema["~standard"].validate(value);
          return issues.length === 0 ? { value } : { issues };
        }),
    });
  }

  private answer(asked: AskedCall, views: SensitiveViews): RecordedCall {
    const { tool, undone } = asked;
    const compare = (call: RecordedCall) => this.compare(asked, call, views);
    const found = this.replay.take(asked, compare, ({ given }) => this.areOthers([...given.values()]));
    if (found === undefined) {
      const isAlike = (call: RecordedCall) =>
        call.tool === tool && (call.undone === undefined) === (undone === undefined) && !isAnswer(call);
      const from = undone === undefined ? tool : `${tool}.undo`;
      const shown = withoutNumbers(this.compare(asked, { tool, input: null }, views).asked.input);
      const miss = { from, asked: `its input is ${cutJson(shown)}`, of: ` of ${from}` };
      const compareAlike = (call: RecordedCall) => (isAlike(call) ? compare(call) : undefined);
      throw Object.assign(this.replay.miss(miss, compareAlike), { retryable: false });
    }
    for (const [placeholder, key] of found.comparison.given) {
      this.given.set(placeholder, key);
      this.secrets.add(key);
      this.texts.add(JSON.parse(key) as JsonValue, placeholder);
    }
    return found.call;
  }

  /** True if these secrets differ from each other and from those that were given before. */
  private areOthers(secrets: readonly string[]): boolean {
    return new Set(secrets).size === secrets.length && !secrets.some((secret) => this.secrets.has(secret));
  }

  private compare(asked: AskedCall, recorded: AskedCall, { input, output }: SensitiveViews): ToolComparison {
    const given = new Map<string, string>();
    const others: (readonly [secret: JsonValue, shown: string])[] = [];
    const mask = (part: "input" | "undone", view: SensitiveView | undefined) =>
      mapSecrets(asked[part], view, (secret, path) => {
        // An output of the recording, inserted by a reference.
        if (isPlaceholder(secret)) return secret;
        const key = canonicalJson(secret);
        const placeholder = valueAt(recorded[part], path);
        if (isPlaceholder(placeholder) && (this.given.get(placeholder) ?? given.get(placeholder) ?? key) === key) {
          if (!this.given.has(placeholder)) given.set(placeholder, key);
          return placeholder;
        }
        const shown = isPlaceholder(placeholder) ? anotherSecret : anySecret;
        others.push([secret as JsonValue, shown]);
        return shown;
      });
    const masked = { input: mask("input", input), output: mask("undone", output) };
    const texts = new HiddenTexts();
    for (const [placeholder, key] of given) texts.add(JSON.parse(key) as JsonValue, placeholder);
    for (const [secret, shown] of others) texts.add(secret, shown);
    const expected = { input: recorded.input, output: recorded.undone };
    const hide = <T>(part: T): T => hideIn(hideIn(part, texts), this.texts);
    return { asked: hideDifferent(masked, expected, hide) as ToolComparison["asked"], recorded: expected, given };
  }

  /** A tool as the recording describes it, without what it does. Throws an error that names the file. */
  restore(recorded: RecordedTool): DefinedTool {
    const { name, inputSchema, outputSchema, effect, needsApproval, hasUndo, phrases, ...rest } = recorded;
    const views = sensitiveViewsOf({ input: inputSchema, output: outputSchema });
    const answers = new CallIndex();
    for (const [place, call] of this.calls.entries())
      if (call.tool === name && isAnswer(call)) answers.add(place, identityOf(call));
    const answer = <K extends "effect" | "needsApproval">(input: unknown, key: K): NonNullable<RecordedCall[K]> => {
      const question = { tool: name, input: input as JsonValue };
      for (const place of answers.find(question).flat()) {
        const call = this.calls[place] as RecordedCall;
        const { asked, recorded } = this.compare(question, call, views);
        if (call[key] !== undefined && isSame({ asked: withoutNumbers(asked), recorded })) return call[key];
      }
      const { asked } = this.compare(question, { tool: name, input: null }, views);
      const why = `no call had it: ${canonicalJson(withoutNumbers(asked.input))}`;
      throw Object.assign(this.replay.fail(`from ${name}.${key} for this input`, why), { retryable: false });
    };
    try {
      return define({
        ...rest,
        name,
        inputSchema: toSchema(inputSchema),
        outputSchema: outputSchema && toSchema(outputSchema),
        effect: effect === "by-input" ? (input) => answer(input, "effect") : effect,
        needsApproval: needsApproval === "by-input" ? (input) => answer(input, "needsApproval") : needsApproval,
        phrases: phrases as Tool["phrases"],
        execute: () => {},
        undo: hasUndo && (() => {}),
      } satisfies Tool);
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : describeThrown(thrown);
      throw new Error(`The recording "${this.path}" cannot be replayed: its tool "${name}" is not valid: ${reason}`, {
        cause: thrown,
      });
    }
  }
}

/** The part of a call that a replay compares. */
function identityOf({ tool, input, undone }: AskedCall): AskedCall {
  return { tool, input, undone };
}

/**
 * A value with its secrets hidden by `hide`. A text that is as recorded stays: it was no secret there, even if it contains
 * one that was given, such as "test".
 */
function hideDifferent(value: unknown, recorded: unknown, hide: <T>(part: T) => T): unknown {
  if (value === recorded) return value;
  if (!isHolder(value) || !isHolder(recorded)) return hide(value);
  if (Array.isArray(value)) return value.map((item, index) => hideDifferent(item, valueAt(recorded, [index]), hide));
  const entries = Object.entries(value).map(([key, item]) => {
    const shown = Object.hasOwn(recorded, key) ? key : hide(key);
    return [shown, hideDifferent(item, valueAt(recorded, [shown]), hide)] as const;
  });
  return Object.fromEntries(entries);
}

/** The part of a value at a path; undefined if it has none. */
function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (part, key) => (isHolder(part) && Object.hasOwn(part, key) ? part[key as keyof object] : undefined),
    value,
  );
}

/** An error with the recorded data, whose stack is not that of the replay. */
function toThrown({ cause, retryAfterMs, ...data }: RecordedError): Error {
  const { name, message, ...rest } = data;
  const inner = cause && toThrown(cause);
  const error = isAgentError(data)
    ? fromErrorData({ ...(data as AgentErrorData), cause: inner })
    : Object.assign(new Error(message, inner && { cause: inner }), { name }, rest);
  error.stack = `${name}: ${message}`;
  return retryAfterMs === undefined ? error : Object.assign(error, { retryAfterMs });
}

/**
 * A JSON Schema as a schema of a tool. One that cannot be checked, as its library has formats of its own, accepts
 * anything: no call with another input is recorded.
 */
function toSchema(schema: JsonSchema): StandardSchema {
  try {
    return jsonSchema<unknown>(schema);
  } catch {
    return uncheckedSchema(schema);
  }
}

function uncheckedSchema(schema: JsonSchema): StandardSchema {
  const jsonSchema = { input: () => schema, output: () => schema };
  return { "~standard": { version: 1, vendor: "planwright", validate: (value) => ({ value }), jsonSchema } };
}

/*
 * Secrets. A file has a placeholder in place of each, such as `[secret 1]`.
 */

/** Stands for a secret where it does not matter which. */
const anySecret = "[secret]";

/** Stands for a secret that should have been that of a placeholder, but is not. */
const anotherSecret = "[another secret]";

/** True if a value stands for a secret of a recording. */
function isPlaceholder(value: unknown): value is string {
  return typeof value === "string" && /^\[secret \d+\]$/.test(value);
}

/** A JSON value with {@link anySecret} in place of all numbered placeholders. */
function withoutNumbers<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replace(/\[secret \d+\]/g, anySecret)) as T;
}

/** A value with replacements for the parts that its schema marks as sensitive. */
function mapSecrets<T>(
  value: T,
  view: SensitiveView | undefined,
  replace: (secret: unknown, path: Path) => unknown,
): T {
  return value === undefined ? value : (mapSensitive({ value, view, path: [] }, { replace }) as T);
}

/** A value whose texts, numbers and keys contain no hidden text. */
function hideIn<T>(value: T, texts: HiddenTexts): T {
  if (texts.isEmpty) return value;
  if (typeof value === "string") {
    // A placeholder may itself contain a secret, such as "secret": it stands for itself.
    for (const [placeholder] of value.matchAll(/\[(?:another )?secret(?: \d+)?\]/g))
      texts.add(placeholder, placeholder);
  }
  if (!isHolder(value)) return texts.hideIn(value);
  if (Array.isArray(value)) return value.map((item) => hideIn(item, texts)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [hideIn(key, texts), hideIn(item, texts)] as const),
  ) as T;
}

/*
 * Tools like others.
 */

/** An input in both of its forms. */
class ParsedInput {
  constructor(
    /** The value that the tool's schema made of it. */
    readonly parsed: unknown,
    /** As the plan has it: JSON. */
    readonly written: JsonValue,
  ) {}
}

/** The functions that are called in place of a tool's own. */
interface ToolFunctions {
  /** Called for `execute` and, with the output that is undone, for `undo`. */
  call(input: ParsedInput, context: ToolContext, undone?: { readonly undone: JsonValue }): Promise<unknown>;
  /** Only for a tool whose effect depends on the input. */
  effect(input: ParsedInput): ToolEffect;
  /** Only for a tool whose need for approval depends on the input. */
  needsApproval(input: ParsedInput): boolean | Promise<boolean>;
  readonly outputSchema?: StandardSchema | undefined;
}

/**
 * A tool like another one, for planners and runs, that calls other functions. They get the input as it was written, too:
 * the parsed one may contain what is not JSON, or differ at each attempt.
 */
function wrapTool(tool: DefinedTool, functions: ToolFunctions): DefinedTool {
  const { inputSchema, outputSchema, declaredEffect, declaredNeedsApproval, undo } = tool;
  return define({
    ...tool,
    inputSchema: keepWritten(inputSchema),
    outputSchema: functions.outputSchema ?? outputSchema,
    effect: declaredEffect === "by-input" ? (input) => functions.effect(toParsedInput(input)) : declaredEffect,
    needsApproval:
      declaredNeedsApproval === "by-input"
        ? (input) => functions.needsApproval(toParsedInput(input))
        : declaredNeedsApproval,
    execute: (input, context) => functions.call(toParsedInput(input), context),
    undo:
      undo &&
      (({ input, output }: UndoneCall<unknown, unknown>, context: ToolContext) =>
        functions.call(toParsedInput(input), context, { undone: output as JsonValue })),
  });
}

/** A test may call a tool directly, with an input that no schema has parsed. */
function toParsedInput(input: unknown): ParsedInput {
  return input instanceof ParsedInput ? input : new ParsedInput(input, writtenOf(input));
}

function writtenOf(value: unknown): JsonValue {
  const json = toJson(value);
  return json.ok ? json.value : null;
}

function keepWritten(schema: StandardSchema): StandardSchema<unknown, ParsedInput> {
  return withValidate(schema, (value) => {
    // Before the tool gets it, which may change it.
    const written = writtenOf(value);
    const parsing = schema["~standard"].validate(value);
    const keep = (result: Awaited<typeof parsing>) =>
      result.issues === undefined ? { value: new ParsedInput(result.value, written) } : result;
    return parsing instanceof Promise ? parsing.then(keep) : keep(parsing);
  }) as StandardSchema<unknown, ParsedInput>;
}

/** A copy of a schema, of the same library and with the same JSON Schema, that checks values in another way. */
function withValidate(schema: StandardSchema, validate: StandardSchema["~standard"]["validate"]): StandardSchema {
  const standard = { ...schema["~standard"], validate };
  return Object.defineProperty(copyOf(schema), "~standard", { value: standard }) as StandardSchema;
}

function copyOf(schema: StandardSchema): object {
  switch (zodVersionOf(schema)) {
    case 3: {
      const { constructor: Schema, _def } = schema as unknown as {
        constructor: new (definition: unknown) => object;
        _def: unknown;
      };
      return new Schema(_def);
    }
    case 4:
      // It keeps what the original was registered with.
      return (schema as unknown as { clone(): object }).clone();
    default:
      return {};
  }
}
