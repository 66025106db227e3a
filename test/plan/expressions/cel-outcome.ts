import type { JsonValue } from "planwright";
import { CelFailure, CelLimitExceeded, evaluateCel } from "../../../src/plan/expressions/evaluate.ts";
import type { CelExpression } from "../../../src/plan/expressions/node.ts";
import { parseCel } from "../../../src/plan/expressions/parse.ts";

/** Parses an expression that is known to be one. */
export async function celOf(text: string): Promise<CelExpression> {
  const parsed = parseCel(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.issue.message}`);
  return parsed.expression;
}

/** What comes of an expression: its value, or what went wrong as `syntax at 3: …`, `failure at 3: …` or `limit`. */
export async function outcomeOf(
  text: string,
  data: Readonly<Record<string, JsonValue>> = {},
  maxCost?: number,
): Promise<{ readonly value: JsonValue } | string> {
  const parsed = parseCel(text);
  if (!parsed.ok) return `syntax at ${parsed.issue.position}: ${parsed.issue.message}`;
  const lookUp = (name: string) => (Object.hasOwn(data, name) ? data[name] : undefined);
  try {
    return { value: evaluateCel(parsed.expression, lookUp, maxCost) };
  } catch (thrown) {
    if (thrown instanceof CelFailure) return `failure at ${thrown.position}: ${thrown.message}`;
    if (thrown instanceof CelLimitExceeded) return "limit";
    throw thrown;
  }
}
