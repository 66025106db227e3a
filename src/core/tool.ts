import { checkPhrases, checkTool, checkToolOptions } from "./check-tool.ts";
import { AgentError } from "./errors.ts";
import type { Jsonify, JsonObject } from "./json.ts";
import { failOption } from "./options.ts";
import type { ToolPhrase, ToolPhraseOptions } from "./phrase.ts";
import type { RetryOptions } from "./retry-options.ts";
import type { InferSchemaInput, InferSchemaOutput, StandardSchema } from "./schema.ts";
import type { ToolLimitOptions } from "./tool-limits.ts";

/**
 * What running a tool does to the world.
 * - `pure`: nothing; it may run any number of times.
 * - `idempotent`: it may run again with the same `idempotencyKey` and the world is as if it had run once.
 * - `once`: it must never run twice. It is not retried once it has started, unless its error has `retryable: true`;
 *   if it times out, its outcome is `unknown`.
 */
export type ToolEffect = "pure" | "idempotent" | "once";

/** What a tool is told about the call it serves. */
export interface ToolContext<TResources = unknown> {
  /** Aborted when the attempt times out, the run is cancelled or its deadline passes. Pass it on to whatever waits. */
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
  /** The same for every attempt: `runId/stepId`, or `runId/stepId[0]` for an iteration; to undo it, with `/undo`. */
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly stepId: string;
  /** Which iteration of a `forEach` it is, from 0. */
  readonly iteration?: number | undefined;
  /** What the caller of the run passed as `resources`: the user, a database, credentials. Never stored. */
  readonly resources: TResources;
  /** What the caller of the run passed as `metadata`. Stored with the run. */
  readonly metadata: JsonObject;
  /** Tells listeners how far the step is, as a transient `step-progress` event. Must be JSON; ignored after the end. */
  progress(this: void, value: unknown): void;
}

/**
 * A named capability. Make one with {@link defineTool}.
 *
 * `execute` may be called again for the same step (see {@link ToolEffect}), each time with a freshly parsed input. It may
 * throw anything: an error with `retryable: false` is final, any other is retried by the tool's policy. It should end soon
 * after `context.signal` aborts; a value that it still returns in time is kept.
 */
export interface Tool<TName extends string = string, TInput = unknown, TOutput = unknown, TResources = unknown>
  extends ToolLimitOptions {
  readonly name: TName;
  /** What the tool does, for planners, in a sentence. */
  readonly description: string;
  readonly inputSchema: StandardSchema<TInput, unknown>;
  readonly outputSchema?: StandardSchema<unknown, unknown> | undefined;
  /** The effect as declared: `by-input` where it is a function of the input. */
  readonly declaredEffect: ToolEffect | "by-input";
  /** Whether its steps need approval, as declared: `by-input` where it is a function of the input. */
  readonly declaredNeedsApproval: boolean | "by-input";
  /** Retry policy over that of the agent, field by field. */
  readonly retry?: RetryOptions | undefined;
  /** Longest time for one attempt. @default the agent's `stepTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** What the rule planner understands, or a function that loads it for the first request. */
  readonly phrases: readonly ToolPhrase[] | (() => Promise<readonly ToolPhrase[]>);
  /** Which part of the output "the result" is, as a path such as `value`; the whole output if there is none. */
  readonly result?: string | undefined;
  /** Only for the compiler: the types of a plan's input and of the output as JSON. */
  readonly "~types"?: { readonly input: TInput; readonly output: TOutput; readonly resources: TResources };
  /** The effect of running with this parsed input. */
  effect(input: unknown): ToolEffect;
  /** Whether a step with this parsed input needs approval. @default none: only the agent's policy is asked */
  needsApproval?(input: unknown): boolean | Promise<boolean>;
  /** Does the work with the parsed input. What it returns, or resolves to, is the output. */
  execute(input: unknown, context: ToolContext<TResources>): unknown;
  /** Takes back what `execute` did. May be called again for the same step; what it returns is not looked at. */
  undo?(done: UndoneCall<unknown, unknown>, context: ToolContext<TResources>): unknown;
}

/** A call that has completed and is to be taken back. */
export interface UndoneCall<TInput, TOutput> {
  /** As `execute` got it, parsed anew. */
  readonly input: TInput;
  /** As it was recorded: JSON. */
  readonly output: TOutput;
}

/** The JSON a plan gives to a tool, before the schema's defaults and transforms. */
export type InferToolInput<TTool extends Tool> = NonNullable<TTool["~types"]>["input"];

/** A tool's output as the JSON it becomes in events, stores and results. */
export type InferToolOutput<TTool extends Tool> = NonNullable<TTool["~types"]>["output"];

/** What the tools need as `resources` of a run, all together; `unknown` if they need nothing. */
export type InferToolResources<TTool extends Tool> = (
  TTool extends Tool
    ? (resources: NonNullable<TTool["~types"]>["resources"]) => void
    : never
) extends (resources: infer TResources) => void
  ? TResources
  : never;

type PhraseList<TInput> = readonly (string | ToolPhraseOptions<TInput>)[];

interface ToolOptionsBase<TName extends string, TSchema extends StandardSchema> extends ToolLimitOptions {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, from a letter on. Unique within an agent. */
  name: TName;
  description: string;
  /** zod 3 (from 3.25.28) or zod 4. It must be expressible as JSON Schema. */
  inputSchema: TSchema;
  /** A value, or a function of the parsed input. @default "idempotent" */
  effect?: ToolEffect | ((input: InferSchemaOutput<TSchema>) => ToolEffect) | undefined;
  retry?: RetryOptions | undefined;
  /** @default the agent's `stepTimeoutMs`; `Infinity` is allowed */
  timeoutMs?: number | undefined;
  /** Whether a step must be approved before it runs: always, or by its parsed input. @default false */
  needsApproval?: boolean | ((input: InferSchemaOutput<TSchema>) => boolean | Promise<boolean>) | undefined;
  /** Which part of the output a later "it" or "the result" in a request stands for, such as `value`. */
  result?: string | undefined;
  /**
   * What the rule planner understands, so that this tool can be planned for without a model. Very many phrases may come by
   * a function, which the first request calls.
   */
  phrases?: PhraseList<InferSchemaInput<TSchema>> | (() => Promise<PhraseList<InferSchemaInput<TSchema>>>) | undefined;
}

/** Options of {@link defineTool} without an output schema: the output's type is what `execute` returns. */
export interface ToolOptions<TName extends string, TSchema extends StandardSchema, TOutput, TResources>
  extends ToolOptionsBase<TName, TSchema> {
  outputSchema?: undefined;
  /** Does the work with the parsed input. */
  execute(input: InferSchemaOutput<TSchema>, context: ToolContext<TResources>): TOutput | Promise<TOutput>;
  /**
   * Takes back what `execute` did, when a run fails and its steps are to be undone. May be called again for a step. Write it
   * behind `execute`, from which the type of `output` is inferred, or give an `outputSchema`.
   */
  undo?:
    | ((
        done: UndoneCall<InferSchemaOutput<TSchema>, Jsonify<Awaited<NoInfer<TOutput>>>>,
        context: ToolContext<TResources>,
      ) => unknown)
    | undefined;
}

/** Options of {@link defineTool} with an output schema, against which references are checked before a run. */
export interface CheckedToolOptions<
  TName extends string,
  TSchema extends StandardSchema,
  TOutputSchema extends StandardSchema,
  TResources,
> extends ToolOptionsBase<TName, TSchema> {
  outputSchema: TOutputSchema;
  /** Does the work with the parsed input. */
  execute(
    input: InferSchemaOutput<TSchema>,
    context: ToolContext<TResources>,
  ): NoInfer<InferSchemaInput<TOutputSchema>> | Promise<NoInfer<InferSchemaInput<TOutputSchema>>>;
  /** Takes back what `execute` did, when a run fails and its steps are to be undone. May be called again for a step. */
  undo?:
    | ((
        done: UndoneCall<InferSchemaOutput<TSchema>, Jsonify<InferSchemaOutput<TOutputSchema>>>,
        context: ToolContext<TResources>,
      ) => unknown)
    | undefined;
}

/**
 * Makes a tool: checks the options and infers the types.
 *
 * Throws `invalid-options` for an option that is missing, unknown or wrong, for a schema that is not zod 3.25 or zod 4, and
 * for an input schema that JSON can not express (Date, Map, Set, BigInt …).
 *
 * {@includeCode ../../examples/02-your-own-tool.ts}
 */
export function defineTool<
  const TName extends string,
  TSchema extends StandardSchema,
  TOutputSchema extends StandardSchema,
  TResources = unknown,
>(
  options: CheckedToolOptions<TName, TSchema, TOutputSchema, TResources>,
): Tool<TName, InferSchemaInput<TSchema>, Jsonify<InferSchemaOutput<TOutputSchema>>, TResources>;
export function defineTool<const TName extends string, TSchema extends StandardSchema, TOutput, TResources = unknown>(
  options: ToolOptions<TName, TSchema, TOutput, TResources>,
): Tool<TName, InferSchemaInput<TSchema>, Jsonify<Awaited<TOutput>>, TResources>;
export function defineTool(options: ToolOptions<string, StandardSchema, unknown, unknown>): Tool {
  checkToolOptions(options);
  const { effect = "idempotent", phrases = [], needsApproval, execute, undo, ...rest } = options;
  return Object.freeze({
    ...rest,
    ...(needsApproval && {
      needsApproval: (input: unknown) => (typeof needsApproval === "function" ? needsApproval(input) : needsApproval),
    }),
    ...(undo && {
      undo: (done: UndoneCall<unknown, never>, context: ToolContext) => undo.call(options, done, context),
    }),
    declaredEffect: typeof effect === "function" ? "by-input" : effect,
    declaredNeedsApproval: typeof needsApproval === "function" ? "by-input" : (needsApproval ?? false),
    phrases:
      typeof phrases === "function"
        ? async () => toPhrases(options.name, await phrases())
        : toPhrases(options.name, phrases),
    effect: (input: unknown) => (typeof effect === "function" ? effect(input) : effect),
    execute: (input: unknown, context: ToolContext) => execute.call(options, input, context),
  });
}

function toPhrases(name: string, phrases: PhraseList<unknown>): readonly ToolPhrase[] {
  checkPhrases(`${name}.phrases`, phrases);
  return phrases.map((phrase) => (typeof phrase === "string" ? { phrase } : (phrase as ToolPhrase)));
}

/** The tools by name. Throws `invalid-options` for what is no tool, and if two have the same name. */
export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  if (!Array.isArray(tools)) failOption("tools", tools, "a list of tools");
  const byName = new Map<string, Tool>();
  for (const [index, tool] of tools.entries()) {
    checkTool(`tools[${index}]`, tool);
    if (byName.has(tool.name)) {
      throw new AgentError("invalid-options", `Two tools are named "${tool.name}"; names must be unique.`, {
        details: { option: "tools", received: tool.name, expected: "tools of different names" },
      });
    }
    byName.set(tool.name, tool);
  }
  return byName;
}
