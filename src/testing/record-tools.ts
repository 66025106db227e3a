import { systemClock } from "../async/clock.ts";
import { countPending } from "../async/promises.ts";
import { retryAfterMs } from "../async/retry.ts";
import { indexTools } from "../core/define-tool.ts";
import { type ErrorData, toErrorData } from "../core/error-data.ts";
import { canonicalJson, type JsonValue, toJson } from "../core/json.ts";
import { defined, failOption } from "../core/options.ts";
import { parseWith } from "../core/schema.ts";
import type {
  DefinedTool,
  InferToolInput,
  InferToolOutput,
  InferToolResources,
  Tool,
  ToolContext,
  ToolPhrase,
} from "../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../core/tool-schemas.ts";
import { sensitiveViewsOf } from "../runs/secrets/sensitive-values.ts";
import { HiddenCalls } from "./recorded-secrets.ts";
import { RecordingWriter } from "./recording.ts";
import {
  type AskedToolCall,
  printToolCall,
  type RecordedAnswer,
  type RecordedError,
  type RecordedTool,
  type RecordedToolCall,
  type ToolCallOutcome,
  toolRecordingVersion,
} from "./tool-recording.ts";
import { type ParsedInput, wrapTool } from "./wrap-tool.ts";

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
  return defined.map((tool) => recordTool(tool, recorder)) as unknown as SameTools<TTools>;
}

function recordTool(tool: DefinedTool, recorder: ToolRecorder): DefinedTool {
  return wrapTool(tool, {
    execute: ({ parsed, written }, context) =>
      recorder.record({ tool: tool.name, input: written }, context, async () => {
        const value = await tool.execute(parsed, context);
        return { value, outcome: await outcomeOf(tool, value) };
      }),
    undo: ({ parsed, written }, output, context) =>
      recorder.record({ tool: tool.name, input: written, undone: output as JsonValue }, context, async () => {
        await tool.undo?.({ input: parsed, output }, context);
        return { value: undefined, outcome: { type: "output", output: null } };
      }),
    effect(input) {
      const effect = tool.effect(input.parsed);
      // `effect` is synchronous, so it cannot await this. A run has already loaded the schemas.
      recorder.keepAnswer(tool, input, { effect })?.catch(() => {});
      return effect;
    },
    async needsApproval(input) {
      const needsApproval = (await tool.needsApproval?.(input.parsed)) === true;
      await recorder.keepAnswer(tool, input, { needsApproval });
      return needsApproval;
    },
  });
}

/** The output as the run will have it. It is returned as it is, and checked again by the caller. */
async function outcomeOf({ outputSchema }: DefinedTool, value: unknown): Promise<ToolCallOutcome> {
  const parsed = outputSchema && (await parseWith(outputSchema, value));
  if (parsed?.ok === false) return { type: "invalid-output", issues: parsed.issues };
  const json = toJson(parsed === undefined ? value : parsed.value);
  return json.ok ? { type: "output", output: json.value } : { type: "invalid-output", issues: [json.issue] };
}

interface Made {
  readonly value: unknown;
  readonly outcome: ToolCallOutcome;
}

interface Attempt {
  readonly place: number;
  /** True if it returned a value although its signal had aborted. */
  readonly isLate: boolean;
}

interface KeptAnswer {
  readonly place: number;
  readonly answer: RecordedAnswer;
}

/** Keeps the calls of some tools, secrets included, and writes them to a file without these. */
class ToolRecorder {
  private readonly writer: RecordingWriter;
  /** The answers by tool and input. */
  private readonly answers = new Map<string, KeptAnswer>();
  /** The latest attempt with each `idempotencyKey`, while it is being made, or if its value was late. */
  private readonly latest = new Map<string, Attempt>();
  private hidden: HiddenCalls | undefined;

  constructor(
    private readonly tools: readonly DefinedTool[],
    path: string,
  ) {
    this.writer = new RecordingWriter(path, () => ({
      version: toolRecordingVersion,
      tools: tools.map((tool) => describeForReplay(tool, known(tool))),
    }));
  }

  async record(
    asked: AskedToolCall,
    { signal, idempotencyKey }: ToolContext,
    make: () => Promise<Made>,
  ): Promise<unknown> {
    const place = this.begin(idempotencyKey);
    let made: Made;
    try {
      made = await make();
    } catch (thrown) {
      this.end(idempotencyKey, { place, isLate: false });
      if (!signal.aborted) await this.keep(place, { ...asked, outcome: { type: "error", error: toRecorded(thrown) } });
      throw thrown;
    }
    const isLatest = this.end(idempotencyKey, { place, isLate: signal.aborted });
    if (isLatest || !signal.aborted) await this.keep(place, { ...asked, outcome: made.outcome });
    return made.value;
  }

  /** Returns the place of an attempt. A late value of the one before does not count, or there would not be another. */
  private begin(idempotencyKey: string): number {
    const before = this.latest.get(idempotencyKey);
    const attempt: Attempt = { place: this.writer.reserve(), isLate: false };
    this.latest.set(idempotencyKey, attempt);
    if (before?.isLate && this.hidden !== undefined) this.write(this.hidden.delete(before.place));
    return attempt.place;
  }

  /** Returns whether an attempt that has ended is the latest one. */
  private end(idempotencyKey: string, attempt: Attempt): boolean {
    if (this.latest.get(idempotencyKey)?.place !== attempt.place) return false;
    if (attempt.isLate) this.latest.set(idempotencyKey, attempt);
    else this.latest.delete(idempotencyKey);
    return true;
  }

  /** Keeps what a function of a tool has answered, which a replay without the tool cannot know. */
  keepAnswer(
    { name }: DefinedTool,
    { written }: ParsedInput,
    { effect, needsApproval }: Pick<RecordedAnswer, "effect" | "needsApproval">,
  ): void | Promise<void> {
    const key = canonicalJson([name, written]);
    const before = this.answers.get(key);
    const answer: RecordedAnswer = {
      tool: name,
      input: written,
      effect: effect ?? before?.answer.effect,
      needsApproval: needsApproval ?? before?.answer.needsApproval,
    };
    if (before?.answer.effect === answer.effect && before?.answer.needsApproval === answer.needsApproval) return;
    const place = before?.place ?? this.writer.reserve();
    this.answers.set(key, { place, answer });
    return this.keep(place, answer);
  }

  /** Records a call. Synchronous, except the first time for zod 3, which loads its converter. */
  private keep(place: number, call: RecordedToolCall | RecordedAnswer): void | Promise<void> {
    if (this.hidden !== undefined) return this.write(this.hidden.set(place, call));
    const schemas = this.tools.map(toolSchemas);
    const start = () => {
      const views = new Map(this.tools.map((tool) => [tool.name, sensitiveViewsOf(known(tool))] as const));
      this.hidden ??= new HiddenCalls((name) => views.get(name));
      this.write(this.hidden.set(place, call));
    };
    if (!schemas.some((schema) => schema instanceof Promise)) return start();
    return countPending(Promise.all(schemas)).then(start);
  }

  private write(changed: ReturnType<HiddenCalls["delete"]>): void {
    for (const [place, shown] of changed) this.writer.set(place, shown && printToolCall(shown));
    try {
      this.writer.write();
    } catch (thrown) {
      // The tool has been called: it must not be again, only because of the file.
      throw Object.assign(thrown as Error, { retryable: false });
    }
  }
}

/** The schemas of a tool after their converter was loaded. */
function known(tool: DefinedTool): ToolSchemas {
  return toolSchemas(tool) as ToolSchemas;
}

function toRecorded(thrown: unknown): RecordedError {
  const askedMs = retryAfterMs(thrown, systemClock.now());
  return { ...withCauses(toErrorData(thrown)), ...(askedMs !== undefined && { retryAfterMs: askedMs }) };
}

function withCauses({ name, message, code, retryable, details, cause }: ErrorData): RecordedError {
  return {
    name,
    message,
    ...(code !== undefined && { code }),
    ...(retryable !== undefined && { retryable }),
    ...(details !== undefined && { details }),
    ...(cause !== undefined && { cause: withCauses(cause as ErrorData) }),
  };
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
function finite(settings: object | undefined): Readonly<Record<string, number>> | undefined {
  if (settings === undefined) return undefined;
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => Number.isFinite(value)));
}

function isPlain({ slots, toInput }: ToolPhrase): boolean {
  return slots === undefined && toInput === undefined;
}

function toPlain({ phrase, input }: ToolPhrase) {
  return input === undefined ? phrase : { phrase, input };
}
