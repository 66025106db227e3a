import { dependenciesOf } from "./dependencies.ts";
import type { ParsedSteps, StepExpressions } from "./expressions.ts";
import type { JsonPath } from "./json.ts";
import type { PlanIssue, PlanStep } from "./plan.ts";
import { findReferences } from "./reference.ts";
import { isIterationName } from "./step-place.ts";

/** Ids are unique, and every dependency stands before the step that has it. Steps out of shape are `undefined`. */
export function checkOrder(
  steps: readonly (PlanStep | undefined)[],
  issues: PlanIssue[],
  parsed?: ParsedSteps | undefined,
): void {
  const indexOf = indexSteps(steps, issues);
  const dependencies = steps.map((step, index) =>
    step === undefined ? [] : dependenciesOf(step, steps[index - 1], parsed?.get(step)?.expressions),
  );
  const isBefore = (id: string, index: number) => (indexOf.get(id) ?? Number.POSITIVE_INFINITY) < index;
  if (dependencies.every((ids, index) => ids.every((id) => isBefore(id, index)))) return;
  const cyclic = findCyclic(dependencies.map((ids) => ids.flatMap((id) => indexOf.get(id) ?? [])));
  // A step that is out of shape may be the one that an unknown id means.
  const mayBeBroken = steps.includes(undefined);
  const names = namesOf(indexOf);
  for (const [index, ids] of dependencies.entries()) {
    for (const id of ids) {
      const target = indexOf.get(id);
      if (isBefore(id, index) || (target === undefined && mayBeBroken)) continue;
      const step = steps[index];
      const expressions = step && parsed?.get(step)?.expressions;
      const path = pathOfName(id, step, expressions);
      const isInExpression = path[0] === "when" || path[0] === "forEach";
      const hint = target === undefined ? hintOf(id, { step, isInExpression, names }) : "";
      const { code, message } = describe(id, { target, index, cyclic, names });
      issues.push({ code, message: message + hint, path: ["steps", index, ...path] });
    }
  }
}

/** Where in a step another one is named. */
function pathOfName(id: string, step: PlanStep | undefined, expressions: StepExpressions | undefined): JsonPath {
  const written = step?.dependsOn?.indexOf(id) ?? -1;
  if (written !== -1) return ["dependsOn", written];
  const found = findReferences(step?.input).find(({ reference }) => reference?.stepId === id);
  if (found !== undefined) return ["input", ...found.path];
  const key = (["when", "forEach"] as const).find((key) => expressions?.[key]?.names.some(({ name }) => name === id));
  return key === undefined ? [] : [key];
}

interface KnownNames {
  /** The ids for a message. */
  readonly list: string;
  /** The ids with a `-`, by what stands before it. */
  readonly byFirstPart: ReadonlyMap<string, string>;
}

function namesOf(indexOf: ReadonlyMap<string, number>): KnownNames {
  const ids = [...indexOf.keys()];
  const list = ids.slice(0, 20).join(", ") + (ids.length > 20 ? ` … (${ids.length})` : "");
  const hyphenated = ids.filter((id) => id.includes("-"));
  return { list, byFirstPart: new Map(hyphenated.map((id) => [id.slice(0, id.indexOf("-")), id])) };
}

interface UnknownName {
  readonly step: PlanStep | undefined;
  readonly isInExpression: boolean;
  readonly names: KnownNames;
}

/** What an unknown name was probably meant to be. */
function hintOf(id: string, { step, isInExpression, names }: UnknownName): string {
  if (isIterationName(id) && step?.forEach === undefined) {
    return ' "item" and "index" exist only in the input and the "when" of a step with "forEach".';
  }
  const meant = isInExpression ? names.byFirstPart.get(id) : undefined;
  if (meant === undefined) return "";
  return ` An expression reads "${meant}" as a subtraction: give the step an id without "-".`;
}

function indexSteps(steps: readonly (PlanStep | undefined)[], issues: PlanIssue[]): ReadonlyMap<string, number> {
  const indexOf = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue;
    const first = indexOf.get(step.id);
    if (first === undefined) indexOf.set(step.id, index);
    else {
      const message = `"${step.id}" is also the id of step number ${first}, counted from 0.`;
      issues.push({ code: "duplicate-id", path: ["steps", index, "id"], message });
    }
  }
  return indexOf;
}

interface UnmetDependency {
  readonly target: number | undefined;
  readonly index: number;
  readonly cyclic: ReadonlySet<number>;
  readonly names: KnownNames;
}

function describe(id: string, { target, index, cyclic, names }: UnmetDependency): Omit<PlanIssue, "path"> {
  if (target === undefined) {
    return { code: "unknown-step", message: `"${id}" is not the id of a step; there are: ${names.list}.` };
  }
  if (cyclic.has(index) && cyclic.has(target)) {
    return { code: "cyclic-reference", message: `"${id}" depends on this step in turn.` };
  }
  return { code: "forward-reference", message: `"${id}" comes later; a step depends only on steps before it.` };
}

/**
 * The steps that are on a cycle, or between two: what is left when those that wait for nothing, and then those that
 * nothing waits for, are taken away again and again (Kahn's algorithm, 1962, from both ends).
 */
function findCyclic(dependencies: readonly (readonly number[])[]): ReadonlySet<number> {
  const left = new Set(dependencies.keys());
  const dependents: number[][] = dependencies.map(() => []);
  for (const [index, targets] of dependencies.entries()) for (const target of targets) dependents[target]?.push(index);
  peel(left, dependencies, dependents);
  peel(left, dependents, dependencies);
  return left;
}

/** Takes away whatever has no edge left in `outgoing`. */
function peel(
  left: Set<number>,
  outgoing: readonly (readonly number[])[],
  incoming: readonly (readonly number[])[],
): void {
  const degree = outgoing.map((targets) => targets.filter((target) => left.has(target)).length);
  const free = [...left].filter((index) => degree[index] === 0);
  for (let index = free.pop(); index !== undefined; index = free.pop()) {
    left.delete(index);
    for (const source of incoming[index] ?? []) {
      if (!left.has(source)) continue;
      const edges = (degree[source] ?? 0) - 1;
      degree[source] = edges;
      if (edges === 0) free.push(source);
    }
  }
}
