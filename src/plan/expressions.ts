import { countPending } from "../async/promises.ts";
import { typesOf } from "../core/json-schema.ts";
import type { PlanIssue, PlanStep } from "../core/plan.ts";
import { isIterationName } from "../core/step.ts";
import type { CelPath } from "./expressions/node.ts";
import type { ExpressionKey, ParsedStep, ParsedSteps, StepExpressions } from "./expressions/step-expressions.ts";
import { describeMissing, findSource, isNameOfLoop, type StepScope } from "./find-source.ts";

/** By step id. */
export type PlanExpressions = ReadonlyMap<string, StepExpressions>;

/** The language is loaded with the first plan that has an expression. */
let language: typeof import("./expressions/step-expressions.ts") | undefined;

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

async function load(): Promise<typeof import("./expressions/step-expressions.ts")> {
  language ??= await countPending(import("./expressions/step-expressions.ts"));
  await language.loadCelParser();
  return language;
}

/** The issues of the expressions of one step, apart from those about the steps they name. */
export async function checkExpressions(step: PlanStep, scope: StepScope): Promise<readonly PlanIssue[]> {
  const parsed = scope.parsed?.get(step);
  if (parsed === undefined) return [];
  const issues: PlanIssue[] = [];
  for (const { key, message, position } of parsed.issues) {
    const text = `The expression cannot be used: ${message} (at character ${position}).`;
    issues.push({ code: "invalid-expression", path: [...scope.path, key], message: text });
  }
  issues.push(...checkReserved(parsed, scope));
  for (const [key, paths] of parsed.paths) issues.push(...(await checkPaths(key, paths, { step, scope })));
  return [...issues, ...(await checkCondition(parsed, { step, scope })), ...(await checkList(parsed, { step, scope }))];
}

/** The list is evaluated before there is an item. */
function checkReserved({ expressions: { forEach } }: ParsedStep, { path }: StepScope): readonly PlanIssue[] {
  const used = forEach?.names.filter(({ name }) => isIterationName(name)) ?? [];
  return used.map(({ name, position }) => {
    const message = `"${name}" (at character ${position}) does not exist in "forEach" itself, only in the input and the "when" of its step.`;
    return { code: "unknown-step", path: [...path, "forEach"], message };
  });
}

interface ScopedStep {
  readonly step: PlanStep;
  readonly scope: StepScope;
}

/** Checks that the values that an expression reads can exist. */
async function checkPaths(
  key: ExpressionKey,
  paths: readonly CelPath[],
  { step, scope }: ScopedStep,
): Promise<readonly PlanIssue[]> {
  const issues: PlanIssue[] = [];
  const reported = new Set<string>();
  for (const path of paths) {
    if (path.path.length === 0) continue;
    const text = writePath(path);
    if (reported.has(text)) continue;
    reported.add(text);
    const source = await findSource({ stepId: path.name }, step, scope);
    if (source?.(path.path)?.length !== 0) continue;
    const isLooped = isNameOfLoop(path.name, step, scope);
    const missing = describeMissing({ ...path, text }, { schemasAt: source, isInExpression: true, isLooped });
    const message = `${missing} It is at character ${path.position}.`;
    issues.push({ code: "invalid-reference", path: [...scope.path, key], message });
  }
  return issues;
}

/** Checks that a `when` that is only a path leads to a boolean. */
async function checkCondition({ condition }: ParsedStep, scoped: ScopedStep): Promise<readonly PlanIssue[]> {
  const types = condition && (await typesAt(condition, scoped));
  if (condition === undefined || types === undefined || types.has("boolean")) return [];
  const text = writePath(condition);
  const message = `${text} is ${[...types].join(" or ")}, but "when" needs true or false; compare it, as in ${compare(text, types)}.`;
  return [{ code: "reference-type", path: [...scoped.scope.path, "when"], message }];
}

function compare(text: string, types: ReadonlySet<string>): string {
  if (types.has("string")) return `${text} != ""`;
  if (types.has("number")) return `${text} > 0`;
  return types.has("array") ? `size(${text}) > 0` : `${text} != null`;
}

/** The types that a value may have; undefined if they are not known, or if there is no such value. */
async function typesAt({ name, path }: CelPath, { step, scope }: ScopedStep): Promise<ReadonlySet<string> | undefined> {
  const schemasAt = await findSource({ stepId: name }, step, scope);
  const found = schemasAt?.(path);
  return found && found.length > 0 ? typesOf(found) : undefined;
}

/** Checks that a `forEach` that is only a path leads to a list. */
async function checkList(
  { expressions: { forEach }, source }: ParsedStep,
  scoped: ScopedStep,
): Promise<readonly PlanIssue[]> {
  if (forEach === undefined || source === undefined || isIterationName(source.name)) return [];
  const types = await typesAt(source, scoped);
  if (types === undefined || types.has("array")) return [];
  const isWalkedMap = types.has("object") && forEach.root.type === "macro";
  if (isWalkedMap) return [];
  const message = `${writePath(source)} is ${[...types].join(" or ")}, but "forEach" needs an array.`;
  return [{ code: "reference-type", path: [...scoped.scope.path, "forEach"], message }];
}

function writePath({ name, path }: CelPath): string {
  return name + path.map((key) => (isPlain(key) ? `.${key}` : `[${JSON.stringify(key)}]`)).join("");
}

function isPlain(key: string | number): key is string {
  return typeof key === "string" && /^[A-Za-z_]\w*$/.test(key);
}
