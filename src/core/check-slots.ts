import type { JsonSchema } from "./json-schema.ts";
import { failOption } from "./options.ts";
import type { ToolPhraseOptions } from "./phrase.ts";

/**
 * Throws `invalid-options` for a slot without a field in the input, unless something else states what to do with it.
 * The rule planner, which is not loaded for this, reports cases that are known only later: phrases that are loaded,
 * schemas of zod 3, and the branch of a union that a phrase means.
 */
export function checkSlots(option: string, phrases: readonly (string | ToolPhraseOptions)[], input: JsonSchema): void {
  const fields = fieldsOf(input);
  if (fields === undefined) return;
  for (const [index, given] of phrases.entries()) {
    const { phrase, slots = {}, toInput } = typeof given === "string" ? { phrase: given } : given;
    if (toInput !== undefined) continue;
    for (const [, name = ""] of phrase.matchAll(/\{([A-Za-z_][\w-]*)\}/g)) {
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
