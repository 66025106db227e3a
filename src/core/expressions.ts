import type { ParsedStep, StepExpressions } from "./cel/step-expressions.ts";
import { countOutside } from "./outside-work.ts";
import type { PlanStep } from "./plan.ts";

/** By step id. */
export type PlanExpressions = ReadonlyMap<string, StepExpressions>;

/** By step, as ids may be repeated in a plan that is not checked yet. */
export type ParsedSteps = ReadonlyMap<PlanStep, ParsedStep>;

/** The language is loaded with the first plan that has an expression. */
let language: typeof import("./cel/step-expressions.ts") | undefined;

/** The expressions of a checked plan; undefined if it has none. Rejects with `invalid-expression` for invalid ones. */
export function compileExpressions(steps: readonly PlanStep[]): undefined | Promise<PlanExpressions> {
  return steps.some(hasExpressions) ? compile(steps) : undefined;
}

/** The expressions of an unchecked plan; undefined if it has none. Malformed steps are `undefined`. */
export function parseExpressions(steps: readonly (PlanStep | undefined)[]): undefined | Promise<ParsedSteps> {
  return steps.some(hasExpressions) ? parse(steps) : undefined;
}

function hasExpressions(step: PlanStep | undefined): boolean {
  return step !== undefined && (step.when !== undefined || step.forEach !== undefined);
}

async function compile(steps: readonly PlanStep[]): Promise<PlanExpressions> {
  const { compileStep } = await load();
  return new Map(steps.filter(hasExpressions).map((step) => [step.id, compileStep(step)]));
}

async function parse(steps: readonly (PlanStep | undefined)[]): Promise<ParsedSteps> {
  const { parseStep } = await load();
  const parsed = new Map<PlanStep, ParsedStep>();
  for (const step of steps) if (step !== undefined && hasExpressions(step)) parsed.set(step, parseStep(step));
  return parsed;
}

async function load(): Promise<typeof import("./cel/step-expressions.ts")> {
  language ??= await countOutside(import("./cel/step-expressions.ts"));
  await language.loadCelParser();
  return language;
}
