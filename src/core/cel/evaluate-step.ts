import { cutText } from "../cut-text.ts";
import { AgentError } from "../errors.ts";
import type { ExpressionKey, ExpressionScope } from "../expressions.ts";
import { deepFreeze, type JsonValue } from "../json.ts";
import type { PlanStep } from "../plan.ts";
import { describePlace, placeOf } from "../step-place.ts";
import { CelFailure, CelLimitExceeded } from "./budget.ts";
import { evaluateCel, maxCelCost } from "./evaluate.ts";
import type { CelExpression, CelIssue } from "./node.ts";
import { celTypeOf } from "./operators.ts";

/** So much of an expression is quoted in a message. */
const maxQuoted = 200;

/** Which expression of which step, and for which iteration if it is for one. */
interface ExpressionPlace {
  readonly step: PlanStep;
  readonly key: ExpressionKey;
  readonly iteration?: number | undefined;
}

/** Evaluates an expression of a step, and checks that the result has the type that the key needs. */
export function evaluateOfStep(expression: CelExpression, place: ExpressionPlace & ExpressionScope): JsonValue {
  const { key } = place;
  const value = evaluate(expression, place);
  const isFitting = key === "when" ? typeof value === "boolean" : Array.isArray(value);
  if (isFitting) return deepFreeze(value);
  const needed = key === "when" ? "true or false" : "a list";
  throw expressionError(place, { message: `it must give ${needed}, but gave ${celTypeOf(value)}` });
}

function evaluate(expression: CelExpression, place: ExpressionPlace & ExpressionScope): JsonValue {
  try {
    return evaluateCel(expression, place.lookUp);
  } catch (thrown) {
    if (thrown instanceof CelFailure)
      throw expressionError(place, { ...thrown, message: thrown.message + listKeys(thrown) });
    if (thrown instanceof CelLimitExceeded) throw limitError(place, thrown.used);
    throw thrown;
  }
}

function listKeys({ holder }: CelFailure): string {
  if (holder === undefined) return "";
  const keys = Object.keys(holder);
  const list = keys.slice(0, 20).join(", ").slice(0, 400);
  return `; there are: ${list || "none"}${keys.length > 20 ? ` … (${keys.length})` : ""}`;
}

/** An `invalid-expression` for a step. */
export function expressionError(
  { step, key, iteration }: ExpressionPlace,
  { message, position }: Pick<CelIssue, "message"> & Partial<CelIssue>,
): AgentError<"invalid-expression"> {
  const expression = step[key] ?? "";
  const place = placeOf({ stepId: step.id, iteration });
  const at = position === undefined ? "" : ` (at character ${position})`;
  const text = `"${key}" of step "${describePlace(place)}" (${cutText(expression, maxQuoted)}) cannot be used: ${message}${at}.`;
  const details = { ...place, key, expression, ...(position !== undefined && { position }) };
  return new AgentError("invalid-expression", text, { details });
}

function limitError({ step, key, iteration }: ExpressionPlace, used: number): AgentError<"limit-exceeded"> {
  const place = placeOf({ stepId: step.id, iteration });
  const text = `"${key}" of step "${describePlace(place)}" (${cutText(step[key] ?? "", maxQuoted)}) costs too much on this data: more than ${maxCelCost}. Ask for less of it, or let a tool do it.`;
  return new AgentError("limit-exceeded", text, { details: { limit: "expression", max: maxCelCost, used, ...place } });
}
