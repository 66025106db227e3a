import { indexTools } from "../core/define-tool.ts";
import { type AgentErrorData, fromErrorData, isAgentError } from "../core/errors.ts";
import { copyJson, type JsonValue } from "../core/json.ts";
import { checkKeys, failOption } from "../core/options.ts";
import type { SchemaIssue, StandardSchema } from "../core/schema.ts";
import type { DefinedTool, InferToolInput, InferToolOutput, Tool, ToolContext } from "../core/tool.ts";
import { toolSchemas } from "../core/tool-schemas.ts";
import { type SensitiveViews, sensitiveViewsOf } from "../runs/secrets/sensitive-values.ts";
import { CallMatcher } from "./recorded-tools/call-matcher.ts";
import { restoreTool } from "./recorded-tools/restore-tool.ts";
import { type AskedToolCall, isAnswer, type RecordedError, toolRecordings } from "./recorded-tools/tool-recording.ts";
import { wrapTool } from "./recorded-tools/wrap-tool.ts";
import { readRecording } from "./recording-file.ts";

/** Options of {@link replayTools}. @inline */
export interface ReplayToolsOptions<TTools extends readonly Tool[]> {
  /** The recorded tools. Neither `execute` nor `undo` of them is ever called. */
  tools: TTools;
}

/** What a list of replayed tools has beside them. @inline */
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
  const replay = new Replay(path, new CallMatcher(calls));
  const answers = calls.filter(isAnswer);
  const restored = given ?? tools.map((tool) => restoreTool(tool, { path, answers, replay }));
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
  private readonly misses: string[] = [];

  constructor(
    private readonly path: string,
    readonly matcher: CallMatcher,
  ) {}

  take(asked: AskedToolCall, views: SensitiveViews) {
    const call = this.matcher.take(asked, views);
    if (call !== undefined) return call;
    const of = asked.undone === undefined ? asked.tool : `${asked.tool}.undo`;
    return this.fail(`from ${of} for this call`, this.matcher.describeMiss(asked, views));
  }

  /** Reports that the recording has no answer. The error says that it is final, so it is not retried. */
  fail(what: string, why: string): never {
    this.misses.push(why);
    const { path } = this;
    const message = `The recording "${path}" has no answer ${what}: ${why}. ${toolRecordings.howToRecord(path)}`;
    throw Object.assign(new Error(message), { retryable: false });
  }

  assertComplete(): void {
    const { path, misses, matcher } = this;
    if (misses.length > 0) {
      const count = misses.length === 1 ? "1 call" : `${misses.length} calls`;
      throw new Error(`The recording "${path}" had no answer to ${count}; to the first, ${misses[0]}.`);
    }
    const { unused, count } = matcher;
    if (unused.length === 0) return;
    const which = unused.map((index) => `calls[${index}]`).join(", ");
    throw new Error(
      `The recording "${path}" has ${count} calls; not made: ${which}. ${toolRecordings.howToRecord(path)}`,
    );
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

type Validated = ReturnType<StandardSchema["~standard"]["validate"]>;

/**
 * The outputs that a replayed tool returns. Its schema has checked them when they were recorded, and would not accept
 * them again: a `Date` has become text, and a placeholder stands for a secret number.
 */
class RecordedOutputs {
  private readonly objects = new WeakSet<object>();
  private readonly others = new Set<unknown>();
  private readonly issuesOf = new WeakMap<object, readonly SchemaIssue[]>();

  constructor(private readonly tool: Pick<Tool, "outputSchema">) {}

  /** An output that passes the check. */
  valid(output: unknown): unknown {
    if (typeof output === "object" && output !== null) this.objects.add(output);
    else this.others.add(output);
    return output;
  }

  /** What a tool returns to have these issues found with its output. */
  invalid(issues: readonly SchemaIssue[]): unknown {
    const [issue] = issues;
    // Without a schema there is only the check whether it is JSON.
    if (this.tool.outputSchema === undefined && issue !== undefined) return notJson(issue);
    const output = {};
    this.issuesOf.set(output, issues);
    return output;
  }

  check(value: unknown): Validated {
    const isObject = typeof value === "object" && value !== null;
    const issues = isObject ? this.issuesOf.get(value) : undefined;
    if (issues !== undefined) return { issues: issues.map(({ path, message }) => ({ path: [...path], message })) };
    if (isObject ? this.objects.has(value) : this.others.has(value)) return { value };
    return this.tool.outputSchema?.["~standard"].validate(value) ?? { value };
  }
}

/** A value whose part at the path is not JSON, for a reason that says the message. */
function notJson({ path, message }: SchemaIssue): unknown {
  const part: unknown = {
    toJSON() {
      throw message;
    },
  };
  return path.reduceRight<unknown>(
    (value, key) => (typeof key === "number" ? Object.assign([], { [key]: value }) : { [key]: value }),
    part,
  );
}
