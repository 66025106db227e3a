import { AgentError } from "../../core/errors.ts";
import { deepFreeze, type JsonValue } from "../../core/json.ts";
import { jsonTypeOf } from "../../core/json-schema.ts";
import type { PlanStep } from "../../core/plan.ts";
import { describeStepRef, stepRefOf } from "../../core/step.ts";
import { cutText } from "../../core/text.ts";
import { isOfIteration } from "../references.ts";
import { CelFailure, CelLimitExceeded, celTypeOf, evaluateCel, maxCelCost } from "./evaluate.ts";
import { CelInference, type CelSurroundings, type CelTypeIssue, itemOf, knownTypes, nameTypes } from "./infer.ts";
import { type CelExpression, type CelIssue, type CelNode, type CelNodeOf, pathOf } from "./node.ts";
import { parseCel } from "./parse.ts";

export type ExpressionKey = "when" | "forEach";

interface ExpressionScope {
  readonly lookUp: (name: string) => JsonValue | undefined;
  readonly iteration?: number | undefined;
}

const parsedSteps = new WeakMap<PlanStep, StepExpressions>();

export function parseStep(step: PlanStep): StepExpressions {
  const expressions = parsedSteps.get(step) ?? new StepExpressions(step);
  if (Object.isFrozen(step)) parsedSteps.set(step, expressions);
  return expressions;
}

export function compileStep(step: PlanStep): StepExpressions {
  const expressions = parseStep(step);
  const [issue] = expressions.issues;
  if (issue !== undefined) throw expressionError({ step, key: issue.key }, issue);
  return expressions;
}

export class StepExpressions {
  readonly when: CelExpression | undefined;
  readonly forEach: CelExpression | undefined;
  /** True if `when` names `item` or `index` of a `forEach`. It is then evaluated per iteration, not before the loop. */
  readonly isWhenPerIteration: boolean;
  /** Ids of the steps that the expressions name. `item` and `index` do not count if the step has a `forEach`. */
  readonly stepIds: ReadonlySet<string>;
  readonly issues: (CelIssue & { readonly key: ExpressionKey })[] = [];

  constructor(private readonly step: PlanStep) {
    this.when = this.#parse("when");
    this.forEach = this.#parse("forEach");
    const isAboutIteration = ({ name }: CelNodeOf<"name">) => isOfIteration(step, name);
    const named = [...(this.when?.names ?? []), ...(this.forEach?.names ?? [])];
    this.isWhenPerIteration = this.when?.names.some(isAboutIteration) ?? false;
    this.stepIds = new Set(named.filter((free) => !isAboutIteration(free)).map(({ name }) => name));
  }

  #parse(key: ExpressionKey): CelExpression | undefined {
    const text = this.step[key];
    const result = text === undefined ? undefined : parseCel(text);
    if (result?.ok === false) this.issues.push({ key, ...result.issue });
    return result?.ok ? result.expression : undefined;
  }

  check(key: ExpressionKey, surroundings: CelSurroundings) {
    const root = this[key]?.root;
    if (root === undefined) return { issues: [], item: undefined };
    const inference = new CelInference(surroundings);
    const value = inference.infer(root);
    const wrong = wrongResult(key, root, knownTypes(value));
    return { issues: [...inference.issues, ...(wrong === undefined ? [] : [wrong])], item: itemOf(value) };
  }

  evaluate(key: ExpressionKey, { lookUp, iteration }: ExpressionScope): JsonValue {
    const { step, [key]: expression } = this;
    if (expression === undefined) throw new TypeError(`Step "${step.id}" has no "${key}".`);
    const place = { step, key, iteration };
    let value: JsonValue;
    try {
      value = evaluateCel(expression, lookUp);
    } catch (thrown) {
      if (thrown instanceof CelLimitExceeded) throw limitError(place, thrown.used);
      if (!(thrown instanceof CelFailure)) throw thrown;
      throw expressionError(place, { ...thrown, message: thrown.message + listKeys(thrown) });
    }
    const { type, name } = wanted[key];
    if (jsonTypeOf(value) === type) return deepFreeze(value);
    throw expressionError(place, { message: `it must give ${name}, but gave ${celTypeOf(value)}` });
  }
}

const wanted = { when: { type: "boolean", name: "true or false" }, forEach: { type: "array", name: "a list" } };

function wrongResult(
  key: ExpressionKey,
  root: CelNode,
  types: ReadonlySet<string> | undefined,
): CelTypeIssue | undefined {
  if (types === undefined || types.has(wanted[key].type)) return undefined;
  const text = pathOf(root)?.text;
  if (text === undefined) {
    const message = `The expression cannot be used: it must give ${wanted[key].name}, but always gives ${nameTypes(types)} (at character 0).`;
    return { code: "invalid-expression", message };
  }
  const needed = key === "when" ? `true or false; compare it, as in ${compare(text, types)}` : "an array";
  const given = [...types].join(" or ");
  return { code: "reference-type", message: `${text} is of type ${given}, but "${key}" needs ${needed}.` };
}

function compare(text: string, types: ReadonlySet<string>): string {
  if (types.has("string")) return `${text} != ""`;
  if (types.has("number")) return `${text} > 0`;
  return types.has("array") ? `size(${text}) > 0` : `${text} != null`;
}

function listKeys({ holder }: CelFailure): string {
  if (holder === undefined) return "";
  const keys = Object.keys(holder);
  const list = cutText(keys.slice(0, 20).join(", "), 400);
  return `; available keys: ${list || "none"}${keys.length > 20 ? ` … (${keys.length})` : ""}`;
}

const maxQuoted = 200;

interface ExpressionPlace {
  readonly step: PlanStep;
  readonly key: ExpressionKey;
  readonly iteration?: number | undefined;
}

function describeExpression({ step, key, iteration }: ExpressionPlace) {
  const ref = stepRefOf({ stepId: step.id, iteration });
  return { ref, text: `"${key}" of step "${describeStepRef(ref)}" (${cutText(step[key] ?? "", maxQuoted)})` };
}

function expressionError(
  place: ExpressionPlace,
  { message, position }: Pick<CelIssue, "message"> & Partial<CelIssue>,
): AgentError<"invalid-expression"> {
  const { step, key } = place;
  const { ref, text } = describeExpression(place);
  const at = position === undefined ? "" : ` (at character ${position})`;
  const details = { ...ref, key, expression: step[key] ?? "", ...(position !== undefined && { position }) };
  return new AgentError("invalid-expression", `${text} cannot be used: ${message}${at}.`, { details });
}

function limitError(place: ExpressionPlace, used: number): AgentError<"limit-exceeded"> {
  const { ref, text } = describeExpression(place);
  const message = `${text} costs more than ${maxCelCost} units on this data. Reduce the data or work, or use a tool.`;
  return new AgentError("limit-exceeded", message, { details: { limit: "expression", max: maxCelCost, used, ...ref } });
}
