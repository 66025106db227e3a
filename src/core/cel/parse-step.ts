import { isOfIteration } from "../dependencies.ts";
import type { ExpressionKey, ParsedStep, StepExpressions } from "../expressions.ts";
import type { PlanStep } from "../plan.ts";
import { evaluateOfStep, expressionError } from "./evaluate-step.ts";
import type { CelExpression } from "./node.ts";
import { parseCel } from "./parse.ts";
import { collectPaths, pathOf, resultTypeOf, sourceOf } from "./paths.ts";

export { loadCelParser } from "./parse.ts";

/** Plans are frozen, so expressions that were parsed to check a plan need not be parsed again to run it. */
const parsedSteps = new WeakMap<PlanStep, ParsedStep>();

/** The expressions of a step, with everything that is wrong with them. */
export function parseStep(step: PlanStep): ParsedStep {
  const known = parsedSteps.get(step);
  if (known !== undefined) return known;
  const issues: ParsedStep["issues"][number][] = [];
  const parse = (key: ExpressionKey): CelExpression | undefined => {
    const text = step[key];
    if (text === undefined) return undefined;
    const result = parseCel(text);
    if (!result.ok) {
      issues.push({ key, ...result.issue });
      return undefined;
    }
    const message = describeWrongResult(key, resultTypeOf(result.expression.root));
    if (message !== undefined) issues.push({ key, message, position: 0 });
    return result.expression;
  };
  const expressions = combine(step, parse("when"), parse("forEach"));
  const parsed = { expressions, issues, ...readsOf(expressions) };
  // A step that may still change must not be cached.
  if (Object.isFrozen(step)) parsedSteps.set(step, parsed);
  return parsed;
}

/** The expressions of a checked step. Throws `invalid-expression` if they are invalid. */
export function compileStep(step: PlanStep): StepExpressions {
  const { expressions, issues } = parseStep(step);
  const [issue] = issues;
  if (issue !== undefined) throw expressionError({ step, key: issue.key }, issue);
  return expressions;
}

const wanted = { when: { type: "boolean", name: "true or false" }, forEach: { type: "array", name: "a list" } };

/** The message for an expression that can never return the needed type; undefined for any other. */
function describeWrongResult(key: ExpressionKey, type: string | undefined): string | undefined {
  if (type === undefined || type === wanted[key].type) return undefined;
  const given = { array: "a list", object: "a map", string: "text", null: "null" }[type] ?? `a ${type}`;
  return `it must give ${wanted[key].name}, but always gives ${given}`;
}

function readsOf({ when, forEach }: StepExpressions): Pick<ParsedStep, "paths" | "condition" | "source"> {
  const paths: ParsedStep["paths"][number][] = [];
  if (when !== undefined) paths.push(["when", collectPaths(when.root)]);
  if (forEach !== undefined) paths.push(["forEach", collectPaths(forEach.root)]);
  return { paths, condition: when && pathOf(when.root), source: forEach && sourceOf(forEach.root) };
}

function combine(step: PlanStep, when: CelExpression | undefined, forEach: CelExpression | undefined): StepExpressions {
  const names = (expression: CelExpression | undefined) => expression?.names.map(({ name }) => name) ?? [];
  const isAboutIteration = (name: string) => isOfIteration(step, name);
  const expressions: StepExpressions = {
    when,
    forEach,
    isWhenPerIteration: names(when).some(isAboutIteration),
    stepIds: new Set([...names(when), ...names(forEach)].filter((name) => !isAboutIteration(name))),
    evaluate(key, scope) {
      const expression = expressions[key];
      if (expression === undefined) throw new TypeError(`Step "${step.id}" has no "${key}".`);
      return evaluateOfStep(expression, { step, key, ...scope });
    },
  };
  return expressions;
}
