import type { JsonPath } from "../core/json.ts";
import type { PlanIssue, PlanStep } from "../core/plan.ts";
import { inputOf, isIterationName } from "../core/step.ts";
import { cutText } from "../core/text.ts";
import { dependenciesOf } from "./dependencies.ts";
import type { ParsedSteps, StepExpressions } from "./expressions/step-expressions.ts";
import { duplicateId } from "./plain-issues.ts";
import { findReferences } from "./reference.ts";

/**
 * Checks that ids are unique, and that every dependency comes before the step that has it. Malformed steps are
 * `undefined`.
 *
 * A duplicate id is reported only as that: to others it means the first of its steps. As nobody knows which of them
 * will be removed, their own dependencies need only come before the last.
 */
export function checkOrder(
  steps: readonly (PlanStep | undefined)[],
  issues: PlanIssue[],
  parsed?: ParsedSteps | undefined,
): void {
  const { indexOf, lastIndexOf } = indexSteps(steps, issues);
  const dependencies = steps.map((step, index) =>
    step === undefined ? [] : dependenciesOf(step, steps[index - 1], parsed?.get(step)?.expressions),
  );
  const isBefore = (id: string, index: number) => {
    const last = lastIndexOf.size === 0 ? undefined : lastIndexOf.get(steps[index]?.id ?? "");
    return (indexOf.get(id) ?? Number.POSITIVE_INFINITY) < (last ?? index);
  };
  if (dependencies.every((ids, index) => ids.every((id) => isBefore(id, index)))) return;
  // Only written dependencies count: implicit ones do not make a cycle of steps in the wrong order.
  const written = steps.map((step) => (step ? dependenciesOf(step, undefined, parsed?.get(step)?.expressions) : []));
  const cyclic = findCyclic(written.map((ids) => ids.flatMap((id) => indexOf.get(id) ?? [])));
  // A malformed step may be the one that an unknown id means.
  const mayBeBroken = steps.includes(undefined);
  const names = namesOf(indexOf);
  for (const [index, ids] of dependencies.entries()) {
    const isUnmet = (id: string) => !isBefore(id, index) && (indexOf.has(id) || !mayBeBroken);
    const unmet = ids.filter(isUnmet);
    if (unmet.length === 0) continue;
    const step = steps[index];
    const places = placesOfNames(step, step && parsed?.get(step)?.expressions);
    for (const id of unmet) {
      const target = indexOf.get(id);
      const path = places.get(id) ?? [];
      const isInExpression = path[0] === "when" || path[0] === "forEach";
      const hint = target === undefined ? hintOf(id, { step, isInExpression, names }) : "";
      const { code, message } = describe(id, { target, index, cyclic, names });
      issues.push({ code, message: message + hint, path: ["steps", index, ...path] });
    }
  }
}

/** Where in a step each of the others is first named. */
function placesOfNames(
  step: PlanStep | undefined,
  expressions: StepExpressions | undefined,
): ReadonlyMap<string, JsonPath> {
  const places = new Map<string, JsonPath>();
  const add = (id: string, path: JsonPath) => {
    if (!places.has(id)) places.set(id, path);
  };
  for (const [index, id] of step?.dependsOn?.entries() ?? []) add(id, ["dependsOn", index]);
  for (const { reference, path } of findReferences(step && inputOf(step)))
    if (reference !== undefined) add(reference.stepId, [step?.wait === undefined ? "input" : "wait", ...path]);
  for (const key of ["when", "forEach"] as const)
    for (const { name } of expressions?.[key]?.names ?? []) add(name, [key]);
  return places;
}

interface KnownNames {
  /** The ids for a message. */
  readonly list: string;
  /** The ids with a `-`, by the part before it. */
  readonly byFirstPart: ReadonlyMap<string, string>;
}

function namesOf(indexOf: ReadonlyMap<string, number>): KnownNames {
  const ids = [...indexOf.keys()];
  const shown = ids.slice(0, 20).map((id) => cutText(id, maxShownId));
  const list = shown.join(", ") + (ids.length > 20 ? ` … (${ids.length})` : "");
  const hyphenated = ids.filter((id) => id.includes("-"));
  return { list, byFirstPart: new Map(hyphenated.map((id) => [id.slice(0, id.indexOf("-")), id])) };
}

/** The longest part of another id that is shown, as every issue has a message. */
const maxShownId = 100;

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

/** Where each id appears first and, if duplicate, last. */
interface StepIndexes {
  readonly indexOf: ReadonlyMap<string, number>;
  readonly lastIndexOf: ReadonlyMap<string, number>;
}

function indexSteps(steps: readonly (PlanStep | undefined)[], issues: PlanIssue[]): StepIndexes {
  const indexOf = new Map<string, number>();
  const lastIndexOf = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue;
    const first = indexOf.get(step.id);
    if (first === undefined) indexOf.set(step.id, index);
    else {
      lastIndexOf.set(step.id, index);
      issues.push(duplicateId(step.id, { index, first }));
    }
  }
  return { indexOf, lastIndexOf };
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
 * The steps that are on a cycle, or between two: those left after steps that wait for nothing, and then steps that
 * nothing waits for, are removed repeatedly (Kahn's algorithm, 1962, from both ends).
 */
function findCyclic(dependencies: readonly (readonly number[])[]): ReadonlySet<number> {
  const left = new Set(dependencies.keys());
  const dependents: number[][] = dependencies.map(() => []);
  for (const [index, targets] of dependencies.entries()) for (const target of targets) dependents[target]?.push(index);
  peel(left, dependencies, dependents);
  peel(left, dependents, dependencies);
  return left;
}

/** Removes everything that has no edge left in `outgoing`. */
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
