import type { JsonObject, JsonValue } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import { inputOf } from "../core/step.ts";
import { asLiteral, parseReference } from "./reference.ts";

/** Braces that name a step as other template languages do. They are text. */
interface FoundBraces {
  readonly stepId: string;
  /** With its braces: `{{s1.todos}}`. */
  readonly text: string;
  /** The reference that was meant: `s1.todos`. */
  readonly reference: string;
}

/** The first such braces in each step's input. Linear in the length of the plan; literals are skipped. */
export function findBraces(steps: readonly PlanStep[]): readonly FoundBraces[] {
  // Almost no plan has any.
  const suspects = steps.filter((step) => hasBraces(inputOf(step)));
  if (suspects.length === 0) return [];
  const ids = new Set(steps.map(({ id }) => id));
  return suspects.flatMap((step) => {
    const found = firstIn(inputOf(step), ids);
    return found === undefined ? [] : { stepId: step.id, ...found };
  });
}

function hasBraces(value: JsonValue): boolean {
  if (typeof value === "string") return value.includes("{{");
  if (typeof value !== "object" || value === null) return false;
  for (const key in value) if (hasBraces((value as JsonObject)[key] as JsonValue)) return true;
  return false;
}

function firstIn(value: JsonValue, ids: ReadonlySet<string>): Omit<FoundBraces, "stepId"> | undefined {
  if (typeof value === "string") return firstInText(value, ids);
  if (typeof value !== "object" || value === null || asLiteral(value) !== undefined) return undefined;
  for (const item of Object.values(value)) {
    const found = firstIn(item, ids);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstInText(text: string, ids: ReadonlySet<string>): Omit<FoundBraces, "stepId"> | undefined {
  for (const [braces, inner = ""] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const reference = parseReference(inner.trim());
    if (reference !== undefined && ids.has(reference.stepId)) return { text: braces, reference: reference.text };
  }
  return undefined;
}
