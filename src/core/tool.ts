import type { CircuitBreakerOptions } from "../async/circuit-breaker.ts";
import type { RateLimitOptions } from "../async/limits.ts";
import type { RetryOptions } from "../async/retry.ts";
import type { Jsonify, JsonObject } from "./json.ts";
import type { InferSchemaInput, InferSchemaOutput, StandardSchema } from "./schema.ts";

/**
 * A tool's effect on the world. A `pure` or `idempotent` call is retried, and runs again after a kill.
 * - `pure`: none. A replan may add it without approval.
 * - `idempotent`: repeating it with the same `idempotencyKey` has no further effect. A replan may need approval for it.
 * - `once`: it must never run twice. It is not retried once it has started, unless its error says that nothing
 *   happened. If it is killed, times out or loses its connection, its outcome is `unknown`, and a person must settle
 *   it. A replan may need approval to add it, and always needs approval to repeat a call that may have taken effect.
 * @group Tools
 */
export type ToolEffect = "pure" | "idempotent" | "once";

export const toolEffects: readonly ToolEffect[] = ["pure", "idempotent", "once"];

/** The context of a tool call. @group Tools */
export interface ToolContext<TResources = unknown> {
  /** Aborted if the attempt times out, or the run is cancelled, interrupted or out of time. Pass it to pending work. */
  readonly signal: AbortSignal;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Key of all attempts: `runId/stepId`, or `runId/stepId[0]` for an iteration; for `undo`, with `/undo` appended. */
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly stepId: string;
  /** Index of the iteration of a `forEach`, from 0. */
  readonly iteration?: number | undefined;
  /** The `resources` that the caller of the run passed: the user, a database, credentials. Never stored. */
  readonly resources: TResources;
  /** The `metadata` that the caller of the run passed. Stored with the run. */
  readonly metadata: JsonObject;
  /** Reports progress, as JSON, in a transient `step-progress` event of this process. Ignored after the step ends. */
  progress(this: void, value: unknown): void;
}

/** A function of the parsed input. Written as a method, so that a tool can declare the type of its own input. */
type ByInput<TInput, TAnswer> = { answer(input: TInput): TAnswer }["answer"];

/**
 * A plain object, an instance of a class or a result of `defineTool`. It is read and checked once, even if several
 * agents use it; its methods keep their `this`. A copy such as `{ ...tool, inputSchema }` is also a tool.
 *
 * `execute` may be called again for the same step (see {@link ToolEffect}), each time with a copy of the parsed input.
 * An error is retried by the tool's policy, unless it has `retryable: false`. With effect `once`, it is retried only if
 * nothing happened, as stated by `retryable: true`, or `outcome: "not-done"` on the error or one of its causes. After
 * `outcome: "unknown"` on either, a person is asked; this is the default after a timeout, a lost connection or a status
 * 5xx. A tool that repeats calls by itself must state the outcome, because its last error hides the first. It should
 * end soon after `context.signal` aborts; a value that it returns soon after that is kept. @group Tools
 */
export interface Tool<TName extends string = string, TInput = unknown, TOutput = unknown, TResources = unknown>
  extends ToolLimitOptions {
  /** Name: 1 to 64 characters from `A-Z a-z 0-9 _ -`, starting with a letter; unique within an agent. */
  readonly name: TName;
  /** A sentence for planners that says what the tool does. */
  readonly description: string;
  /** A schema of zod 3 (from 3.25.28) or zod 4, or any {@link StandardSchema} that provides its JSON Schema. */
  readonly inputSchema: StandardSchema<unknown, TInput>;
  readonly outputSchema?: StandardSchema<unknown, unknown> | undefined;
  /** The effect of a call, which decides what may run again, or a function of the parsed input. @default "once" */
  readonly effect?: ToolEffect | ByInput<TInput, ToolEffect> | undefined;
  /** Retry policy; overrides that of the agent field by field. */
  readonly retry?: RetryOptions | undefined;
  /** Longest time for one attempt. @default the agent's `stepTimeoutMs`; `Infinity` is allowed */
  readonly timeoutMs?: number | undefined;
  /** True if a step must be approved before it runs, or a function of its parsed input. @default false */
  readonly needsApproval?: boolean | ByInput<TInput, boolean | Promise<boolean>> | undefined;
  /** Path of the part of the output that "it" or "the result" in a request refers to, such as `value`. */
  readonly result?: string | undefined;
  /** Phrases that the rule planner understands, or a function that loads them for the first request. */
  readonly phrases?: PhraseList | (() => Promise<PhraseList>) | undefined;
  /** Describes a call in at most 300 characters. Gets secrets and references as text. @default from phrases */
  readonly describeCall?: ByInput<unknown, string> | undefined;
  /** Describes the outcome of a call in at most 2 000 characters on one line; checked against the values of the call. @default from its output */
  say?(done: { readonly input: unknown; readonly output: unknown }): string;
  /** Runs the tool with the parsed input. The value that it returns or resolves to is the output. */
  execute(input: TInput, context: ToolContext<TResources>): TOutput | Promise<TOutput>;
  /** Undoes what `execute` did. May be called again for the same step; its return value is ignored. */
  undo?(done: UndoneCall<TInput, unknown>, context: ToolContext<TResources>): unknown;
}

export type PhraseList<TInput = unknown> = readonly (string | ToolPhraseOptions<TInput>)[];

/** A checked tool, as `defineTool` returns it and planners get it. @group Tools */
export interface DefinedTool<
  TName extends string = string,
  TInput = unknown,
  TOutput = unknown,
  TResources = unknown,
  TParsed = TInput,
> extends Tool<TName, unknown, unknown, TResources> {
  readonly inputSchema: StandardSchema<TInput, unknown>;
  /** The declared effect; `by-input` if it is a function of the input. */
  readonly declaredEffect: ToolEffect | "by-input";
  /** True if its steps are declared to need approval; `by-input` if that is a function of the input. */
  readonly declaredNeedsApproval: boolean | "by-input";
  readonly phrases: readonly ToolPhrase[] | (() => Promise<readonly ToolPhrase[]>);
  /** Only for the compiler: the types of a plan's input, of the parsed input and of the output as JSON. */
  readonly "~types"?: {
    readonly input: TInput;
    readonly parsed: TParsed;
    readonly output: TOutput;
    readonly resources: TResources;
  };
  /** The effect of running with this parsed input. */
  effect(input: unknown): ToolEffect;
  /** Returns true if a step with this parsed input needs approval. @default none: only the agent's policy applies */
  needsApproval?(input: unknown): boolean | Promise<boolean>;
  execute(input: unknown, context: ToolContext<TResources>): unknown;
}

/** A call that has completed and is to be undone. @group Tools */
export interface UndoneCall<TInput, TOutput> {
  /** Input as in the call of `execute`, parsed again. */
  readonly input: TInput;
  /** Recorded output, as JSON. */
  readonly output: TOutput;
}

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

/** JSON passed to a tool by a plan, before the schema's defaults and transforms. @group Tools */
export type InferToolInput<TTool extends Tool> = ToolTypeOf<TTool, "input">;

/** A tool's parsed input, which `execute` gets, but as JSON; `unknown` for a tool not made by `defineTool`. @inline */
export type InferParsedInput<TTool extends Tool> = TTool extends {
  readonly declaredEffect: unknown;
  readonly "~types"?: { readonly parsed: infer TParsed };
}
  ? TParsed
  : unknown;

/** The output of a tool as JSON, as in events, stores and results. @group Tools */
export type InferToolOutput<TTool extends Tool> = ToolTypeOf<TTool, "output">;

/** The `resources` that all tools together need; `unknown` if none needs any. @group Tools */
export type InferToolResources<TTool extends Tool> = (
  TTool extends Tool
    ? (resources: ToolTypeOf<TTool, "resources">) => void
    : never
) extends (resources: infer TResources) => void
  ? TResources
  : never;

export interface ToolLimitOptions {
  /** Maximum number of concurrent calls. At least 1. @default no limit */
  readonly concurrency?: number | undefined;
  /** Maximum number of calls in an interval. @default no limit */
  readonly rateLimit?: RateLimitOptions | undefined;
  /** Limits on failures, beyond which calls are refused. Errors with `retryable: false` do not count. @default none */
  readonly circuitBreaker?: CircuitBreakerOptions | undefined;
}

/** The call of a step, as in a plan, a record or an approval. @inline */
export interface SaidCall {
  readonly tool: string;
  readonly input: unknown;
  /** Input before parsing, as in an approval. If present, the description includes the defaults in `input`. */
  readonly given?: unknown;
}

/** @inline */
export type DescribeCall = (call: SaidCall) => string;

/** A reference to an earlier step's output, as it appears in a plan. @inline */
export interface PhraseReference {
  readonly $ref: string;
}

/** Value of a slot of a phrase, or a reference to an earlier result. @group Tools */
export type SlotValue = string | number | boolean | readonly (string | number | boolean)[] | PhraseReference;

/** A value of which any part may be a reference to an earlier result, or to a part of one. @inline */
export type PhraseValue<T> =
  | PhraseReference
  | (T extends readonly (infer TItem)[]
      ? readonly PhraseValue<TItem>[]
      : T extends object
        ? { readonly [K in keyof T]: PhraseValue<T[K]> }
        : T);

/** Makes the compiler keep literal types while it infers `T`. @inline */
type KeepLiterals<T> = T extends unknown ? never : Literals;
type Literals = "" | 0 | false | [] | readonly Literals[] | { readonly [key: string]: Literals };

/** The earlier steps of the same request and tool. @inline */
export interface EarlierPhrases {
  /** Input of the last of these steps, as in the plan: "add juice" after "my shopping list" goes to the same list. */
  readonly input: JsonObject;
  /** References to the results of these steps in order, for phrases that take several: "add both answers". */
  readonly results: readonly PhraseReference[];
}

/** The context for `toInput` of a phrase. @group Tools */
export interface PhraseContext {
  /** Reference to the result that "it", "that" or "the result" means here; undefined for a first step. */
  readonly previous: PhraseReference | undefined;
  /** Earlier steps of the request with the phrase's own tool; undefined if there are none. */
  readonly before?: EarlierPhrases | undefined;
  /** Time at which the request is planned, in milliseconds since 1970 UTC. */
  readonly nowMs: number;
  /** The IANA time zone of the request, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A phrase of a tool, and its meaning. A plain string is short for `{ phrase }`. @group Tools */
export interface ToolPhraseOptions<TInput = Record<string, unknown>> {
  /** A template: words, `{slot}`, `(one|or other)`, `[optional]`, `word[s]`; or an example sentence without such signs. */
  phrase: string;
  /** A fixed part of the input. */
  input?: Partial<TInput> | undefined;
  /** Schemas of slots whose values differ from the input field of the same name. */
  slots?: Readonly<Record<string, StandardSchema>> | undefined;
  /**
   * Templates with further slots that may occur anywhere around the phrase: `["(by|on) {day}", "{priority} priority"]`.
   * @default the other fields of the input that are dates, numbers or choices, with their names
   */
  anywhere?: readonly string[] | undefined;
  /**
   * True if the call deletes something or cannot be undone. The rules plan it only if the request has the words of the
   * phrase. A model may plan it if the request has at least one of them.
   */
  destructive?: boolean | undefined;
  /** True if the phrase applies only to something known from the dialogue: "got the bread". */
  known?: boolean | undefined;
  /** Creates the input from the slots; `undefined` means that the phrase does not fit. Default: `input` and the slots. */
  toInput?(
    slots: Readonly<Record<string, SlotValue>>,
    context: PhraseContext,
  ): { readonly [K in keyof TInput]: PhraseValue<TInput[K]> } | KeepLiterals<TInput> | undefined;
}

/** A phrase of a defined tool. @inline */
export interface ToolPhrase {
  readonly phrase: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly slots?: Readonly<Record<string, StandardSchema>>;
  readonly anywhere?: readonly string[];
  readonly destructive?: boolean;
  readonly known?: boolean;
  /** See {@link ToolPhraseOptions.toInput}. */
  toInput?(slots: Readonly<Record<string, SlotValue>>, context: PhraseContext): object | undefined;
}
