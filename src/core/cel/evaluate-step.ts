import { AgentError } from "../errors.ts";
import type { ExpressionKey } from "../expressions.ts";
import { deepFreeze, type JsonValue } from "../json.ts";
import type { PlanStep } from "../plan.ts";
import { CelFailure, CelLimitExceeded } from "./budget.ts";
import { evaluateCel, type LookUpName, maxCelCost } from "./evaluate.ts";
import type { CelExpression, CelIssue } from "./node.ts";
import { celTypeOf } from "./operators.ts";

interface StepEvaluation {
  readonly key: ExpressionKey;
  readonly step: PlanStep;
  readonly lookUp: LookUpName;
}

/** Evaluates an expression of a step, and holds the result against what the key needs. */
export function evaluateOfStep(expression: CelExpression, { key, step, lookUp }: StepEvaluation): JsonValue {
  const value = evaluate(expression, { key, step, lookUp });
  const isFitting = key === "when" ? typeof value === "boolean" : Array.isArray(value);
  if (isFitting) return deepFreeze(value);
  const needed = key === "when" ? "true or false" : "a list";
  throw expressionError(step, key, { message: `it must give ${needed}, but gave ${celTypeOf(value)}` });
}

function evaluate(expression: CelExpression, { key, step, lookUp }: StepEvaluation): JsonValue {
  try {
    return evaluateCel(expression, lookUp);
  } catch (thrown) {
    if (thrown instanceof CelFailure)
      throw expressionError(step, key, { ...thrown, message: thrown.message + listKeys(thrown) });
    if (thrown instanceof CelLimitExceeded) throw limitError(step, key, thrown.used);
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
  step: PlanStep,
  key: ExpressionKey,
  { message, position }: Pick<CelIssue, "message"> & Partial<CelIssue>,
): AgentError<"invalid-expression"> {
  const expression = step[key] ?? "";
  const place = position === undefined ? "" : ` (at character ${position})`;
  const text = `"${key}" of step "${step.id}" can not be used, ${shorten(expression)}: ${message}${place}.`;
  const details = { stepId: step.id, key, expression, ...(position !== undefined && { position }) };
  return new AgentError("invalid-expression", text, { details });
}

function limitError(step: PlanStep, key: ExpressionKey, used: number): AgentError<"limit-exceeded"> {
  const text = `"${key}" of step "${step.id}" costs too much on this data, ${shorten(step[key] ?? "")}: more than ${maxCelCost}. Ask for less of it, or let a tool do it.`;
  return new AgentError("limit-exceeded", text, {
    details: { limit: "expression", max: maxCelCost, used, stepId: step.id },
  });
}

function shorten(expression: string): string {
  return expression.length > 200 ? `${expression.slice(0, 200)}…` : expression;
}
