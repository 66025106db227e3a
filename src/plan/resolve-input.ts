import { AgentError } from "../core/errors.ts";
import { deepFreeze, type JsonObject, type JsonValue, setOwn } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import { describeStepRef, inputOf, type StepRef, stepRefOf } from "../core/step.ts";
import {
  asLiteral,
  asReference,
  type ParsedReference,
  parseReference,
  parseTemplate,
  textOfReference,
} from "./reference.ts";

/** Looks up the output of a step that has completed. */
type OutputOf = (stepId: string) => JsonValue | undefined;

/** Further facts for errors. */
interface ResolveInputOptions {
  /** Which iteration of the step the input is for, if it is for one. */
  readonly iteration?: number | undefined;
  /** Whether a name is that of a step that was skipped. */
  readonly isSkipped?: ((name: string) => boolean) | undefined;
}

/**
 * A step's input with earlier outputs in place of references. Pure; inserted values are never scanned again.
 *
 * Throws `invalid-reference` if a path does not exist in the output it names, and `TooMuchRepeated` if the same output
 * is inserted too often.
 */
export function resolveInput(
  step: PlanStep,
  outputOf: OutputOf,
  { iteration, isSkipped }: ResolveInputOptions = {},
): JsonObject {
  const ref = stepRefOf({ stepId: step.id, iteration });
  const repeated = new RepeatedSize();
  const lookUpOutput: LookUp = (reference, text) => {
    const value = lookUp(reference, text, { ref, outputOf, isSkipped });
    if (reference !== undefined) repeated.add(reference.stepId, value);
    return value;
  };
  return replaceReferences(inputOf(step), lookUpOutput) as JsonObject;
}

/** Returns the value of a reference; of an invalid one only its text is known. */
type LookUp = (reference: ParsedReference | undefined, text: string) => JsonValue;

/**
 * An input in which references, templates and literals are replaced by values. One without any is the very same object,
 * not a copy: plans are frozen, and most inputs are plain.
 */
export function replaceReferences(value: JsonValue, lookUpValue: LookUp): JsonValue {
  if (typeof value === "string") return value.includes("${") ? fillTemplate(value, lookUpValue) : value;
  if (typeof value !== "object" || value === null) return value;
  const reference = asReference(value);
  if (reference !== undefined) {
    const text = textOfReference(reference);
    return lookUpValue(typeof reference.$ref === "string" ? parseReference(text) : undefined, text);
  }
  const literal = asLiteral(value);
  if (literal !== undefined) return literal.$literal as JsonValue;
  return Array.isArray(value) ? replaceInList(value, lookUpValue) : replaceInObject(value as JsonObject, lookUpValue);
}

function replaceInList(list: readonly JsonValue[], lookUpValue: LookUp): JsonValue {
  const replaced = list.map((item) => replaceReferences(item, lookUpValue));
  return replaced.every((item, index) => item === list[index]) ? list : deepFreeze(replaced);
}

function replaceInObject(object: JsonObject, lookUpValue: LookUp): JsonValue {
  let replaced: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(object)) {
    const before = object[key] as JsonValue;
    const after = replaceReferences(before, lookUpValue);
    if (after === before) continue;
    replaced ??= copyShallow(object);
    setOwn(replaced, key, after);
  }
  return replaced === undefined ? object : deepFreeze(replaced);
}

function copyShallow(object: JsonObject): Record<string, JsonValue> {
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) setOwn(copy, key, object[key] as JsonValue);
  return copy;
}

function fillTemplate(template: string, lookUpValue: LookUp): string {
  let text = "";
  for (const part of parseTemplate(template)) {
    if (part.type === "text") {
      text += part.text;
    } else {
      const value =
        part.type === "reference"
          ? lookUpValue(part.reference, part.reference.text)
          : lookUpValue(undefined, part.text);
      text += typeof value === "string" ? value : JSON.stringify(value);
    }
  }
  return text;
}

interface LookUpScope extends Pick<ResolveInputOptions, "isSkipped"> {
  readonly ref: StepRef;
  readonly outputOf: OutputOf;
}

function lookUp(
  reference: ParsedReference | undefined,
  text: string,
  { ref, outputOf, isSkipped }: LookUpScope,
): JsonValue {
  let value = reference && outputOf(reference.stepId);
  if (reference === undefined || value === undefined) throw missing(text, ref);
  if (value === null && reference.path.length > 0 && isSkipped?.(reference.stepId)) {
    throw missing(text, ref, { skipped: reference.stepId });
  }
  for (const key of reference.path) {
    const holder: JsonValue = value;
    const isHolder = typeof holder === "object" && holder !== null;
    if (!isHolder || !Object.hasOwn(holder, key) || (Array.isArray(holder) && typeof key === "string")) {
      throw missing(reference.text, ref, { available: isHolder ? Object.keys(holder).slice(0, 50) : [] });
    }
    value = (holder as Record<string | number, JsonValue>)[key] as JsonValue;
  }
  return value;
}

function missing(
  reference: string,
  ref: StepRef,
  { available = [], skipped }: { available?: readonly string[]; skipped?: string } = {},
): AgentError<"invalid-reference"> {
  const hint = available.length > 0 ? ` There are: ${available.join(", ")}.` : "";
  const reason = skipped === undefined ? `which does not exist.${hint}` : describeSkipped(skipped);
  return new AgentError("invalid-reference", `Step "${describeStepRef(ref)}" refers to ${reference}, ${reason}`, {
    details: { reference, ...ref, available },
  });
}

function describeSkipped(stepId: string): string {
  const text = `but "${stepId}" was skipped, so its output is null`;
  // An expression reads such an id as a subtraction.
  return stepId.includes("-") ? `${text}.` : `${text}; give this step the condition when: "${stepId} != null".`;
}

/**
 * How much one input may repeat of outputs, in characters: a plan of a few kilobytes can ask for any multiple of an
 * output. The largest output that a run accepts by default can be used three times.
 */
const maxRepeated = 2 * 1_024 * 1_024;
/** The size of a value in a list or an object: copying and checking it takes as long as so many characters of text. */
const nestedValue = 64;

/** The references of one input repeat more of an output than they may. */
export class TooMuchRepeated extends RangeError {
  override name = "TooMuchRepeated";

  constructor(stepId: string) {
    super(
      `its references repeat too much of "${stepId}": an input may repeat at most 2 097 152 characters of outputs, and each ` +
        "value in a list or an object counts as 64; refer to it once, and let the tool repeat it",
    );
  }
}

/**
 * Counts what references put into an input more than once: for each output, everything but the largest value, which is
 * needed to use the output at all. So an input takes no longer than the plan, the outputs and what is counted here.
 */
class RepeatedSize {
  private readonly outputs = new Map<string, { readonly first: JsonValue; largest?: number }>();
  private size = 0;

  /** Counts a value that was taken from an output. Throws {@link TooMuchRepeated}. */
  add(stepId: string, value: JsonValue): void {
    const output = this.outputs.get(stepId);
    // Most outputs are referred to once, and then nothing need be counted.
    if (output === undefined) {
      this.outputs.set(stepId, { first: value });
      return;
    }
    const largest = output.largest ?? sizeOf(output.first);
    const size = sizeOf(value);
    output.largest = Math.max(largest, size);
    this.size += Math.min(largest, size);
    if (this.size > maxRepeated) throw new TooMuchRepeated(stepId);
  }
}

function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = 2;
  for (const [key, item] of Object.entries(value)) size += nestedValue + key.length + sizeOf(item);
  return size;
}
