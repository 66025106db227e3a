import { AgentError } from "./errors.ts";
import { type JsonObject, type JsonValue, setOwn } from "./json.ts";
import type { PlanStep } from "./plan.ts";
import { asLiteral, asReference, type ParsedReference, parseReference, parseTemplate } from "./reference.ts";

/** Looks up the output of a step that has completed. */
export type OutputOf = (stepId: string) => JsonValue | undefined;

/**
 * A step's input with earlier outputs in the place of references. Pure; what was put in is never scanned again.
 *
 * Throws `invalid-reference` where a path does not exist in the output it names.
 */
export function resolveInput(step: PlanStep, outputOf: OutputOf): JsonObject {
  const lookUpOutput: LookUp = (reference, text) => lookUp(reference, text, step.id, outputOf);
  return replaceReferences(step.input, lookUpOutput) as JsonObject;
}

/** Gives the value of a reference; of an invalid one only its text is known. */
export type LookUp = (reference: ParsedReference | undefined, text: string) => JsonValue;

/** A frozen copy of an input in which references, templates and literals are replaced by values. */
export function replaceReferences(value: JsonValue, lookUpValue: LookUp): JsonValue {
  if (typeof value === "string") return value.includes("${") ? fillTemplate(value, lookUpValue) : value;
  if (typeof value !== "object" || value === null) return value;
  const reference = asReference(value);
  if (reference !== undefined) return lookUpValue(parseReference(String(reference.$ref)), String(reference.$ref));
  const literal = asLiteral(value);
  if (literal !== undefined) return literal.$literal as JsonValue;
  if (Array.isArray(value)) return Object.freeze(value.map((item: JsonValue) => replaceReferences(item, lookUpValue)));
  const replaced: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    setOwn(replaced, key, replaceReferences((value as JsonObject)[key] as JsonValue, lookUpValue));
  }
  return Object.freeze(replaced);
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

function lookUp(reference: ParsedReference | undefined, text: string, stepId: string, outputOf: OutputOf): JsonValue {
  let value = reference && outputOf(reference.stepId);
  if (reference === undefined || value === undefined) throw missing(text, stepId, []);
  for (const key of reference.path) {
    const holder: JsonValue = value;
    const isHolder = typeof holder === "object" && holder !== null;
    if (!isHolder || !Object.hasOwn(holder, key) || (Array.isArray(holder) && typeof key === "string")) {
      throw missing(reference.text, stepId, isHolder ? Object.keys(holder).slice(0, 50) : []);
    }
    value = (holder as Record<string | number, JsonValue>)[key] as JsonValue;
  }
  return value;
}

function missing(reference: string, stepId: string, available: readonly string[]): AgentError<"invalid-reference"> {
  const hint = available.length > 0 ? ` There are: ${available.join(", ")}.` : "";
  return new AgentError("invalid-reference", `Step "${stepId}" refers to ${reference}, which does not exist.${hint}`, {
    details: { reference, stepId, available },
  });
}
