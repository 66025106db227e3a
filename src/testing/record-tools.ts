import { systemClock } from "../async/clock.ts";
import { retryAfterMs } from "../async/retry-after.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import { indexTools } from "../core/define-tool.ts";
import { type ErrorData, toErrorData } from "../core/error-data.ts";
import { type JsonValue, toJson } from "../core/json.ts";
import { failOption } from "../core/options.ts";
import { parseWith } from "../core/schema.ts";
import type {
  DefinedTool,
  InferToolInput,
  InferToolOutput,
  InferToolResources,
  Tool,
  ToolContext,
  ToolEffect,
} from "../core/tool.ts";
import type { SensitiveViews } from "../runs/secrets/map-sensitive.ts";
import { describeForReplay } from "./recorded-tools/describe-for-replay.ts";
import { hideSecrets, sensitiveViewsOf } from "./recorded-tools/hide-secrets.ts";
import { withoutSecrets } from "./recorded-tools/secret-texts.ts";
import {
  printToolRecording,
  type RecordedAnswer,
  type RecordedError,
  type RecordedTool,
  type RecordedToolCall,
  type ToolCallOutcome,
} from "./recorded-tools/tool-recording.ts";
import { type ParsedInput, wrapTool } from "./recorded-tools/wrap-tool.ts";
import { RecordingWriter } from "./recording-file.ts";

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
 * The calls have the order in which they were made, whichever ends first: attempts and undoing as calls of their own. A
 * call is recorded with its input as the plan has it and its output as JSON, or the data of its error: no stacks,
 * headers or resources. A call whose signal has aborted is not recorded.
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
      recorder.keepAnswer(tool, input, { effect });
      return effect;
    },
    async needsApproval(input) {
      const needsApproval = await tool.needsApproval?.(input.parsed);
      recorder.keepAnswer(tool, input, { needsApproval: needsApproval === true });
      return needsApproval === true;
    },
  });
}

/** The output as the run will have it. It is returned as it is, and checked again by whoever called. */
async function outcomeOf({ outputSchema }: DefinedTool, value: unknown): Promise<ToolCallOutcome> {
  const parsed = outputSchema && (await parseWith(outputSchema, value));
  if (parsed?.ok === false) return { type: "invalid-output", issues: parsed.issues };
  const json = toJson(parsed === undefined ? value : parsed.value);
  return json.ok ? { type: "output", output: json.value } : { type: "invalid-output", issues: [json.issue] };
}

interface Answers extends RecordedAnswer {
  effect?: ToolEffect;
  needsApproval?: boolean;
}

interface Made {
  readonly value: unknown;
  readonly outcome: ToolCallOutcome;
}

/** Keeps the calls of some tools, secrets included, and writes them to a file without these. */
class ToolRecorder {
  private readonly writer: RecordingWriter;
  /** In the order of the calls, whichever ends first, so that the file is the same each time. */
  private readonly calls: (RecordedToolCall | undefined)[] = [];
  private readonly answers = new Map<DefinedTool, Map<string, Answers>>();
  private described: Promise<readonly DescribedTool[]> | undefined;

  constructor(
    private readonly tools: readonly DefinedTool[],
    path: string,
  ) {
    this.writer = new RecordingWriter(path);
  }

  async record(
    asked: Pick<RecordedToolCall, "tool" | "input" | "undone">,
    { signal }: ToolContext,
    make: () => Promise<Made>,
  ): Promise<unknown> {
    const index = this.calls.push(undefined) - 1;
    let made: Made;
    try {
      made = await make();
    } catch (thrown) {
      if (!signal.aborted) await this.keep(index, { ...asked, outcome: { type: "error", error: toRecorded(thrown) } });
      throw thrown;
    }
    if (!signal.aborted) await this.keep(index, { ...asked, outcome: made.outcome });
    return made.value;
  }

  private async keep(index: number, call: RecordedToolCall): Promise<void> {
    this.calls[index] = call;
    await this.writer
      .write(() => this.print())
      .catch((thrown: Error) => {
        // The tool has been called: it must not be again, only because of the file.
        throw Object.assign(thrown, { retryable: false });
      });
  }

  /** Keeps what a function of a tool has answered, which a replay without the tool cannot know. */
  keepAnswer(tool: DefinedTool, { written }: ParsedInput, answer: Omit<RecordedAnswer, "input">): void {
    const ofTool = this.answers.get(tool) ?? new Map<string, Answers>();
    this.answers.set(tool, ofTool);
    const key = canonicalJson(written);
    const known = ofTool.get(key);
    const answers = { ...(known ?? { input: written }), ...answer };
    if (known?.effect === answers.effect && known?.needsApproval === answers.needsApproval) return;
    ofTool.set(key, answers);
    // Nobody waits for it; if the file cannot be written, the next call says so.
    this.writer.write(() => this.print()).catch(() => {});
  }

  private async print(): Promise<string> {
    this.described ??= Promise.all(this.tools.map(describe));
    const tools = await this.described;
    const viewsOf = new Map(tools.map(({ recorded, views }) => [recorded.name, views] as const));
    const made = this.calls.filter((call) => call !== undefined);
    const { calls, texts } = hideSecrets(made, (name) => viewsOf.get(name));
    return printToolRecording({
      calls,
      tools: tools.map(({ tool, recorded, views }) => {
        const answers = new Map<string, RecordedAnswer>();
        for (const answer of this.answers.get(tool)?.values() ?? []) {
          const input = withoutSecrets(answer.input, views.input, texts);
          answers.set(canonicalJson(input), { ...answer, input });
        }
        return answers.size === 0 ? recorded : { ...recorded, answers: [...answers.values()] };
      }),
    });
  }
}

interface DescribedTool {
  readonly tool: DefinedTool;
  readonly recorded: RecordedTool;
  readonly views: SensitiveViews;
}

async function describe(tool: DefinedTool): Promise<DescribedTool> {
  return { tool, recorded: await describeForReplay(tool), views: await sensitiveViewsOf(tool) };
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
