import type { RetryOptions } from "../async/retry.ts";
import { callLimitOptions, retryOptions } from "./call-gate.ts";
import { AgentError } from "./errors.ts";
import { canonicalJson, copyJson, isPlainObject, type Jsonify } from "./json.ts";
import { type JsonSchema, knownKeys, schemasAt } from "./json-schema.ts";
import { checkKeys, checkPlainObject, failOption, type OptionTable, readOptions } from "./option-tables.ts";
import { parseSyntax, readPhrase, slotNames, slotsSideBySide } from "./phrase-syntax.ts";
import {
  expectedSchema,
  type InferSchemaInput,
  type InferSchemaOutput,
  isSchema,
  parseWith,
  type StandardSchema,
  toJsonSchema,
  zodVersionOf,
} from "./schema.ts";
import { findNotJson, readZod3 } from "./schema-zod3.ts";
import { cutText, describeThrown } from "./text.ts";
import {
  type DefinedTool,
  type PhraseList,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolLimitOptions,
  type ToolPhrase,
  type ToolPhraseOptions,
  toolEffects,
  type UndoneCall,
} from "./tool.ts";
import { toolSchemas } from "./tool-schemas.ts";

type NoSchema = StandardSchema<never>;

type Returned<TOutputSchema extends StandardSchema, TReturned> = [TOutputSchema] extends [NoSchema]
  ? TReturned
  : NoInfer<InferSchemaInput<TOutputSchema>> | Promise<NoInfer<InferSchemaInput<TOutputSchema>>>;

type Output<TOutputSchema extends StandardSchema, TReturned> = Jsonify<
  [TOutputSchema] extends [NoSchema] ? Awaited<TReturned> : InferSchemaOutput<TOutputSchema>
>;

/** Options of {@link defineTool}. @group Tools */
export interface ToolOptions<
  TName extends string,
  TSchema extends StandardSchema,
  TOutputSchema extends StandardSchema,
  TReturned,
  TResources,
> extends ToolLimitOptions {
  /** Name: 1 to 64 characters from `A-Z a-z 0-9 _ -`, starting with a letter; unique within an agent. */
  name: TName;
  description: string;
  /** A schema of zod 3 (from 3.25.28) or zod 4, or any {@link StandardSchema} that provides its JSON Schema. */
  inputSchema: TSchema;
  /** Schema of the output, also used to check references before a run. Without it, `execute` determines the type. */
  outputSchema?: TOutputSchema | undefined;
  /** The effect of a call, which decides what may run again, or a function of the parsed input. @default "once" */
  effect?: ToolEffect | ((input: InferSchemaOutput<TSchema>) => ToolEffect) | undefined;
  retry?: RetryOptions | undefined;
  /** @default the agent's `stepTimeoutMs`; `Infinity` is allowed */
  timeoutMs?: number | undefined;
  /** True if a step must be approved before it runs, or a function of its parsed input. @default false */
  needsApproval?: boolean | ((input: InferSchemaOutput<TSchema>) => boolean | Promise<boolean>) | undefined;
  /** Path of the part of the output that "it" or "the result" in a request refers to, such as `value`. */
  result?: string | undefined;
  /** Phrases that the rule planner understands, or a function that loads them for the first request. */
  phrases?: PhraseList<InferSchemaInput<TSchema>> | (() => Promise<PhraseList<InferSchemaInput<TSchema>>>) | undefined;
  /** Describes a call in at most 300 characters. Gets secrets and references as text. @default from phrases */
  describeCall?: ((input: InferSchemaInput<TSchema>) => string) | undefined;
  /** Runs the tool with the parsed input. */
  execute(input: InferSchemaOutput<TSchema>, context: ToolContext<TResources>): Returned<TOutputSchema, TReturned>;
  /** Undoes what `execute` did; may be called more than once. Write it after `execute`, which determines the type of `output`. */
  undo?:
    | ((
        done: UndoneCall<InferSchemaOutput<TSchema>, Output<TOutputSchema, NoInfer<TReturned>>>,
        context: ToolContext<TResources>,
      ) => unknown)
    | undefined;
  /**
   * Describes the outcome of a call in at most 2 000 characters: `Booked table 7 for Moreau.` Input and output are JSON
   * as recorded, with secrets as `"[sensitive]"`. The default is used if `say` throws, or mentions a number, date or
   * name that is not in the input, output or request. Write it after `execute`, like `undo`. @default from the output
   */
  say?:
    | ((done: {
        readonly input: InferSchemaInput<TSchema>;
        readonly output: Output<TOutputSchema, NoInfer<TReturned>>;
      }) => string)
    | undefined;
}

/**
 * Checks the options of a tool and infers its types. Throws `invalid-options` for an option that is missing, unknown or
 * wrong, or if JSON Schema cannot express the input (Date, Map, BigInt …).
 * {@includeCode ../../examples/02-your-own-tool.ts}
 */
export function defineTool<
  const TName extends string,
  TSchema extends StandardSchema,
  TReturned,
  TOutputSchema extends StandardSchema = NoSchema,
  TResources = unknown,
>(
  options: ToolOptions<TName, TSchema, TOutputSchema, TReturned, TResources>,
): DefinedTool<
  TName,
  InferSchemaInput<TSchema>,
  Output<TOutputSchema, TReturned>,
  TResources,
  Jsonify<InferSchemaOutput<TSchema>>
> {
  return define(options as Tool) as never;
}

export function saysEffect(tool: DefinedTool & { readonly [givenKey]?: Given }): boolean {
  return tool[givenKey]?.members.effect !== undefined;
}

export function toDefinedTool(place: string, tool: unknown): DefinedTool {
  return definedFrom.get(tool as object) ?? define(tool as Tool, place);
}

const definedFrom = new WeakMap<object, DefinedTool>();

export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, DefinedTool> {
  if (!Array.isArray(tools)) failOption("tools", tools, "a list of tools");
  const byName = new Map<string, DefinedTool>();
  for (const [index, given] of tools.entries()) {
    const tool = toDefinedTool(`tools[${index}]`, given);
    if (byName.has(tool.name)) {
      const details = { option: "tools", received: tool.name, expected: "tools with different names" };
      const message = `Two tools are named "${tool.name}"; names must be unique.`;
      throw new AgentError("invalid-options", message, { details });
    }
    byName.set(tool.name, tool);
  }
  checkSharedExamples(byName.values());
  return byName;
}

const isFunction = (value: unknown) => typeof value === "function";

export const toolName = {
  isValid: (name: unknown) => typeof name === "string" && /^[A-Za-z][\w-]{0,63}$/.test(name),
  expected: "1 to 64 letters, digits, _ or -, starting with a letter",
};

const toolOptions = {
  // Already checked, because the messages of the other options contain the name.
  name: { type: "any" },
  description: { type: "text", isRequired: true },
  inputSchema: readInputSchema,
  outputSchema: { read: readSchema },
  effect: {
    isValid: (value) => isFunction(value) || toolEffects.includes(value as ToolEffect),
    expected: `one of ${toolEffects.join(", ")}, or a function of the input`,
    isHarmless: true,
    default: "once",
  },
  retry: { options: retryOptions },
  timeoutMs: { type: "duration", min: 1 },
  ...callLimitOptions,
  needsApproval: {
    isValid: (value) => typeof value === "boolean" || isFunction(value),
    expected: "true, false or a function of the input",
    isHarmless: true,
    default: false,
  },
  result: { isValid: (value) => typeof value === "string", expected: "a path in the output" },
  phrases: { read: (value, option) => (isFunction(value) ? undefined : readPhrases(value, option)) },
  describeCall: { type: "function" },
  execute: { type: "function", isRequired: true },
  undo: { type: "function" },
  say: { type: "function" },
} satisfies OptionTable<Tool>;

const toolKeys = Object.keys(toolOptions) as readonly (keyof Tool)[];

const givenKey = Symbol("given");

interface Given {
  readonly members: Tool;
  tool?: DefinedTool;
}

export function define(tool: Tool, place?: string): DefinedTool {
  if (typeof tool !== "object" || tool === null || Array.isArray(tool))
    failOption(place ?? "tool", tool, "an object with name, description, inputSchema and execute");
  const members = Object.fromEntries(toolKeys.map((key) => [key, readMember(tool, key)])) as unknown as Tool;
  const hasName = toolName.isValid(members.name);
  // Instances of classes, and tools created from checked ones, may have other members.
  if (isPlainObject(tool) && !("declaredEffect" in tool))
    checkKeys(hasName ? members.name : (place ?? "tool"), tool, toolKeys);
  if (!hasName) failOption(place === undefined ? "name" : `${place}.name`, members.name, toolName.expected, true);
  const { inputSchema: input, effect, needsApproval, phrases } = readOptions(toolOptions, members, members.name);
  const { effect: _effect, needsApproval: _needsApproval, phrases: given, execute, undo, ...rest } = members;
  if (phrases !== undefined) checkPhrases(phrases, { ...rest, input });
  const made: Given = { members };
  const defined: DefinedTool & { readonly [givenKey]: Given } = {
    ...rest,
    ...(needsApproval && {
      needsApproval: (input: unknown) => (typeof needsApproval === "function" ? needsApproval(input) : needsApproval),
    }),
    ...(undo && { undo: (done: UndoneCall<unknown, unknown>, context: ToolContext) => undo(done, context) }),
    declaredEffect: typeof effect === "function" ? "by-input" : effect,
    declaredNeedsApproval: typeof needsApproval === "function" ? "by-input" : needsApproval,
    phrases: typeof given === "function" ? () => loadPhrases(rest, given) : (phrases ?? []),
    effect: (input: unknown) => (typeof effect === "function" ? effect(input) : effect),
    execute: (input: unknown, context: ToolContext) => execute(input, context),
    [givenKey]: made,
  };
  made.tool = Object.freeze(defined);
  definedFrom.set(tool, defined).set(defined, defined);
  return defined;
}

const methods: ReadonlySet<string> = new Set("effect needsApproval phrases describeCall execute undo say".split(" "));

function readMember(tool: Tool & { readonly [givenKey]?: Given }, key: keyof Tool): unknown {
  const value = tool[key];
  const given = tool[givenKey];
  if (given?.tool !== undefined && given.tool[key] === value) return given.members[key];
  return typeof value === "function" && methods.has(key) ? value.bind(tool) : value;
}

function readInputSchema(schema: unknown, option: string): JsonSchema | undefined {
  if (zodVersionOf(readSchema(schema, option)) === 3) {
    const found = findNotJson(schema);
    if (found) failOption(option, found.type, `expressible as JSON Schema, but ${found.path} is a ${found.type}`, true);
    return undefined;
  }
  const json = convertInput(option, schema as StandardSchema);
  const { type } = json;
  if (typeof type === "string" && type !== "object")
    failOption(option, `a schema of type ${type}`, "a schema of type object", true);
  return json;
}

function convertInput(option: string, schema: StandardSchema): JsonSchema {
  try {
    return toJsonSchema(schema, "input") as JsonSchema;
  } catch (thrown) {
    const [why] = (thrown instanceof Error ? thrown.message : describeThrown(thrown)).split("\n");
    failOption(option, schema, `expressible as JSON Schema (${why})`);
  }
}

function readSchema(schema: unknown, option: string): StandardSchema {
  if (!isSchema(schema)) failOption(option, schema, expectedSchema(schema));
  return schema;
}

const phraseOptions = {
  phrase: { type: "text", isRequired: true },
  input: { type: "any" },
  slots: {
    read: (slots, option) => {
      checkPlainObject(option, slots, "schemas");
      for (const [name, schema] of Object.entries(slots)) {
        const at = `${option}.${name}`;
        if (zodVersionOf(readSchema(schema, at)) !== 3) checkSlotKind(at, "a schema", convertInput(at, schema));
      }
    },
  },
  anywhere: { type: "any" },
  destructive: { type: "boolean" },
  known: { type: "boolean" },
  toInput: { type: "function" },
} satisfies OptionTable<ToolPhraseOptions>;

function readPhrases(phrases: unknown, option: string): readonly ToolPhrase[] {
  if (!Array.isArray(phrases)) failOption(option, phrases, "a list of phrases or a function that loads such a list");
  return phrases.map((phrase, index) => {
    if (typeof phrase === "string") return { phrase };
    readOptions(phraseOptions, phrase, `${option}[${index}]`);
    return phrase;
  });
}

interface PhrasedTool extends Pick<Tool, "name" | "inputSchema"> {
  readonly input?: JsonSchema | undefined;
}

async function loadPhrases(tool: PhrasedTool, load: () => Promise<PhraseList>): Promise<readonly ToolPhrase[]> {
  const phrases = readPhrases((await load()) ?? [], `${tool.name}.phrases`);
  checkPhrases(phrases, tool);
  return phrases;
}

function checkPhrases(phrases: readonly ToolPhrase[], tool: PhrasedTool): void {
  for (const [index, phrase] of phrases.entries()) checkSlots(`${tool.name}.phrases[${index}]`, phrase, tool);
  checkExamples(phrases, tool);
}

function checkSlots(option: string, { phrase, slots = {}, toInput }: ToolPhrase, { input }: PhrasedTool): void {
  const node = readPhrase(option, phrase, () => parseSyntax(phrase));
  if (input === undefined) return;
  const names = slotNames(node);
  for (const name of names) {
    for (const schema of schemasAt(input, [name]) ?? []) checkSlotKind(option, `a phrase with a {${name}}`, schema);
    if (toInput !== undefined || Object.hasOwn(slots, name) || schemasAt(input, [name])?.length !== 0) continue;
    const known = knownKeys(schemasAt(input, []) ?? []).slice(0, 20);
    const fix = `${known.length === 0 ? "" : `name one of ${known.join(", ")}, or `}give the phrase a toInput`;
    const expected = `a phrase with slots for input fields, but the input has no field "${name}" (${fix})`;
    failOption(option, phrase, expected, true);
  }
  const schemasOf = (name: string): readonly JsonSchema[] =>
    toInput === undefined && !Object.hasOwn(slots, name) ? (schemasAt(input, [name]) ?? []) : [];
  const isText = (name: string) => schemasOf(name).some(isOpenText);
  const pair = slotsSideBySide(node).find(
    ([first, second]) => isText(first) && isText(second) && !schemasOf(first).some(({ slot }) => slot === "word"),
  );
  if (pair === undefined) return;
  const [first, second] = pair.map((name) => `{${name}}`);
  const advice = `put a word between them, or give ${first} \`.meta({ slot: "word" })\``;
  failOption(option, phrase, `a phrase that shows where ${first} ends and ${second} begins (${advice})`, true);
}

const slotKinds: readonly unknown[] = ["message", "name", "range", "sum", "whole", "word", undefined];

function checkSlotKind(option: string, subject: string, { slot }: JsonSchema): void {
  const expected = `${subject} whose "slot" is one of ${slotKinds.slice(0, -1).join(", ")}`;
  if (!slotKinds.includes(slot)) failOption(option, slot, expected, true);
}

export function isOpenText({ type, format, pattern, slot, enum: values, const: constant }: JsonSchema): boolean {
  const isRead = slot === "range" || slot === "sum";
  return type === "string" && !isRead && [format, pattern, values, constant].every((limit) => limit === undefined);
}

function checkExamples(phrases: readonly ToolPhrase[], { name, inputSchema }: PhrasedTool): void {
  const known = new Map<string, string>();
  for (const [index, each] of phrases.entries()) {
    const sentence = sentenceOf(each);
    if (sentence === undefined || sentence === "" || each.toInput !== undefined) continue;
    const option = `${name}.phrases[${index}]`;
    const input = each.input ?? {};
    const parsed = parseWith(inputSchema, input);
    if (!(parsed instanceof Promise) && !parsed.ok) {
      const [{ path, message } = { path: [], message: "invalid" }] = parsed.issues;
      const why = path.length === 0 ? message : `${path.join(".")}: ${message}`;
      const phrase = JSON.stringify(cutText(each.phrase, 60));
      failOption(`${option}.input`, each.input, `an input that fits the tool, because ${phrase} has no slots (${why})`);
    }
    const json = canonicalJson(input);
    const other = known.get(sentence);
    const expected = `a sentence with one meaning: an earlier phrase gives it the input ${other}`;
    if (other !== undefined && other !== json) failOption(option, each.phrase, expected, true);
    known.set(sentence, json);
  }
}

function checkSharedExamples(tools: Iterable<DefinedTool>): void {
  const owners = new Map<string, string>();
  for (const { name, phrases } of tools) {
    if (typeof phrases === "function") continue;
    for (const [index, each] of phrases.entries()) {
      const sentence = sentenceOf(each);
      if (sentence === undefined) continue;
      const owner = owners.get(sentence);
      const expected = `a sentence that no other tool has; ${owner} also has it`;
      if (owner !== undefined && owner !== name) failOption(`${name}.phrases[${index}]`, each.phrase, expected, true);
      owners.set(sentence, name);
    }
  }
}

const templateSigns = /[()[\]{}|]/;

function sentenceOf({ phrase }: ToolPhrase): string | undefined {
  if (templateSigns.test(phrase)) return undefined;
  return phrase.trim().toLowerCase().replace(/\s+/g, " ");
}

/** A description of a tool as JSON. @group Tools */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** The declared effect; `by-input` if it is a function of the input. */
  readonly effect: ToolEffect | "by-input";
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/**
 * Describes a tool as data. Its JSON Schemas (draft 2020-12 for zod 4, draft 7 for zod 3) are copies. Rejects with
 * `invalid-options` if `tool` is not a tool. {@includeCode ../../examples/18-plans-as-json.ts} @group Tools
 */
export async function describeTool(tool: Tool): Promise<ToolDescription> {
  readZod3();
  const defined = toDefinedTool("tool", tool);
  const { input, output } = await toolSchemas(defined);
  const { name, description, declaredEffect: effect } = defined;
  return copyJson({ name, description, effect, inputSchema: input, ...(output && { outputSchema: output }) });
}
