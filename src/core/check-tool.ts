import type { CircuitBreakerOptions } from "../async/circuit-breaker.ts";
import { maxTimerMs } from "../async/clock.ts";
import type { RateLimitOptions } from "../async/rate-limit.ts";
import type { RetryOptions } from "../async/retry.ts";
import { checkSlots } from "./check-slots.ts";
import type { JsonSchema } from "./json-schema.ts";
import { checkDuration, checkFunction, checkKeys, checkNumber, failOption } from "./options.ts";
import type { ToolPhraseOptions } from "./phrase.ts";
import { inputJsonSchema, type StandardSchema, zodVersionOf } from "./schema.ts";
import { findNotJson } from "./schema-zod3.ts";
import type { ToolCacheOptions, ToolLimitOptions } from "./tool.ts";

const effects = ["pure", "idempotent", "once"];
/** The members of a tool. */
export const toolKeys = [
  "name",
  "description",
  "inputSchema",
  "outputSchema",
  "effect",
  "retry",
  "timeoutMs",
  "concurrency",
  "rateLimit",
  "circuitBreaker",
  "needsApproval",
  "result",
  "cache",
  "phrases",
  "execute",
  "undo",
] as const;

/**
 * Throws `invalid-options` for anything that is not a valid tool. `members` are those of `toolKeys`, read from it;
 * `place` is its place in a list, if it is in one.
 */
export function checkToolOptions(tool: object, members: object, place: string | undefined): void {
  if (mustBeKnown(tool)) checkKeys(place ?? "tool", tool, toolKeys);
  const { name, description, inputSchema, outputSchema, effect, retry, timeoutMs, result, phrases, execute, ...rest } =
    members as Record<string, unknown>;
  if (typeof name !== "string" || !/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    failOption(
      place === undefined ? "name" : `${place}.name`,
      name,
      "1 to 64 letters, digits, _ or -, the first one a letter",
    );
  }
  const option = (key: string) => `${name}.${key}`;
  if (typeof description !== "string") failOption(option("description"), description, "text");
  if (typeof execute !== "function") failOption(option("execute"), execute, "a function");
  if (effect !== undefined && typeof effect !== "function" && !effects.includes(effect as string)) {
    failOption(option("effect"), effect, `one of ${effects.join(", ")}, or a function of the input`);
  }
  if (result !== undefined && typeof result !== "string") failOption(option("result"), result, "a path in the output");
  checkFunction(option("undo"), rest.undo);
  const { needsApproval } = rest;
  if (needsApproval !== undefined && typeof needsApproval !== "boolean" && typeof needsApproval !== "function") {
    failOption(option("needsApproval"), needsApproval, "true, false or a function of the input");
  }
  checkDuration(option("timeoutMs"), timeoutMs, { min: 1 });
  checkRetryOptions(option("retry"), retry);
  checkToolCache(option("cache"), rest.cache);
  checkToolLimits(option, rest as Record<keyof ToolLimitOptions, unknown>);
  const inputJson = checkInputSchema(option("inputSchema"), inputSchema);
  if (outputSchema !== undefined && zodVersionOf(outputSchema) === undefined)
    failSchema(option("outputSchema"), outputSchema);
  if (typeof phrases === "function") return;
  checkPhrases(option("phrases"), phrases);
  if (inputJson !== undefined) checkSlots(option("phrases"), phrases ?? [], inputJson);
}

/** An unknown member is a mistake, except in an instance of a class or in a tool created from a checked one. */
function mustBeKnown(tool: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(tool);
  return (prototype === Object.prototype || prototype === null) && !("declaredEffect" in tool);
}

/** Throws `invalid-options` for an invalid retry policy. */
export function checkRetryOptions(option: string, retry: unknown): asserts retry is RetryOptions | undefined {
  if (retry === undefined) return;
  checkKeys(option, retry, ["maxAttempts", "minDelayMs", "maxDelayMs", "factor", "maxTotalMs"]);
  const { maxAttempts, minDelayMs, maxDelayMs, factor, maxTotalMs } = retry as RetryOptions;
  checkNumber(`${option}.maxAttempts`, maxAttempts, { min: 1, max: 1_000, isInteger: true });
  checkDuration(`${option}.minDelayMs`, minDelayMs, { min: 0 });
  checkDuration(`${option}.maxDelayMs`, maxDelayMs, { min: 0 });
  checkNumber(`${option}.factor`, factor, { min: 1 });
  checkDuration(`${option}.maxTotalMs`, maxTotalMs, { min: 0 });
}

/** Returns the JSON Schema, except for zod 3, whose converter is loaded later. */
function checkInputSchema(option: string, schema: unknown): JsonSchema | undefined {
  const version = zodVersionOf(schema);
  if (version === undefined) failSchema(option, schema);
  if (version === 3) {
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

function failSchema(option: string, schema: unknown): never {
  failOption(option, schema, "a schema of zod 4, or of zod 3 from 3.25.28 on");
}

/** Throws `invalid-options` for anything that is not a list of phrases. The rule planner reads the templates. */
export function checkPhrases(
  option: string,
  phrases: unknown,
): asserts phrases is readonly (string | ToolPhraseOptions)[] | undefined {
  if (phrases === undefined) return;
  if (!Array.isArray(phrases)) failOption(option, phrases, "a list of phrases, or a function that loads one");
  for (const [index, phrase] of phrases.entries()) {
    if (typeof phrase === "string") continue;
    checkKeys(`${option}[${index}]`, phrase, ["phrase", "input", "slots", "toInput"]);
    if (typeof phrase.phrase !== "string") failOption(`${option}[${index}].phrase`, phrase.phrase, "text");
    checkFunction(`${option}[${index}].toInput`, phrase.toInput);
  }
}

/** Throws `invalid-options` for anything that is not the `cache` of a tool. */
export function checkToolCache(option: string, cache: unknown): void {
  if (cache === undefined) return;
  checkKeys(option, cache, ["maxAgeMs", "maxEntries", "key"]);
  const { maxAgeMs, maxEntries, key } = cache as Partial<ToolCacheOptions>;
  checkNumber(`${option}.maxAgeMs`, maxAgeMs, { min: 1, max: maxTimerMs, isRequired: true });
  checkNumber(`${option}.maxEntries`, maxEntries, { min: 1, max: 10_000, isInteger: true, isRequired: true });
  checkFunction(`${option}.key`, key);
}

/** Throws `invalid-options` for invalid limits. `option` names an option of the tool. */
export function checkToolLimits(
  option: (key: string) => string,
  { concurrency, rateLimit, circuitBreaker }: Record<keyof ToolLimitOptions, unknown>,
): void {
  checkNumber(option("concurrency"), concurrency, { min: 1, isInteger: true });
  if (rateLimit !== undefined) {
    checkKeys(option("rateLimit"), rateLimit, ["limit", "intervalMs"]);
    const { limit, intervalMs } = rateLimit as Partial<RateLimitOptions>;
    checkNumber(option("rateLimit.limit"), limit, { min: 1, max: 1_000_000, isInteger: true, isRequired: true });
    checkNumber(option("rateLimit.intervalMs"), intervalMs, { min: 1, max: maxTimerMs, isRequired: true });
  }
  if (circuitBreaker !== undefined) {
    checkKeys(option("circuitBreaker"), circuitBreaker, ["maxFailures", "windowMs", "resetAfterMs"]);
    const { maxFailures, windowMs, resetAfterMs } = circuitBreaker as CircuitBreakerOptions;
    checkNumber(option("circuitBreaker.maxFailures"), maxFailures, { min: 1, max: 1_000_000, isInteger: true });
    checkDuration(option("circuitBreaker.windowMs"), windowMs, { min: 1 });
    checkNumber(option("circuitBreaker.resetAfterMs"), resetAfterMs, { min: 1, max: maxTimerMs });
  }
}
