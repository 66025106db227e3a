import { countPending } from "../async/promises.ts";
import type { PlanIssue, PlanStep } from "../core/plan.ts";
import type { StepExpressions } from "./expressions/step-expressions.ts";

export type PlanExpressions = ReadonlyMap<string, StepExpressions>;

/** Keyed by step, because ids may repeat in a plan that is not checked yet. */
export type ParsedSteps = ReadonlyMap<PlanStep, StepExpressions>;

interface ExpressionLanguage {
  readonly compileStep: (step: PlanStep) => StepExpressions;
  readonly parseStep: (step: PlanStep) => StepExpressions;
}

/** Language of `when` and `forEach`, created by {@link createExpressions}. @group Plans */
export interface Expressions {
  /** Loads the parser and the evaluation; agents call it for the first plan that has an expression. */
  load(): Promise<ExpressionLanguage>;
}

/**
 * Creates the language of `when` and `forEach` for an agent of `planwright/engine`; agents of `planwright` include it.
 * It is loaded for the first plan that has an expression. {@includeCode ../../examples/37-engine.ts} @group Plans
 */
export function createExpressions(): Expressions {
  return { load: () => countPending(import("./expressions/step-expressions.ts")) };
}

/** An agent passes its language to its planners, so that a bundle with only a planner does not contain it. */
export const languageKey: unique symbol = Symbol("expressions");

export type PlanLanguage = Expressions | "unchecked" | undefined;

export function languageOf(request: object): PlanLanguage {
  return languageKey in request ? (request[languageKey] as Expressions | undefined) : "unchecked";
}

let language: ExpressionLanguage | undefined;

export function compileExpressions(
  steps: readonly PlanStep[],
  expressions: Expressions | undefined,
): undefined | Promise<PlanExpressions> {
  return withExpressions(steps, expressions, (step, { compileStep }) => [step.id, compileStep(step)]);
}

export function parseExpressions(
  steps: readonly (PlanStep | undefined)[],
  expressions: PlanLanguage,
): undefined | Promise<ParsedSteps> {
  return withExpressions(steps, expressions, (step, { parseStep }) => [step, parseStep(step)]);
}

export function findUnreadable(
  steps: readonly (PlanStep | undefined)[],
  expressions: PlanLanguage,
): readonly PlanIssue[] {
  if (expressions !== undefined) return [];
  return steps.flatMap((step, index) =>
    (["when", "forEach"] as const)
      .filter((key) => step?.[key] !== undefined)
      .map((key) => ({ code: "invalid-expression", path: ["steps", index, key], message: noExpressions })),
  );
}

const noExpressions =
  "This agent cannot evaluate expressions. Give it `expressions: createExpressions()` from planwright/engine.";

function withExpressions<TKey>(
  steps: readonly (PlanStep | undefined)[],
  expressions: PlanLanguage,
  read: (step: PlanStep, loaded: ExpressionLanguage) => readonly [TKey, StepExpressions],
): undefined | Promise<ReadonlyMap<TKey, StepExpressions>> {
  const found = steps.filter(hasExpression) as PlanStep[];
  if (found.length === 0 || expressions === undefined || expressions === "unchecked") return undefined;
  const load = async () => {
    language ??= await expressions.load();
    const loaded = language;
    return new Map(found.map((step) => read(step, loaded)));
  };
  return load();
}

export function hasExpression(step: PlanStep | undefined): boolean {
  return step?.when !== undefined || step?.forEach !== undefined;
}
