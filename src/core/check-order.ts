import { dependenciesOf } from "./dependencies.ts";
import type { JsonPath } from "./json.ts";
import type { PlanIssue, PlanStep } from "./plan.ts";
import { findReferences } from "./reference.ts";

/** Ids are unique, and every dependency stands before the step that has it. Steps out of shape are `undefined`. */
export function checkOrder(steps: readonly (PlanStep | undefined)[], issues: PlanIssue[]): void {
  const indexOf = indexSteps(steps, issues);
  const dependencies = steps.map((step, index) => (step === undefined ? [] : dependenciesOf(step, steps[index - 1])));
  const isBefore = (id: string, index: number) => (indexOf.get(id) ?? Number.POSITIVE_INFINITY) < index;
  if (dependencies.every((ids, index) => ids.every((id) => isBefore(id, index)))) return;
  const cyclic = findCyclic(dependencies.map((ids) => ids.flatMap((id) => indexOf.get(id) ?? [])));
  // A step that is out of shape may be the one that an unknown id means.
  const mayBeBroken = steps.includes(undefined);
  for (const [index, ids] of dependencies.entries()) {
    for (const id of ids) {
      const target = indexOf.get(id);
      if (isBefore(id, index) || (target === undefined && mayBeBroken)) continue;
      const path = ["steps", index, ...placeOf(id, steps[index])];
      issues.push({ ...describe(id, { target, index, cyclic, indexOf }), path });
    }
  }
}

/** Where in a step another one is named. */
function placeOf(id: string, step: PlanStep | undefined): JsonPath {
  const written = step?.dependsOn?.indexOf(id) ?? -1;
  if (written !== -1) return ["dependsOn", written];
  const found = findReferences(step?.input).find(({ reference }) => reference?.stepId === id);
  return found === undefined ? [] : ["input", ...found.path];
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

interface Place {
  readonly target: number | undefined;
  readonly index: number;
  readonly cyclic: ReadonlySet<number>;
  readonly indexOf: ReadonlyMap<string, number>;
}

function describe(id: string, { target, index, cyclic, indexOf }: Place): Omit<PlanIssue, "path"> {
  if (target === undefined) {
    const ids = [...indexOf.keys()].slice(0, 20).join(", ") + (indexOf.size > 20 ? ` … (${indexOf.size})` : "");
    return { code: "unknown-step", message: `"${id}" is not the id of a step; there are: ${ids}.` };
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
