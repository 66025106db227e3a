import type { CelPath } from "./cel/node.ts";
import type { StepScope } from "./check-input.ts";
import type { ExpressionKey, ParsedStep } from "./expressions.ts";
import { describeMissing, findSource } from "./find-source.ts";
import { typesOf } from "./json-schema.ts";
import type { PlanIssue, PlanStep } from "./plan.ts";

/** The issues of the expressions of one step, beside those of the steps they name. */
export async function checkExpressions(step: PlanStep, scope: StepScope): Promise<readonly PlanIssue[]> {
  const parsed = scope.parsed?.get(step);
  if (parsed === undefined) return [];
  const issues: PlanIssue[] = [];
  for (const { key, message, position } of parsed.issues) {
    const text = `The expression can not be used: ${message} (at character ${position}).`;
    issues.push({ code: "invalid-expression", path: [...scope.path, key], message: text });
  }
  issues.push(...checkReserved(parsed, scope));
  for (const [key, paths] of parsed.paths) issues.push(...(await checkPaths(key, paths, { step, scope })));
  return [...issues, ...(await checkList(parsed, { step, scope }))];
}

/** The list is made before there is an item. */
function checkReserved({ expressions: { forEach } }: ParsedStep, { path }: StepScope): readonly PlanIssue[] {
  const used = forEach?.names.filter(({ name }) => name === "item" || name === "index") ?? [];
  return used.map(({ name, position }) => {
    const message = `"${name}" (at character ${position}) does not exist in "forEach" itself, only in the input and the "when" of its step.`;
    return { code: "unknown-step", path: [...path, "forEach"], message };
  });
}

interface Place {
  readonly step: PlanStep;
  readonly scope: StepScope;
}

/** Whether what the expression reads can be there. */
async function checkPaths(
  key: ExpressionKey,
  paths: readonly CelPath[],
  { step, scope }: Place,
): Promise<readonly PlanIssue[]> {
  const issues: PlanIssue[] = [];
  const told = new Set<string>();
  for (const path of paths) {
    if (path.path.length === 0) continue;
    const text = writePath(path);
    if (told.has(text)) continue;
    told.add(text);
    const source = await findSource({ stepId: path.name }, step, scope);
    if (source?.(path.path)?.length !== 0) continue;
    const message = `${describeMissing({ ...path, text }, source)} It is at character ${path.position}.`;
    issues.push({ code: "invalid-reference", path: [...scope.path, key], message });
  }
  return issues;
}

/** Whether a `forEach` that is no more than a path leads to a list. */
async function checkList(
  { expressions: { forEach }, source }: ParsedStep,
  { step, scope }: Place,
): Promise<readonly PlanIssue[]> {
  if (forEach === undefined || source === undefined || source.name === "item" || source.name === "index") return [];
  const schemas = await findSource({ stepId: source.name }, step, scope);
  const found = schemas?.(source.path);
  const types = found && found.length > 0 ? typesOf(found) : undefined;
  if (types === undefined || types.has("array")) return [];
  const isObject = types.has("object") && forEach.root.type === "macro";
  if (isObject) return [];
  const message = `${writePath(source)} is ${[...types].join(" or ")}, but "forEach" needs an array.`;
  return [{ code: "reference-type", path: [...scope.path, "forEach"], message }];
}

function writePath({ name, path }: CelPath): string {
  return name + path.map((key) => (isPlain(key) ? `.${key}` : `[${JSON.stringify(key)}]`)).join("");
}

function isPlain(key: string | number): key is string {
  return typeof key === "string" && /^[A-Za-z_]\w*$/.test(key);
}
