import { checkSlots } from "./check-slots.ts";
import { checkKeys, failOption, type OptionTable, readOptions } from "./options.ts";
import type { ToolPhraseOptions } from "./phrase.ts";
import { retryOptions } from "./retry-options.ts";
import { inputJsonSchema, type JsonSchema, type StandardSchema, zodVersionOf } from "./schema.ts";
import { findNotJson } from "./schema-zod3.ts";
import type { PhraseList, Tool } from "./tool.ts";
import { toolCacheOptions } from "./tool-cache.ts";
import { toolLimits } from "./tool-limits.ts";

const isFunction = (value: unknown) => typeof value === "function";
const effects: readonly unknown[] = ["pure", "idempotent", "once"];

const toolOptions = {
  // Checked before all others, which are named after it.
  name: { type: "any" },
  description: { type: "text", isRequired: true },
  inputSchema: readInputSchema,
  outputSchema: { read: readSchema },
  effect: {
    isValid: (value) => isFunction(value) || effects.includes(value),
    expected: "one of pure, idempotent, once, or a function of the input",
  },
  retry: { options: retryOptions },
  timeoutMs: { type: "duration", min: 1 },
  ...toolLimits,
  needsApproval: {
    isValid: (value) => typeof value === "boolean" || isFunction(value),
    expected: "true, false or a function of the input",
  },
  result: { isValid: (value) => typeof value === "string", expected: "a path in the output" },
  cache: { options: toolCacheOptions },
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
 * `place` is its place in a list, if it is in one.
 */
export function checkToolOptions(tool: object, members: Tool, place: string | undefined): void {
  if (mustBeKnown(tool)) checkKeys(place ?? "tool", tool, toolKeys);
  const name: unknown = members.name;
  if (typeof name !== "string" || !/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    failOption(
      place === undefined ? "name" : `${place}.name`,
      name,
      "1 to 64 letters, digits, _ or -, the first one a letter",
    );
  }
  const { inputSchema, phrases } = readOptions(toolOptions, members, name);
  if (inputSchema !== undefined) checkSlots(`${name}.phrases`, phrases, inputSchema);
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
  if (zodVersionOf(schema) === undefined) failOption(option, schema, "a schema of zod 4, or of zod 3 from 3.25.28 on");
  return schema as StandardSchema;
}

const phraseOptions = {
  phrase: { type: "text", isRequired: true },
  input: { type: "any" },
  slots: { type: "any" },
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
