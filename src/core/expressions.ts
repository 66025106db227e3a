import type { CelExpression, CelIssue, CelPath } from "./cel/node.ts";
import type { JsonValue } from "./json.ts";
import { countOutside } from "./outside-work.ts";
import type { PlanStep } from "./plan.ts";

/** The keys of a step that hold expressions. */
export type ExpressionKey = "when" | "forEach";

/** The expressions of one step. */
export interface StepExpressions {
  readonly when: CelExpression | undefined;
  readonly forEach: CelExpression | undefined;
  /** Whether `when` is evaluated for each iteration: it names `item` or `index`. Else it is evaluated once, first. */
  readonly isWhenPerIteration: boolean;
  /** The steps that the expressions name. `item` and `index` do not count if the step has a `forEach`. */
  readonly stepIds: ReadonlySet<string>;
  /**
   * Evaluates one of the two: a boolean for `when`, a frozen list for `forEach`.
   *
   * Throws `invalid-expression` if that fails or returns another type, `limit-exceeded` if it costs too much.
   */
  evaluate(key: ExpressionKey, scope: ExpressionScope): JsonValue;
}

/** What an expression is evaluated with. */
export interface ExpressionScope {
  /** Returns the value of a name; undefined if there is none. */
  readonly lookUp: (name: string) => JsonValue | undefined;
  /** For which iteration, if it is for one: errors name it. */
  readonly iteration?: number | undefined;
}

/** By step id. */
export type PlanExpressions = ReadonlyMap<string, StepExpressions>;

/** A step's expressions, as far as they can be parsed, and their issues. */
export interface ParsedStep {
  readonly expressions: StepExpressions;
  readonly issues: readonly (CelIssue & { readonly key: ExpressionKey })[];
  /** What each expression reads. */
  readonly paths: readonly (readonly [ExpressionKey, readonly CelPath[]])[];
  /** The value that `when` is, if it is only a path. */
  readonly condition: CelPath | undefined;
  /** The list from which `forEach` takes its items unchanged, if it does. */
  readonly source: CelPath | undefined;
}

/** By step, as ids may be repeated in a plan that is not checked yet. */
export type ParsedSteps = ReadonlyMap<PlanStep, ParsedStep>;

/** The language is loaded with the first plan that has an expression. */
let language: typeof import("./cel/parse-step.ts") | undefined;

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

async function load(): Promise<typeof import("./cel/parse-step.ts")> {
  language ??= await countOutside(import("./cel/parse-step.ts"));
  await language.loadCelParser();
  return language;
}
