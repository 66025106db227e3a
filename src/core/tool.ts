import { define } from "./define-tool.ts";
import type { Jsonify, JsonObject } from "./json.ts";
import type { ToolPhrase, ToolPhraseOptions } from "./phrase.ts";
import type { RetryOptions } from "./retry-options.ts";
import type { InferSchemaInput, InferSchemaOutput, StandardSchema } from "./schema.ts";
import type { ToolCacheOptions } from "./tool-cache.ts";
import type { ToolLimitOptions } from "./tool-limits.ts";

/**
 * What running a tool does to the world.
 * - `pure`: nothing; it may run any number of times.
 * - `idempotent`: it may run again with the same `idempotencyKey` and the world is as if it had run once.
 * - `once`: it must never run twice. It is not retried once it has started, unless its error has `retryable: true`;
 *   if it times out, its outcome is `unknown`.
 * @group Tools
 */
export type ToolEffect = "pure" | "idempotent" | "once";

/** What a tool gets to know about its call. @group Tools */
export interface ToolContext<TResources = unknown> {
  /** Aborted when the attempt times out, the run is cancelled or its deadline passes. Pass it on to pending work. */
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
  /** Reports progress to listeners as a transient `step-progress` event. Must be JSON; ignored after the step's end. */
  progress(this: void, value: unknown): void;
}

/** A function of the parsed input. Written as a method, so that a tool may name the type of its own input. */
type ByInput<TInput, TAnswer> = { answer(input: TInput): TAnswer }["answer"];

/**
 * A named capability: what an agent accepts as a tool, be it a plain object, an instance of a class or a result of
 * `defineTool`. An object is read and checked once, when it is first passed to an agent; its methods keep their `this`.
 *
 * `execute` may be called again for the same step (see {@link ToolEffect}), each time with a freshly parsed input. It
 * may throw anything: an error with `retryable: false` is final, any other is retried by the tool's policy. It should
 * end soon after `context.signal` aborts; a value that it still returns in time is kept.
 * @group Tools
 */
export interface Tool<TName extends string = string, TInput = unknown, TOutput = unknown, TResources = unknown>
  extends ToolLimitOptions {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, starting with a letter. Unique within an agent. */
  readonly name: TName;
  /** What the tool does, for planners, in a sentence. */
  readonly description: string;
  /** zod 3 (from 3.25.28) or zod 4. It must be expressible as JSON Schema. */
  readonly inputSchema: StandardSchema<unknown, TInput>;
  readonly outputSchema?: StandardSchema<unknown, unknown> | undefined;
  /** A value, or a function of the parsed input. @default "idempotent" */
  readonly effect?: ToolEffect | ByInput<TInput, ToolEffect> | undefined;
  /** Retry policy; overrides that of the agent field by field. */
  readonly retry?: RetryOptions | undefined;
  /** Longest time for one attempt. @default the agent's `stepTimeoutMs`; `Infinity` is allowed */
  readonly timeoutMs?: number | undefined;
  /** Whether a step must be approved before it runs: always, or by its parsed input. @default false */
  readonly needsApproval?: boolean | ByInput<TInput, boolean | Promise<boolean>> | undefined;
  /** Which part of the output a later "it" or "the result" in a request stands for, as a path such as `value`. */
  readonly result?: string | undefined;
  /** Reuses results of a `pure` tool for later calls with the same input. @default every call is made */
  readonly cache?: ToolCacheOptions<TInput, TResources> | undefined;
  /** What the rule planner understands, or a function that loads it for the first request. */
  readonly phrases?: PhraseList | (() => Promise<PhraseList>) | undefined;
  /** Does the work with the parsed input. What it returns, or resolves to, is the output. */
  execute(input: TInput, context: ToolContext<TResources>): TOutput | Promise<TOutput>;
  /** Undoes what `execute` did. May be called again for the same step; its return value is ignored. */
  undo?(done: UndoneCall<TInput, unknown>, context: ToolContext<TResources>): unknown;
}

/** The phrases of a tool; a plain string is short for `{ phrase }`. */
export type PhraseList<TInput = unknown> = readonly (string | ToolPhraseOptions<TInput>)[];

/** A tool that has been checked, as `defineTool` returns it and planners get it. @group Tools */
export interface DefinedTool<TName extends string = string, TInput = unknown, TOutput = unknown, TResources = unknown>
  extends Tool<TName, unknown, unknown, TResources> {
  readonly inputSchema: StandardSchema<TInput, unknown>;
  /** The effect as declared: `by-input` where it is a function of the input. */
  readonly declaredEffect: ToolEffect | "by-input";
  /** Whether its steps need approval, as declared: `by-input` where it is a function of the input. */
  readonly declaredNeedsApproval: boolean | "by-input";
  readonly phrases: readonly ToolPhrase[] | (() => Promise<readonly ToolPhrase[]>);
  /** Only for the compiler: the types of a plan's input and of the output as JSON. */
  readonly "~types"?: { readonly input: TInput; readonly output: TOutput; readonly resources: TResources };
  /** The effect of running with this parsed input. */
  effect(input: unknown): ToolEffect;
  /** Whether a step with this parsed input needs approval. @default none: only the agent's policy applies */
  needsApproval?(input: unknown): boolean | Promise<boolean>;
  execute(input: unknown, context: ToolContext<TResources>): unknown;
}

/** A call that has completed and is to be undone. @group Tools */
export interface UndoneCall<TInput, TOutput> {
  /** As `execute` got it, parsed again. */
  readonly input: TInput;
  /** As it was recorded: JSON. */
  readonly output: TOutput;
}

/** The types that `defineTool` inferred, or those of the members of a tool that it has not created. */
type ToolTypes<TTool extends Tool> = TTool extends {
  readonly declaredEffect: unknown;
  readonly "~types"?: infer TTypes;
}
  ? NonNullable<TTypes>
  : {
      readonly input: InferSchemaInput<TTool["inputSchema"]>;
      readonly output: Jsonify<
        TTool extends { readonly outputSchema: infer TSchema extends StandardSchema }
          ? InferSchemaOutput<TSchema>
          : Awaited<ReturnType<TTool["execute"]>>
      >;
      readonly resources: Parameters<TTool["execute"]> extends readonly [
        unknown,
        { readonly resources: infer TResources },
      ]
        ? TResources
        : unknown;
    };

type ToolTypeOf<TTool extends Tool, TKey extends string> =
  ToolTypes<TTool> extends { readonly [K in TKey]: infer TType } ? TType : never;

/** The JSON a plan passes to a tool, before the schema's defaults and transforms. @group Tools */
export type InferToolInput<TTool extends Tool> = ToolTypeOf<TTool, "input">;

/** A tool's output as the JSON it becomes in events, stores and results. @group Tools */
export type InferToolOutput<TTool extends Tool> = ToolTypeOf<TTool, "output">;

/** What the tools need as `resources` of a run, all together; `unknown` if they need nothing. @group Tools */
export type InferToolResources<TTool extends Tool> = (
  TTool extends Tool
    ? (resources: ToolTypeOf<TTool, "resources">) => void
    : never
) extends (resources: infer TResources) => void
  ? TResources
  : never;

interface ToolOptionsBase<TName extends string, TSchema extends StandardSchema, TResources> extends ToolLimitOptions {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, starting with a letter. Unique within an agent. */
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
   * Reuses results of a `pure` tool for later calls with the same input. Write it after `execute`, from which the type
   * of `resources` is inferred, if its `key` takes them. @default every call is made
   */
  cache?: ToolCacheOptions<InferSchemaOutput<TSchema>, TResources> | undefined;
  /**
   * What the rule planner understands, so that this tool can be planned for without a model. A very long list may come
   * from a function, which the first request calls.
   */
  phrases?: PhraseList<InferSchemaInput<TSchema>> | (() => Promise<PhraseList<InferSchemaInput<TSchema>>>) | undefined;
}

/** Options of {@link defineTool} without an output schema: the output's type is what `execute` returns. @group Tools */
export interface ToolOptions<TName extends string, TSchema extends StandardSchema, TOutput, TResources>
  extends ToolOptionsBase<TName, TSchema, TResources> {
  outputSchema?: undefined;
  /** Does the work with the parsed input. */
  execute(input: InferSchemaOutput<TSchema>, context: ToolContext<TResources>): TOutput | Promise<TOutput>;
  /**
   * Undoes what `execute` did, when a run fails and its steps are to be undone. May be called again for a step. Write
   * it after `execute`, from which the type of `output` is inferred, or add an `outputSchema`.
   */
  undo?:
    | ((
        done: UndoneCall<InferSchemaOutput<TSchema>, Jsonify<Awaited<NoInfer<TOutput>>>>,
        context: ToolContext<TResources>,
      ) => unknown)
    | undefined;
}

/** Options of {@link defineTool} with an output schema, against which references are checked before a run. @inline */
export interface CheckedToolOptions<
  TName extends string,
  TSchema extends StandardSchema,
  TOutputSchema extends StandardSchema,
  TResources,
> extends ToolOptionsBase<TName, TSchema, TResources> {
  outputSchema: TOutputSchema;
  /** Does the work with the parsed input. */
  execute(
    input: InferSchemaOutput<TSchema>,
    context: ToolContext<TResources>,
  ): NoInfer<InferSchemaInput<TOutputSchema>> | Promise<NoInfer<InferSchemaInput<TOutputSchema>>>;
  /** Undoes what `execute` did, when a run fails and its steps are to be undone. May be called again for a step. */
  undo?:
    | ((
        done: UndoneCall<InferSchemaOutput<TSchema>, Jsonify<InferSchemaOutput<TOutputSchema>>>,
        context: ToolContext<TResources>,
      ) => unknown)
    | undefined;
}

/**
 * Defines a tool: checks the options and infers the types.
 *
 * Throws `invalid-options` for an option that is missing, unknown or wrong, for a schema that is not zod 3.25 or zod 4,
 * and for an input schema that JSON cannot express (Date, Map, Set, BigInt …).
 *
 * {@includeCode ../../examples/02-your-own-tool.ts}
 * @group Tools
 */
export function defineTool<
  const TName extends string,
  TSchema extends StandardSchema,
  TOutputSchema extends StandardSchema,
  TResources = unknown,
>(
  options: CheckedToolOptions<TName, TSchema, TOutputSchema, TResources>,
): DefinedTool<TName, InferSchemaInput<TSchema>, Jsonify<InferSchemaOutput<TOutputSchema>>, TResources>;
export function defineTool<const TName extends string, TSchema extends StandardSchema, TOutput, TResources = unknown>(
  options: ToolOptions<TName, TSchema, TOutput, TResources>,
): DefinedTool<TName, InferSchemaInput<TSchema>, Jsonify<Awaited<TOutput>>, TResources>;
export function defineTool(options: Tool): DefinedTool {
  return define(options);
}
