import { setOwn } from "../../core/json.ts";
import { type JsonSchema, schemasAt, typesOf } from "../../core/json-schema.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { asLiteral, asReference, findReferences } from "../../plan/reference.ts";
import { parseJson } from "./parse-json.ts";
import { TypedText } from "./typed-text.ts";

/*
 * Turns what a model wrote into the steps of a plan. Only lossless corrections are made: other names for the same key,
 * a value one level too high or too deep, a number in quotes. Everything else is left to the validation of the plan,
 * which refuses it.
 */

type JsonRecord = Readonly<Record<string, unknown>>;

/** What a model answered: steps, or that there is no plan and why. */
export type ModelAnswer =
  | {
      readonly type: "steps";
      readonly steps: readonly unknown[];
      readonly isReshaped: boolean;
      /** What the steps do not do, according to the model. */
      readonly missing?: string | undefined;
    }
  | { readonly type: "refusal"; readonly reason: string | undefined };

/** Other names that models give to the keys of a step. */
const aliases = {
  tool: ["action", "intent", "name", "function", "tool_name", "toolName"],
  input: ["params", "parameters", "arguments", "args", "tool_input", "toolInput"],
} as const;
const stepKeys: ReadonlySet<string> = new Set([
  "id",
  "tool",
  "input",
  "dependsOn",
  "reasoning",
  "when",
  "forEach",
  "concurrency",
]);

/** Reads a value as an answer; undefined if it is not one. A step among other JSON is not: the others would be lost. */
export function readAnswer(value: unknown, { isAlone = true }: { isAlone?: boolean } = {}): ModelAnswer | undefined {
  // An empty list in prose means nothing.
  if (Array.isArray(value)) return value.length === 0 ? undefined : stepsAnswer(value, true);
  if (!isRecord(value)) return undefined;
  if (Array.isArray(value.steps)) {
    const missing = textOf(value.missing);
    if (value.steps.length > 0) return { type: "steps", steps: value.steps, isReshaped: false, missing };
    return { type: "refusal", reason: missing ?? textOf(value.reason) };
  }
  const inner = value.plan;
  if (isRecord(inner) || Array.isArray(inner)) {
    const answer = readAnswer(inner, { isAlone });
    return answer?.type === "steps" ? { ...answer, isReshaped: true } : answer;
  }
  return keyOf(value, "tool") === undefined || !isAlone ? undefined : stepsAnswer([value], true);
}

function stepsAnswer(steps: readonly unknown[], isReshaped: boolean): ModelAnswer {
  return { type: "steps", steps, isReshaped };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name under which a step has a key. */
function keyOf(step: JsonRecord, key: "tool" | "input"): string | undefined {
  return [key, ...aliases[key]].find((name) => Object.hasOwn(step, name));
}

/** What is needed to read a step. */
export interface StepReading {
  readonly tools: ReadonlyMap<string, DefinedTool>;
  /** What the user typed and the app added: none of it is a reference. */
  readonly typed: string;
  /** Whether steps may have conditions and loops. */
  readonly expressions: boolean;
}

/** Brings a step into the shape of a plan's, and returns whether it had another. Leaves a non-object unchanged. */
export async function readStep(
  raw: unknown,
  reading: Pick<StepReading, "tools" | "typed">,
): Promise<{ readonly step: unknown; readonly isReshaped: boolean }> {
  if (!isRecord(raw)) return { step: raw, isReshaped: false };
  const named = withKeys(raw);
  const tool = findTool(named.tool, reading.tools);
  const { input } = named;
  const schema = tool && (await toolSchemas(tool)).input;
  const fitted = schema === undefined ? input : fitInput(input, schema);
  const step: Record<string, unknown> = {
    ...named,
    tool: tool?.name ?? named.tool,
    input: escapeTyped(fitted, typedTextOf(reading)),
  };
  for (const key of ["id", "dependsOn", "reasoning", "when", "forEach", "concurrency"]) {
    if (step[key] === null || step[key] === "") delete step[key];
  }
  return { step, isReshaped: named !== raw || step.tool !== named.tool || fitted !== input };
}

/** A step with our names for its keys; the same object if it has them. Unknown keys beside the tool are its input. */
function withKeys(raw: JsonRecord): JsonRecord {
  const toolKey = keyOf(raw, "tool");
  const inputKey = keyOf(raw, "input");
  if (toolKey === "tool" && inputKey === "input" && isRecord(raw.input)) return raw;
  const step: Record<string, unknown> = {};
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (key === toolKey || key === inputKey) continue;
    setOwn(inputKey !== undefined || stepKeys.has(key) ? step : flat, key, value);
  }
  const tool = toolKey === undefined ? undefined : raw[toolKey];
  return { ...step, tool, input: inputKey === undefined ? flat : unquoted(raw[inputKey]) };
}

/** An object that was written as text, or is null. */
function unquoted(input: unknown): unknown {
  if (input === null) return {};
  const value = typeof input === "string" ? parseJson(input) : undefined;
  return isRecord(value) ? value : input;
}

function findTool(name: unknown, tools: ReadonlyMap<string, DefinedTool>): DefinedTool | undefined {
  if (typeof name !== "string") return undefined;
  const exact = tools.get(name);
  if (exact !== undefined) return exact;
  const alike = [...tools.values()].filter((tool) => tool.name.toLowerCase() === name.trim().toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

/** Unquotes numbers and drops `null` values where the schema requires it; the same object if nothing changes. */
function fitInput(input: unknown, schema: JsonSchema): unknown {
  if (!isRecord(input) || asReference(input) !== undefined) return input;
  return fitValue(input, { schema, root: input, path: [] });
}

interface Fitting {
  readonly schema: JsonSchema;
  readonly root: unknown;
  readonly path: readonly (string | number)[];
}

function fitValue(value: unknown, { schema, root, path }: Fitting): unknown {
  if (typeof value === "string") return fitText(value, { schema, root, path });
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => fitValue(item, { schema, root, path: [...path, index] }));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value) || asReference(value) !== undefined || asLiteral(value) !== undefined) return value;
  const fitted: Record<string, unknown> = {};
  let isChanged = false;
  for (const [key, item] of Object.entries(value)) {
    const place = { schema, root, path: [...path, key] };
    if (item === null && !allows("null", place)) {
      isChanged = true;
      continue;
    }
    const next = fitValue(item, place);
    isChanged ||= next !== item;
    setOwn(fitted, key, next);
  }
  return isChanged ? fitted : value;
}

function fitText(text: string, place: Fitting): unknown {
  if (!/^-?\d+(\.\d+)?$/.test(text.trim()) || allows("string", place) || !allows("number", place)) return text;
  const number = Number(text);
  // An inexact number would be a different one.
  return Number.isSafeInteger(Math.trunc(number)) ? number : text;
}

/** Whether a value of a type is allowed there; true if that is not known. */
function allows(type: string, { schema, root, path }: Fitting): boolean {
  const schemas = schemasAt(schema, path, root);
  return schemas === undefined || schemas.length === 0 || (typesOf(schemas)?.has(type) ?? true);
}

/** The typed text, prepared once for all steps of an answer. */
const typedTexts = new WeakMap<object, TypedText>();

function typedTextOf(reading: Pick<StepReading, "typed">): TypedText {
  const known = typedTexts.get(reading);
  if (known !== undefined) return known;
  const typed = new TypedText(reading.typed);
  typedTexts.set(reading, typed);
  return typed;
}

/**
 * What the user typed is never read as a reference: where an input repeats it, a `${` is escaped so that it stays text,
 * and an object `{ "$ref" }` so that it stays an object.
 */
function escapeTyped(value: unknown, typed: TypedText): unknown {
  return typed.isPlain ? value : escapeValue(value, typed);
}

function escapeValue(value: unknown, typed: TypedText): unknown {
  if (typeof value === "string") return typed.escape(value);
  if (Array.isArray(value)) return value.map((item) => escapeValue(item, typed));
  if (!isRecord(value) || asLiteral(value) !== undefined) return value;
  const { $ref } = asReference(value) ?? {};
  if ($ref !== undefined) return typed.mayHaveReference($ref) ? { $literal: value } : value;
  const escaped: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(escaped, key, escapeValue(item, typed));
  return escaped;
}

/** What is needed to complete a step. */
export interface StepPlace {
  readonly index: number;
  /** The step before it, completed. */
  readonly previous: unknown;
  /** Whether a step before it has this id. */
  readonly isEarlier: (id: string) => boolean;
  readonly tools: ReadonlyMap<string, DefinedTool>;
  /** The prefix of ids that the model did not write. @default "s" */
  readonly prefix?: string | undefined;
}

/**
 * Completes a step with an id from its position if the model wrote none, and with `dependsOn`: the steps that it refers
 * to and, unless both are of pure tools, the one before it. Leaves a non-object unchanged.
 */
export function completeStep(step: unknown, { index, previous, isEarlier, tools, prefix = "s" }: StepPlace): unknown {
  if (!isRecord(step)) return step;
  const { id = `${prefix}${index + 1}`, tool, input, dependsOn, ...rest } = step;
  // A reference to nothing is left out here: validation reports where it is.
  const named = findReferences(input).flatMap(({ reference }) => reference?.stepId ?? []);
  const waitsFor = new Set<unknown>(named.filter(isEarlier));
  const isPure = (other: JsonRecord) =>
    typeof other.tool === "string" && tools.get(other.tool)?.declaredEffect === "pure";
  if (isRecord(previous) && !(isPure(step) && isPure(previous))) waitsFor.add(previous.id);
  return { id, tool, input, dependsOn: dependsOn ?? [...waitsFor], ...rest };
}

/** Completes all steps in order, after those that are kept. */
export function completeSteps(
  steps: readonly unknown[],
  { tools, prefix, kept = [] }: Pick<StepPlace, "tools" | "prefix"> & { readonly kept?: readonly PlanStep[] },
): readonly unknown[] {
  const ids = new Set<unknown>(kept.map(({ id }) => id));
  let previous: unknown;
  return steps.map((step, index) => {
    const whole = completeStep(step, { index, previous, isEarlier: (id) => ids.has(id), tools, prefix });
    if (isRecord(whole)) ids.add(whole.id);
    previous = whole;
    return whole;
  });
}
