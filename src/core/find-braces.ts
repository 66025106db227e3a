import type { JsonValue } from "./json.ts";
import type { PlanStep } from "./plan.ts";
import { asLiteral, parseReference } from "./reference.ts";

/** Braces that name a step as other template languages do. They are text. */
export interface FoundBraces {
  readonly stepId: string;
  /** With its braces: `{{s1.todos}}`. */
  readonly text: string;
  /** The reference that was meant: `s1.todos`. */
  readonly reference: string;
}

/** The first such braces in each step's input. Linear in the length of the plan; literals are not looked into. */
export function findBraces(steps: readonly PlanStep[]): readonly FoundBraces[] {
  const ids = new Set(steps.map(({ id }) => id));
  return steps.flatMap(({ id: stepId, input }) => {
    const found = firstIn(input, ids);
    return found === undefined ? [] : { stepId, ...found };
  });
}

function firstIn(value: JsonValue, ids: ReadonlySet<string>): Omit<FoundBraces, "stepId"> | undefined {
  if (typeof value === "string") return value.includes("{{") ? firstInText(value, ids) : undefined;
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
