import { jsonSchema } from "../adapters/schemas/index.ts";
import { define, indexTools } from "../core/define-tool.ts";
import { type AgentErrorData, fromErrorData, isAgentError } from "../core/errors.ts";
import { canonicalJson, copyJson, type JsonValue, toJson } from "../core/json.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { checkKeys, defined, failOption } from "../core/options.ts";
import type { SchemaIssue, StandardSchema } from "../core/schema.ts";
import { sensitiveViewOf } from "../core/sensitive-paths.ts";
import { describeThrown } from "../core/text.ts";
import type { DefinedTool, InferToolInput, InferToolOutput, Tool, ToolContext } from "../core/tool.ts";
import { toolSchemas } from "../core/tool-schemas.ts";
import { type SensitiveViews, sensitiveViewsOf } from "../runs/secrets/sensitive-values.ts";
import { CallMatcher } from "./call-matcher.ts";
import { withoutSecrets } from "./recorded-secrets.ts";
import { Misses, readRecording } from "./recording.ts";
import {
  type AskedToolCall,
  isAnswer,
  type RecordedAnswer,
  type RecordedError,
  type RecordedTool,
  type ToolRecording,
  toolRecordings,
} from "./tool-recording.ts";
import { wrapTool } from "./wrap-tool.ts";

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
    failOption("options.tools", given?.map(({ name }) => name).join(", "), `all recorded tools, also ${unknown.name}`);
  }
  const replay = new Replay(path, calls);
  const answers = calls.filter(isAnswer);
  const restored = given ?? tools.map((tool) => restoreTool(tool, { answers, replay }));
  const replayed = restored.map((tool) => replayTool(tool, replay));
  return Object.assign(replayed, { assertComplete: () => replay.assertComplete() });
}

function replayTool(tool: DefinedTool, replay: Replay): DefinedTool {
  const { name } = tool;
  const outputs = new RecordedOutputs(tool);
  let views: SensitiveViews | undefined;
  const answer = async (asked: AskedToolCall, { signal }: ToolContext) => {
    signal.throwIfAborted();
    views ??= sensitiveViewsOf(await toolSchemas(tool));
    const { outcome } = replay.take(asked, views);
    if (outcome.type === "error") throw toThrown(outcome.error);
    return outcome.type === "output" ? outputs.valid(copyJson(outcome.output)) : outputs.invalid(outcome.issues);
  };
  return wrapTool(tool, {
    execute: ({ written }, context) => answer({ tool: name, input: written }, context),
    undo: ({ written }, output, context) =>
      answer({ tool: name, input: written, undone: output as JsonValue }, context),
    effect: ({ parsed }) => tool.effect(parsed),
    needsApproval: ({ parsed }) => tool.needsApproval?.(parsed) ?? false,
    checkOutput: (value) => outputs.check(value),
  });
}

/** The calls of a recording, and those that it could not answer. */
class Replay {
  readonly matcher: CallMatcher;
  private readonly misses: Misses;

  constructor(
    readonly path: string,
    calls: ToolRecording["calls"],
  ) {
    this.matcher = new CallMatcher(calls);
    this.misses = new Misses(path, toolRecordings.howToRecord);
  }

  take(asked: AskedToolCall, views: SensitiveViews) {
    const call = this.matcher.take(asked, views);
    if (call !== undefined) return call;
    const of = asked.undone === undefined ? asked.tool : `${asked.tool}.undo`;
    return this.fail(`from ${of} for this call`, this.matcher.describeMiss(asked, views));
  }

  /** Reports that the recording has no answer. The error says that it is final, so it is not retried. */
  fail(what: string, why: string): never {
    throw Object.assign(this.misses.add(what, why), { retryable: false });
  }

  assertComplete(): void {
    const { unused, count } = this.matcher;
    this.misses.assertNone({ unused, count, unmade: "not made" });
  }
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
 * The outputs that a replayed tool returns. Its schema has checked them when they were recorded, and would not accept
 * them again: a `Date` has become text, and a placeholder stands for a secret number.
 */
class RecordedOutputs {
  /** Each output with its issues, if it was invalid. */
  private readonly known = new Map<unknown, readonly SchemaIssue[] | undefined>();

  constructor(private readonly tool: Pick<Tool, "outputSchema">) {}

  /** Returns an output that passes the check. */
  valid(output: unknown): unknown {
    this.known.set(output, undefined);
    return output;
  }

  /** Returns an output that has these issues. Without a schema an output is invalid only if it is not JSON. */
  invalid(issues: readonly SchemaIssue[]): unknown {
    const [issue] = issues;
    if (this.tool.outputSchema === undefined && issue !== undefined) return notJson(issue);
    const output = {};
    this.known.set(output, issues);
    return output;
  }

  check(value: unknown): ReturnType<StandardSchema["~standard"]["validate"]> {
    if (!this.known.has(value)) return this.tool.outputSchema?.["~standard"].validate(value) ?? { value };
    const issues = this.known.get(value);
    return issues === undefined ? { value } : { issues: issues.map((issue) => ({ ...issue, path: [...issue.path] })) };
  }
}

/** A tool as a recording describes it, without what it does. Throws an error that names the file. */
function restoreTool(
  recorded: RecordedTool,
  { answers, replay }: { readonly answers: readonly RecordedAnswer[]; readonly replay: Replay },
): DefinedTool {
  const { name, description, result, retry, circuitBreaker, phrases } = recorded;
  const own = answers.filter(({ tool }) => tool === name);
  const answer = answering(recorded, own, replay);
  try {
    return define({
      name,
      description,
      inputSchema: schemaOf(recorded.inputSchema),
      outputSchema: recorded.outputSchema && schemaOf(recorded.outputSchema),
      effect: recorded.effect === "by-input" ? (input) => answer(input, "effect") : recorded.effect,
      needsApproval:
        recorded.needsApproval === "by-input" ? (input) => answer(input, "needsApproval") : recorded.needsApproval,
      result,
      retry,
      circuitBreaker,
      phrases: phrases as Tool["phrases"],
      execute: () => {},
      undo: recorded.hasUndo && (() => {}),
    } satisfies Tool);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : describeThrown(thrown);
    throw new Error(`The recording "${replay.path}" cannot be replayed: its tool "${name}" is not valid: ${reason}`, {
      cause: thrown,
    });
  }
}

/** Answers as the functions of a tool answered about an input. */
function answering({ name, inputSchema }: RecordedTool, answers: readonly RecordedAnswer[], replay: Replay) {
  const view = sensitiveViewOf(inputSchema);
  const byInput = new Map<string, Pick<RecordedAnswer, "effect" | "needsApproval">>();
  for (const { input, effect, needsApproval } of answers) {
    const key = canonicalJson(input);
    byInput.set(key, { ...byInput.get(key), ...defined({ effect, needsApproval }) });
  }
  return <K extends "effect" | "needsApproval">(input: unknown, question: K): NonNullable<RecordedAnswer[K]> => {
    const key = canonicalJson(replay.matcher.hide(input as JsonValue, view));
    // A text may contain a given secret, such as "test", by chance: then it is recorded as it is.
    const known = byInput.get(canonicalJson(withoutSecrets(input as JsonValue, view))) ?? byInput.get(key);
    return known?.[question] ?? replay.fail(`from ${name}.${question} for this input`, `no call had it: ${key}`);
  };
}

/**
 * A JSON Schema as a schema of a tool. One that cannot be checked, as its library has formats of its own, accepts
 * anything: no call with another input is recorded.
 */
function schemaOf(schema: JsonSchema): StandardSchema {
  try {
    return jsonSchema<unknown>(schema);
  } catch {
    const tell = () => schema;
    return {
      "~standard": {
        version: 1,
        vendor: "planwright",
        validate: (value) => ({ value }),
        jsonSchema: { input: tell, output: tell },
      },
    };
  }
}

/** A value that is not JSON, for the same reason at the same place. */
function notJson({ path, message }: SchemaIssue): unknown {
  let value = refusedWith(message);
  const holders: object[] = [];
  for (const key of path.toReversed()) {
    const holder: object = typeof key === "number" ? Object.assign([], { [key]: value }) : { [key]: value };
    holders.push(holder);
    value = holder;
  }
  const [last] = holders;
  const key = path.at(-1);
  // Only a cycle can be too deep.
  if (last !== undefined && key !== undefined && message === reasonOf(cycle)) Object.assign(last, { [key]: value });
  return value;
}

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

/** A value for which this is the reason why it is not JSON. */
function refusedWith(message: string): unknown {
  const [, tag] = /^a (.+?) is not JSON/s.exec(message) ?? [];
  const values: readonly unknown[] = [
    1n,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    () => {},
    Symbol(),
    new Uint8Array(),
    new Date(Number.NaN),
    Object.create({ [Symbol.toStringTag]: tag }),
    throwing(message.replace(/^.*? threw: /s, "")),
  ];
  return values.find((value) => reasonOf(value) === message) ?? throwing(message);
}

function reasonOf(value: unknown): string | undefined {
  const json = toJson(value);
  return json.ok ? undefined : json.issue.message;
}

function throwing(text: string): object {
  return {
    toJSON() {
      throw text;
    },
  };
}
