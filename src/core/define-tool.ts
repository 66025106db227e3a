import type { RetryOptions } from "../async/retry.ts";
import { canonicalJson } from "./canonical-json.ts";
import { checkPhrases, checkToolOptions, toolKeys } from "./check-tool.ts";
import { AgentError } from "./errors.ts";
import type { Jsonify } from "./json.ts";
import { failOption } from "./options.ts";
import { type InferSchemaInput, type InferSchemaOutput, parseWith, type StandardSchema } from "./schema.ts";
import { cutText } from "./text.ts";
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

/** The key under which a defined tool, and each copy of it, keeps the members that its author gave. */
const givenKey = Symbol("given");

interface Given {
  /** The members, each read once; functions have their `this`. */
  readonly members: Tool;
  /** The tool that was made of them. */
  tool?: DefinedTool;
}

function givenOf(tool: unknown): Given | undefined {
  return (tool as { readonly [givenKey]?: Given } | null | undefined)?.[givenKey];
}

/** The tool defined from each object, so that an object that is passed to many agents is read and checked once. */
const definedFrom = new WeakMap<object, DefinedTool>();

/** A tool as planners and runs need it, created from a caller's value. Throws `invalid-options`. */
export function toDefinedTool(option: string, tool: unknown): DefinedTool {
  return definedFrom.get(tool as object) ?? define(tool as Tool, option);
}

/** Members that are called as methods of the object that has them. */
const methods: ReadonlySet<keyof Tool> = new Set(["effect", "needsApproval", "phrases", "execute", "undo"]);

/** A member of a tool. What a copy of a defined tool has in common with it is as its author gave it. */
function readMember(tool: Tool, key: keyof Tool): unknown {
  const value = tool[key];
  const given = givenOf(tool);
  if (given?.tool !== undefined && given.tool[key] === value) return given.members[key];
  return typeof value === "function" && methods.has(key) ? value.bind(tool) : value;
}

/** Checks and completes a tool. Each member is read once, whether it is a property, a getter, or on the prototype. */
export function define(tool: Tool, option?: string): DefinedTool {
  if (typeof tool !== "object" || tool === null || Array.isArray(tool)) {
    failOption(option ?? "tool", tool, "an object with name, description, inputSchema and execute");
  }
  const members = Object.fromEntries(toolKeys.map((key) => [key, readMember(tool, key)])) as unknown as Tool;
  const { effect, phrases = [], needsApproval, execute, undo, ...rest } = checkToolOptions(tool, members, option);
  const given: Given = { members };
  const defined: DefinedTool & { readonly [givenKey]: Given } = {
    ...rest,
    ...(needsApproval && {
      needsApproval: (input: unknown) => (typeof needsApproval === "function" ? needsApproval(input) : needsApproval),
    }),
    ...(undo && { undo: (done: UndoneCall<unknown, unknown>, context: ToolContext) => undo(done, context) }),
    declaredEffect: typeof effect === "function" ? "by-input" : effect,
    declaredNeedsApproval: typeof needsApproval === "function" ? "by-input" : needsApproval,
    phrases: typeof phrases === "function" ? async () => toPhrases(rest, await phrases()) : toPhrases(rest, phrases),
    effect: (input: unknown) => (typeof effect === "function" ? effect(input) : effect),
    execute: (input: unknown, context: ToolContext) => execute(input, context),
    [givenKey]: given,
  };
  given.tool = Object.freeze(defined);
  definedFrom.set(tool, defined).set(defined, defined);
  return defined;
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

const templateSigns = /[()[\]{}|]/;
/** The rule planner refuses a longer phrase. */
const maxLength = 4_096;

/** A phrase as it is compared with others: an example, that is a sentence without slots or choices. */
function sentenceOf({ phrase }: ToolPhrase): string | undefined {
  return phrase.length > maxLength || templateSigns.test(phrase)
    ? undefined
    : phrase.trim().toLowerCase().replace(/\s+/g, " ");
}

/** Throws `invalid-options` for an example whose input does not fit the tool, or is another one than before. */
function checkExamples(name: string, phrases: readonly ToolPhrase[], inputSchema: StandardSchema): void {
  const known = new Map<string, string>();
  for (const [index, each] of phrases.entries()) {
    const sentence = sentenceOf(each);
    // What a function makes of a sentence is checked when a request is planned.
    if (sentence === undefined || sentence === "" || each.toInput !== undefined) continue;
    const option = `${name}.phrases[${index}]`;
    const input = each.input ?? {};
    const parsed = parseWith(inputSchema, input);
    if (!(parsed instanceof Promise) && !parsed.ok) {
      const [issue] = parsed.issues;
      const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
      failOption(
        `${option}.input`,
        each.input,
        `an input that fits the tool, as ${JSON.stringify(cutText(each.phrase, 60))} has no slots (${where}${issue?.message ?? "invalid"})`,
      );
    }
    const json = canonicalJson(input);
    const other = known.get(sentence);
    if (other !== undefined && other !== json)
      failOption(option, each.phrase, `a sentence with one meaning: an earlier phrase gives it the input ${other}`);
    known.set(sentence, json);
  }
}

/** Throws `invalid-options` for a sentence that two tools give as an example. */
function checkSharedExamples(tools: Iterable<DefinedTool>): void {
  const owners = new Map<string, string>();
  for (const { name, phrases } of tools) {
    if (typeof phrases === "function") continue;
    for (const [index, each] of phrases.entries()) {
      const sentence = sentenceOf(each);
      if (sentence === undefined) continue;
      const owner = owners.get(sentence);
      if (owner !== undefined && owner !== name)
        failOption(`${name}.phrases[${index}]`, each.phrase, `a sentence that no other tool has; ${owner} has it, too`);
      owners.set(sentence, name);
    }
  }
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
