import type { RetryOptions } from "../async/retry.ts";
import { checkExamples, checkSharedExamples } from "./check-examples.ts";
import { checkPhrases, checkToolOptions, toolKeys } from "./check-tool.ts";
import { AgentError } from "./errors.ts";
import type { Jsonify } from "./json.ts";
import { failOption } from "./options.ts";
import type { InferSchemaInput, InferSchemaOutput, StandardSchema } from "./schema.ts";
import type {
  DefinedTool,
  PhraseList,
  Tool,
  ToolContext,
  ToolEffect,
  ToolLimitOptions,
  ToolPhrase,
  UndoneCall,
} from "./tool.ts";

/** The tool defined from each object, so that an object that is passed to many agents is read and checked once. */
const definedFrom = new WeakMap<object, DefinedTool>();

/** A tool as planners and runs need it, created from a caller's value. Throws `invalid-options`. */
export function toDefinedTool(option: string, tool: unknown): DefinedTool {
  return definedFrom.get(tool as object) ?? define(tool as Tool, option);
}

/** The tool that functions were created for: a spread copy of a tool is checked again, and keeps what it declared. */
const madeFor = new WeakMap<object, DefinedTool>();

/** Checks and completes a tool. Each member is read once, whether it is a property, a getter, or on the prototype. */
export function define(tool: Tool, option?: string): DefinedTool {
  if (typeof tool !== "object" || tool === null || Array.isArray(tool)) {
    failOption(option ?? "tool", tool, "an object with name, description, inputSchema and execute");
  }
  const members = Object.fromEntries(toolKeys.map((key) => [key, tool[key]] as const)) as unknown as Tool;
  const { effect, phrases = [], needsApproval, execute, undo, ...rest } = checkToolOptions(tool, members, option);
  const declaredEffect = typeof effect === "function" ? (madeFor.get(effect)?.declaredEffect ?? "by-input") : effect;
  const finished: DefinedTool = Object.freeze({
    ...rest,
    ...(needsApproval && {
      needsApproval: (input: unknown) =>
        typeof needsApproval === "function" ? needsApproval.call(tool, input) : needsApproval,
    }),
    ...(undo && {
      undo: (done: UndoneCall<unknown, unknown>, context: ToolContext) => undo.call(tool, done, context),
    }),
    declaredEffect,
    declaredNeedsApproval:
      typeof needsApproval === "function"
        ? (madeFor.get(needsApproval)?.declaredNeedsApproval ?? "by-input")
        : needsApproval,
    phrases:
      typeof phrases === "function" ? async () => toPhrases(rest, await phrases.call(tool)) : toPhrases(rest, phrases),
    effect: (input: unknown) => (typeof effect === "function" ? effect.call(tool, input) : effect),
    execute: (input: unknown, context: ToolContext) => execute.call(tool, input, context),
  });
  definedFrom.set(tool, finished).set(finished, finished);
  madeFor.set(finished.effect, finished);
  if (finished.needsApproval) madeFor.set(finished.needsApproval, finished);
  return finished;
}

function toPhrases(
  { name, inputSchema }: { name: string; inputSchema: StandardSchema },
  given: PhraseList,
): readonly ToolPhrase[] {
  checkPhrases(`${name}.phrases`, given);
  const phrases = given.map((phrase) => (typeof phrase === "string" ? { phrase } : (phrase as ToolPhrase)));
  checkExamples(name, phrases, inputSchema);
  return phrases;
}

/** The tools by name, checked. Throws `invalid-options` for anything that is not a tool, and for a duplicate name. */
export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, DefinedTool> {
  if (!Array.isArray(tools)) failOption("tools", tools, "a list of tools");
  const byName = new Map<string, DefinedTool>();
  for (const [index, given] of tools.entries()) {
    const tool = toDefinedTool(`tools[${index}]`, given);
    if (byName.has(tool.name)) {
      throw new AgentError("invalid-options", `Two tools are named "${tool.name}"; names must be unique.`, {
        details: { option: "tools", received: tool.name, expected: "tools of different names" },
      });
    }
    byName.set(tool.name, tool);
  }
  checkSharedExamples(byName.values());
  return byName;
}

interface ToolOptionsBase<TName extends string, TSchema extends StandardSchema> extends ToolLimitOptions {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, starting with a letter. Unique within an agent. */
  name: TName;
  description: string;
  /** zod 3 (from 3.25.28), zod 4, or any {@link StandardSchema} that tells its JSON Schema. */
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
   * What the rule planner understands, so that this tool can be planned for without a model. A very long list may come
   * from a function, which the first request calls.
   */
  phrases?: PhraseList<InferSchemaInput<TSchema>> | (() => Promise<PhraseList<InferSchemaInput<TSchema>>>) | undefined;
}

/**
 * Options of {@link defineTool} without an output schema: the output's type is what `execute` returns.
 * @group Tools
 */
export interface ToolOptions<TName extends string, TSchema extends StandardSchema, TOutput, TResources>
  extends ToolOptionsBase<TName, TSchema> {
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

/**
 * Options of {@link defineTool} with an output schema, against which references are checked before a run.
 * @inline
 */
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
 * Throws `invalid-options` for an option that is missing, unknown or wrong, for a schema that does not tell its JSON
 * Schema, and for an input that JSON cannot express (Date, Map, Set, BigInt …).
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
): DefinedTool<TName, InferSchemaInput<TSchema>, Jsonify<InferSchemaOutput<TOutputSchema>>, TResources>;

export function defineTool<const TName extends string, TSchema extends StandardSchema, TOutput, TResources = unknown>(
  options: ToolOptions<TName, TSchema, TOutput, TResources>,
): DefinedTool<TName, InferSchemaInput<TSchema>, Jsonify<Awaited<TOutput>>, TResources>;

export function defineTool(options: Tool): DefinedTool {
  return define(options);
}
