import type { CircuitBreakerOptions } from "../async/circuit-breaker.ts";
import { maxTimerMs } from "../async/clock.ts";
import type { RateLimitOptions } from "../async/rate-limit.ts";
import type { RetryOptions } from "../async/retry.ts";
import type { JsonSchema } from "./json-schema.ts";
import { checkKeys, checkObject, failOption, type OptionTable, readOptions } from "./options.ts";
import { expectedSchema, inputJsonSchema, isSchema, type StandardSchema, zodVersionOf } from "./schema.ts";
import { findNotJson } from "./schema-zod3.ts";
import { parsePhrase, readPhrase, slotNames } from "./template.ts";
import type { PhraseList, Tool, ToolLimitOptions, ToolPhraseOptions } from "./tool.ts";

/** The options of a retry policy, with the general defaults. */
export const retryOptions = {
  maxAttempts: { type: "integer", min: 1, max: 1_000, default: 3 },
  minDelayMs: { type: "duration", min: 0, default: 1_000 },
  maxDelayMs: { type: "duration", min: 0, default: 30_000 },
  factor: { type: "number", min: 1, default: 2 },
  maxTotalMs: { type: "duration", min: 0, default: Number.POSITIVE_INFINITY },
} satisfies OptionTable<RetryOptions>;

/** The options of a `circuitBreaker`. */
export const circuitBreakerOptions = {
  maxFailures: { type: "integer", min: 1, max: 1_000_000, default: 5 },
  windowMs: { type: "duration", min: 1, default: 60_000 },
  resetAfterMs: { type: "number", min: 1, max: maxTimerMs, default: 30_000 },
} satisfies OptionTable<CircuitBreakerOptions>;

const rateLimitOptions = {
  limit: { type: "integer", min: 1, max: 1_000_000, isRequired: true },
  intervalMs: { type: "number", min: 1, max: maxTimerMs, isRequired: true },
} satisfies OptionTable<RateLimitOptions>;

/** The options of the limits of a tool or a model. */
export const toolLimits = {
  concurrency: { type: "integer", min: 1 },
  rateLimit: { options: rateLimitOptions },
  circuitBreaker: { options: circuitBreakerOptions },
} satisfies OptionTable<ToolLimitOptions>;

const isFunction = (value: unknown) => typeof value === "function";
const effects: readonly unknown[] = ["pure", "idempotent", "once"];

/** The name of a tool, as an option. */
export const toolName = {
  isValid: (name: unknown) => typeof name === "string" && /^[A-Za-z][\w-]{0,63}$/.test(name),
  expected: "1 to 64 letters, digits, _ or -, the first one a letter",
};

const toolOptions = {
  // Checked before all others, which are named after it.
  name: { type: "any" },
  description: { type: "text", isRequired: true },
  inputSchema: readInputSchema,
  outputSchema: { read: readSchema },
  effect: {
    isValid: (value) => isFunction(value) || effects.includes(value),
    expected: "one of pure, idempotent, once, or a function of the input",
    default: "idempotent",
  },
  retry: { options: retryOptions },
  timeoutMs: { type: "duration", min: 1 },
  ...toolLimits,
  needsApproval: {
    isValid: (value) => typeof value === "boolean" || isFunction(value),
    expected: "true, false or a function of the input",
    default: false,
  },
  result: { isValid: (value) => typeof value === "string", expected: "a path in the output" },
  phrases: (value, option): PhraseList => {
    if (isFunction(value)) return [];
    checkPhrases(option, value);
    return value ?? [];
  },
  execute: { type: "function", isRequired: true },
  undo: { type: "function" },
} satisfies OptionTable<Tool>;

/** The members of a tool. */
export const toolKeys = Object.keys(toolOptions) as readonly (keyof Tool)[];

/**
 * Throws `invalid-options` for anything that is not a valid tool. `members` are those of `toolKeys`, read from it;
 * `place` is its place in a list, if it is in one. Returns them with defaults.
 */
export function checkToolOptions(tool: object, members: Tool, place: string | undefined) {
  const { name } = members;
  const hasName = toolName.isValid(name);
  if (mustBeKnown(tool)) checkKeys(hasName ? name : (place ?? "tool"), tool, toolKeys);
  if (!hasName) failOption(place === undefined ? "name" : `${place}.name`, name, toolName.expected);
  const { inputSchema, phrases, effect, needsApproval } = readOptions(toolOptions, members, name);
  checkSlots(`${name}.phrases`, phrases, inputSchema);
  return { ...members, effect, needsApproval };
}

/** An unknown member is a mistake, except in an instance of a class or in a tool created from a checked one. */
function mustBeKnown(tool: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(tool);
  return (prototype === Object.prototype || prototype === null) && !("declaredEffect" in tool);
}

/** Returns the JSON Schema, except for zod 3, whose converter is loaded later. */
function readInputSchema(schema: unknown, option: string): JsonSchema | undefined {
  if (zodVersionOf(readSchema(schema, option)) === 3) {
    const found = findNotJson(schema);
    if (found) failOption(option, found.type, `expressible as JSON Schema, but ${found.path} is a ${found.type}`);
    return undefined;
  }
  const json = convertInput(option, schema as StandardSchema);
  const { type } = json;
  // A step's input is an object: no plan could contain what a schema of a text or a list requires.
  if (typeof type === "string" && type !== "object")
    failOption(option, `a schema of type ${type}`, "a schema of an object");
  return json;
}

function convertInput(option: string, schema: StandardSchema): JsonSchema {
  try {
    return inputJsonSchema(schema) as JsonSchema;
  } catch (thrown) {
    failOption(option, "a schema", `expressible as JSON Schema (${thrown instanceof Error ? thrown.message : thrown})`);
  }
}

function readSchema(schema: unknown, option: string): StandardSchema {
  if (!isSchema(schema)) failOption(option, schema, expectedSchema(schema));
  return schema;
}

function readSlots(slots: unknown, option: string): void {
  checkObject(option, slots);
  for (const [name, schema] of Object.entries(slots)) readSchema(schema, `${option}.${name}`);
}

const phraseOptions = {
  phrase: { type: "text", isRequired: true },
  input: { type: "any" },
  slots: { read: readSlots },
  anywhere: { type: "any" },
  destructive: { type: "boolean" },
  toInput: { type: "function" },
} satisfies OptionTable<ToolPhraseOptions>;

/** Throws `invalid-options` for anything that is not a list of phrases. The rule planner reads the templates. */
export function checkPhrases(option: string, phrases: unknown): asserts phrases is PhraseList | undefined {
  if (phrases === undefined) return;
  if (!Array.isArray(phrases)) failOption(option, phrases, "a list of phrases, or a function that loads one");
  for (const [index, phrase] of phrases.entries()) {
    if (typeof phrase !== "string") readOptions(phraseOptions, phrase, `${option}[${index}]`);
  }
}

/**
 * Throws `invalid-options` for a phrase that cannot be read, and for a slot without a field in the input, unless something
 * else states what to do with it. The rule planner, which is not loaded for this, reports cases that are known only later:
 * phrases that are loaded, schemas of zod 3, and the branch of a union that a phrase means.
 */
function checkSlots(option: string, phrases: PhraseList, input: JsonSchema | undefined): void {
  const fields = input && fieldsOf(input);
  for (const [index, given] of phrases.entries()) {
    const { phrase, slots = {}, toInput } = typeof given === "string" ? { phrase: given } : given;
    const names = readPhrase(`${option}[${index}]`, phrase, () => slotNames(parsePhrase(phrase)));
    if (toInput !== undefined || fields === undefined) continue;
    for (const name of names) {
      if (fields.has(name) || Object.hasOwn(slots, name)) continue;
      const known = [...fields].slice(0, 20).join(", ");
      const fix = known === "" ? "give the phrase a toInput" : `name one of ${known}, or give the phrase a toInput`;
      failOption(
        `${option}[${index}]`,
        phrase,
        `a phrase with slots for input fields, but the input has no field "${name}" (${fix})`,
      );
    }
  }
}

/** The fields of an object, or of a union of objects, all together; undefined if there may be others. */
function fieldsOf({ properties, additionalProperties, ...schema }: JsonSchema): ReadonlySet<string> | undefined {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if ((schema.$ref ?? schema.allOf) !== undefined) return undefined;
  if (alternatives !== undefined) {
    const fields = alternatives.map(fieldsOf);
    return fields.includes(undefined) ? undefined : new Set(fields.flatMap((names) => [...(names ?? [])]));
  }
  if (properties === undefined || (additionalProperties !== undefined && additionalProperties !== false))
    return undefined;
  return new Set(Object.keys(properties));
}
