import { AgentError } from "../core/errors.ts";
import { deepFreeze, endOfString, type JsonObject, type JsonPath, type JsonValue, mapItems } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import { describeStepRef, describeWait, isIterationName, type StepRef, stepRefOf, templateOf } from "../core/step.ts";

export interface ParsedReference {
  readonly text: string;
  readonly stepId: string;
  readonly path: JsonPath;
}

type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reference"; readonly reference: ParsedReference }
  | { readonly type: "invalid"; readonly text: string };

const name = /[A-Za-z_][\w-]*/y;
const pathPart = /\.([A-Za-z_][\w-]*)|\[(\d{1,15})\]|\["/y;

/** Parses `s1`, `s1.key`, `s1[0]`, `s1["any key"]` and longer paths of such parts. */
export function parseReference(text: string): ParsedReference | undefined {
  const scanned = scanReference(text, 0);
  return scanned?.end === text.length ? scanned.reference : undefined;
}

export function parseTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literal = "";
  let position = 0;
  for (let start = text.indexOf("${"); start !== -1; start = text.indexOf("${", position)) {
    literal += text.slice(position, start);
    if (text.startsWith("${$}", start)) {
      literal += "$";
      position = start + 4;
      continue;
    }
    if (literal !== "") parts.push({ type: "text", text: literal });
    literal = "";
    const scanned = scanReference(text, start + 2);
    if (scanned !== undefined && text[scanned.end] === "}") {
      parts.push({ type: "reference", reference: scanned.reference });
      position = scanned.end + 1;
    } else {
      parts.push({ type: "invalid", text: text.slice(start, start + 40) });
      position = start + 2;
    }
  }
  literal += text.slice(position);
  if (literal !== "" || parts.length === 0) parts.push({ type: "text", text: literal });
  return parts;
}

function scanReference(text: string, start: number): { reference: ParsedReference; end: number } | undefined {
  const stepId = matchAt(name, text, start)?.[0];
  if (stepId === undefined) return undefined;
  const path: (string | number)[] = [];
  let end = start + stepId.length;
  for (let part = scanPathPart(text, end); part !== undefined; part = scanPathPart(text, end)) {
    path.push(part.key);
    end = part.end;
  }
  return { reference: { text: text.slice(start, end), stepId, path }, end };
}

function scanPathPart(text: string, start: number): { key: string | number; end: number } | undefined {
  const [all, key, index] = matchAt(pathPart, text, start) ?? [];
  if (all === undefined) return undefined;
  if (key !== undefined || index !== undefined) return { key: key ?? Number(index), end: start + all.length };
  const end = endOfString(text, start + 1) + 1;
  if (text[end] !== "]") return undefined;
  try {
    return { key: JSON.parse(text.slice(start + 1, end)) as string, end: end + 1 };
  } catch {
    return undefined;
  }
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

export function asReference(value: object): { readonly $ref: unknown } | undefined {
  return hasOnly(value, "$ref") ? value : undefined;
}

export function asLiteral(value: object): { readonly $literal: unknown } | undefined {
  return hasOnly(value, "$literal") ? value : undefined;
}

function hasOnly<TKey extends string>(value: object, key: TKey): value is Readonly<Record<TKey, unknown>> {
  return Object.hasOwn(value, key) && Object.keys(value).length === 1;
}

export interface FoundReference {
  readonly path: JsonPath;
  readonly kind: "value" | "text";
  readonly reference: ParsedReference | undefined;
  readonly text: string;
}

export function findReferences(input: unknown): readonly FoundReference[] {
  if (isPlain(input)) return [];
  const found: FoundReference[] = [];
  replaceReferences(input as JsonValue, [], (reference) => {
    found.push(reference);
    return null;
  });
  return found;
}

/** Inserted values are never scanned again. Throws `invalid-reference` and `TooMuchRepeated`. */
export function resolveInput(
  step: PlanStep,
  outputOf: (stepId: string) => JsonValue | undefined,
  {
    iteration,
    isSkipped,
  }: { iteration?: number | undefined; isSkipped?: ((stepId: string) => boolean) | undefined } = {},
): JsonObject {
  const ref = stepRefOf({ stepId: step.id, iteration });
  let repeated: RepeatedSize | undefined;
  return fillReferences(templateOf(step), (reference, text) => {
    const output = reference && outputOf(reference.stepId);
    if (reference === undefined || output === undefined) throw missing(text, ref);
    if (output === null && reference.path.length > 0 && isSkipped?.(reference.stepId))
      throw missing(text, ref, { skipped: reference.stepId });
    const value = valueAt(output, reference, ref);
    repeated ??= new RepeatedSize();
    repeated.add(reference.stepId, value);
    return value;
  }) as JsonObject;
}

function valueAt(output: JsonValue, { path, text }: ParsedReference, ref: StepRef): JsonValue {
  let value = output;
  for (const key of path) {
    const holder: JsonValue = value;
    const isHolder = typeof holder === "object" && holder !== null;
    if (!isHolder || !Object.hasOwn(holder, key) || (Array.isArray(holder) && typeof key === "string"))
      throw missing(text, ref, { available: isHolder ? Object.keys(holder).slice(0, 50) : [] });
    value = (holder as Record<string | number, JsonValue>)[key] as JsonValue;
  }
  return value;
}

function isPlain(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("${");
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isPlain(item));
  return Object.keys(value).every((key) => !key.startsWith("$") && isPlain((value as Record<string, unknown>)[key]));
}

/** Returns the same object if the input has no references, templates or literals; otherwise, a frozen copy. */
export function fillReferences(
  value: JsonValue,
  lookUp: (reference: ParsedReference | undefined, text: string) => JsonValue,
): JsonValue {
  if (isPlain(value)) return value;
  const filled = replaceReferences(value, [], ({ reference, text }) => lookUp(reference, text));
  return filled === value ? value : deepFreeze(filled);
}

type Replace = (found: FoundReference) => JsonValue;

function replaceReferences(value: JsonValue, path: (string | number)[], replace: Replace): JsonValue {
  if (typeof value === "string") return value.includes("${") ? replaceInTemplate(value, path, replace) : value;
  if (typeof value !== "object" || value === null) return value;
  const wanted = asReference(value);
  if (wanted !== undefined) {
    const { $ref } = wanted;
    const reference = typeof $ref === "string" ? parseReference($ref) : undefined;
    const text = typeof $ref === "string" ? $ref : (JSON.stringify($ref) ?? "nothing");
    return replace({ path: [...path], kind: "value", reference, text });
  }
  const literal = asLiteral(value);
  if (literal !== undefined) return literal.$literal as JsonValue;
  return mapItems(value, (item, key) => {
    path.push(key);
    const replaced = replaceReferences(item as JsonValue, path, replace);
    path.pop();
    return replaced;
  });
}

function replaceInTemplate(template: string, path: JsonPath, replace: Replace): string {
  let text = "";
  for (const part of parseTemplate(template)) {
    const reference = part.type === "reference" ? part.reference : undefined;
    const { text: written } = part.type === "reference" ? part.reference : part;
    const value = part.type === "text" ? written : replace({ path: [...path], kind: "text", reference, text: written });
    text += typeof value === "string" ? value : JSON.stringify(value);
  }
  return text;
}

function missing(
  reference: string,
  ref: StepRef,
  { available = [], skipped }: { available?: readonly string[]; skipped?: string } = {},
): AgentError<"invalid-reference"> {
  const hint = available.length > 0 ? ` Existing keys: ${available.join(", ")}.` : "";
  // In an expression, an id with "-" is a subtraction.
  const advice = skipped?.includes("-") ? "" : `; give this step the condition when: "${skipped} != null"`;
  const reason = skipped
    ? `but "${skipped}" was skipped, so its output is null${advice}.`
    : `which does not exist.${hint}`;
  return new AgentError("invalid-reference", `Step "${describeStepRef(ref)}" refers to ${reference}, ${reason}`, {
    details: { reference, ...ref, available },
  });
}

/** Limit in characters. Without it, a plan of a few kilobytes could multiply an output at will. */
const maxRepeated = 2 * 1_024 * 1_024;
const nestedValue = 64;

export class TooMuchRepeated extends RangeError {
  override name = "TooMuchRepeated";

  constructor(stepId: string) {
    const limit = "an input may repeat at most 2 097 152 characters of outputs, and each value in a list or an object";
    super(
      `its references repeat too much of the output of "${stepId}": ${limit} counts as 64; refer to that output once, and let the tool repeat it`,
    );
  }
}

/** Counts how much of each output an input repeats. The largest value is free, because an input needs it once. */
class RepeatedSize {
  readonly #outputs = new Map<string, { readonly first: JsonValue; largest?: number }>();
  #size = 0;

  add(stepId: string, value: JsonValue): void {
    const output = this.#outputs.get(stepId);
    if (output === undefined) {
      this.#outputs.set(stepId, { first: value });
      return;
    }
    const largest = output.largest ?? sizeOf(output.first);
    const size = sizeOf(value);
    output.largest = Math.max(largest, size);
    this.#size += Math.min(largest, size);
    if (this.#size > maxRepeated) throw new TooMuchRepeated(stepId);
  }
}

function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = 2;
  for (const [key, item] of Object.entries(value)) size += nestedValue + key.length + sizeOf(item);
  return size;
}

interface KnownNames {
  readonly stepIds?: ReadonlySet<string>;
  readonly references?: readonly FoundReference[];
}

export function dependenciesOf(
  step: PlanStep,
  previous: PlanStep | undefined,
  { stepIds, references = findReferences(templateOf(step)) }: KnownNames = {},
): readonly string[] {
  const written = step.dependsOn ?? (previous ? [previous.id] : none);
  if (references.length === 0 && stepIds === undefined && written.length < 2) return written;
  const ids = new Set(written);
  for (const { reference } of references)
    if (reference !== undefined && !isOfIteration(step, reference.stepId)) ids.add(reference.stepId);
  for (const id of stepIds ?? none) ids.add(id);
  return [...ids];
}

const maxUses = 3;

export function describeWaits(steps: readonly PlanStep[]): ReadonlyMap<string, string> {
  const uses = new Map<string, Set<string>>();
  const waits = new Map<string, string>();
  for (const step of steps) {
    if (uses.size > 0) {
      for (const { reference, path } of findReferences(templateOf(step)))
        uses.get(reference?.stepId ?? "")?.add(`fills ${[step.tool ?? step.id, ...path].join(".")}`);
      for (const id of stepsNamedIn(step, uses)) uses.get(id)?.add(`decides about ${step.id}`);
    }
    if (step.wait === undefined) continue;
    waits.set(step.id, `wait ${describeWait(step.wait)}`);
    if ("ask" in step.wait) uses.set(step.id, new Set());
  }
  for (const [id, found] of uses) {
    const more = found.size > maxUses ? [`${found.size - maxUses} more`] : [];
    waits.set(id, [waits.get(id), ...[...found].slice(0, maxUses), ...more].join(", "));
  }
  return waits;
}

export function isOfIteration({ forEach }: Pick<PlanStep, "forEach">, name: string): name is "item" | "index" {
  return forEach !== undefined && isIterationName(name);
}

/** Does not compile the expressions, so it may mistake a variable for a step. */
export function stepsNamedIn(
  { when = "", forEach = "" }: Pick<PlanStep, "when" | "forEach">,
  earlier: { has(id: string): boolean },
): ReadonlySet<string> {
  const code = `${when} ${forEach}`.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, " ");
  const words = code.match(/(?<![\w.])[A-Za-z_][\w-]*/g) ?? [];
  return new Set(words.filter((word) => earlier.has(word)));
}

const none: readonly string[] = [];
