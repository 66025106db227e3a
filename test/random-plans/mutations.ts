import type { PlanIssueCode } from "../../src/core/plan.ts";
import { expressionMutations } from "./mutations-expressions.ts";
import { type LoosePlan, type LooseStep, reaches } from "./valid-plans.ts";

/** The result of a mutation, and the issue that must be reported. */
export interface Mutated {
  /** The code of one of the issues. */
  readonly code: PlanIssueCode;
  /** Left out where the issue may be reported at more places than one. */
  readonly path?: readonly (string | number)[];
  readonly maxSteps?: number;
  /** Replaces the plan that was changed. */
  readonly plan?: unknown;
}

/** Chooses an item. */
export type Pick = <T>(from: readonly T[]) => T;

/** Breaks a plan in one place. */
export type Mutation = (plan: LoosePlan, pick: Pick) => Mutated;

/** The index of a step in a plan. */
export function indexOfStep(plan: LoosePlan, step: LooseStep): number {
  return plan.steps.indexOf(step);
}

/** A step whose input has a text and a number, which are read as such: the first of a valid plan, a List. */
const listStep = (plan: LoosePlan) => plan.steps[0] as LooseStep;

const at = (plan: LoosePlan, step: LooseStep, ...path: (string | number)[]) => [
  "steps",
  indexOfStep(plan, step),
  ...path,
];

/** A Sum or a Note that comes before later steps, and where a reference of its kind can be put. */
function pickField(plan: LoosePlan, pick: Pick): { step: LooseStep; key: "a" | "title" } {
  const steps = plan.steps.filter(({ tool, forEach }) => (tool === "Sum" || tool === "Note") && forEach === undefined);
  const step = pick(steps);
  return { step, key: step.tool === "Sum" ? "a" : "title" };
}

function breakReference(write: (pick: Pick) => string, code: PlanIssueCode): Mutation {
  return (plan, pick) => {
    const { step, key } = pickField(plan, pick);
    const text = write(pick);
    step.input[key] = key === "a" ? { $ref: text } : `a \${${text}} b`;
    return { code, path: at(plan, step, "input", key) };
  };
}

const references: Record<string, Mutation> = {
  "an id that does not exist": breakReference(() => "nope.value", "unknown-step"),
  "an id that is nearly one": breakReference(
    (pick) => pick(["s11.total", "s0.total", "s1_.total", "s1-.total", "S10.x", "s.total"]),
    "unknown-step",
  ),
  "item outside of a loop": breakReference((pick) => pick(["item.size", "index"]), "unknown-step"),
  "a key that its output has not": breakReference(
    (pick) => pick(["s1.value", "s10.total", "s1.items.id", "s1[0]", "s1.items[0].nope", "s2.title"]),
    "invalid-reference",
  ),
  "no reference": breakReference(
    (pick) => pick(["s1.", "s1[", "s1..total", "1s", "", "s1 .total", "s1[-1]", 's1["x]']),
    "invalid-reference",
  ),
  "a template that is not closed": (plan, pick) => {
    const step = pick(plan.steps.filter(({ tool }) => tool === "Note"));
    step.input.title = pick(["${", "a ${s1.title", "${s1.title }", "${}", "x ${s1.items[0}"]);
    return { code: "invalid-reference", path: at(plan, step, "input", "title") };
  },
  "a reference of the wrong type": (plan, pick) => {
    const { step, key } = pickField(plan, pick);
    const text =
      key === "a"
        ? pick(["s1.title", "s1.items", "s1", "s1.items[0].id"])
        : pick(["s1.total", "s1.items", "s1", "s10.value"]);
    step.input[key] = { $ref: text };
    // Before s10 there is no step with that id.
    return { code: "reference-type", path: at(plan, step, "input", key) };
  },
  "a step that comes later": (plan, pick) => {
    const from = pick(plan.steps.slice(0, -1));
    const to = pick(plan.steps.slice(indexOfStep(plan, from) + 1));
    const isCyclic = reaches(plan, to.id, from.id);
    from.dependsOn = [...(from.dependsOn ?? []), to.id];
    return {
      code: isCyclic ? "cyclic-reference" : "forward-reference",
      path: at(plan, from, "dependsOn", from.dependsOn.length - 1),
    };
  },
  "a step itself": (plan, pick) => {
    const step = pick(plan.steps);
    step.dependsOn = [step.id];
    return { code: "cyclic-reference", path: at(plan, step, "dependsOn", 0) };
  },
  "a dependency that does not exist": (plan, pick) => {
    const step = pick(plan.steps);
    step.dependsOn = [...(step.dependsOn ?? []), pick(["s11", "s", "item", "constructor", ""])];
    return { code: "unknown-step", path: at(plan, step, "dependsOn", step.dependsOn.length - 1) };
  },
};

const shapes: Record<string, Mutation> = {
  "another tool": (plan, pick) => {
    const step = pick(plan.steps);
    step.tool = pick([`${step.tool}s`, step.tool.toLowerCase(), "constructor", " "]);
    return { code: "unknown-tool", path: at(plan, step, "tool") };
  },
  "an id twice": (plan, pick) => {
    const step = pick(plan.steps.slice(1));
    step.id = pick(plan.steps.slice(0, indexOfStep(plan, step))).id;
    return { code: "duplicate-id", path: at(plan, step, "id") };
  },
  "an invalid id": (plan, pick) => {
    const step = pick(plan.steps);
    step.id = pick(["1s", "", "s 1", "s.1", "-s", "é"]);
    return { code: "invalid-shape", path: at(plan, step, "id") };
  },
  "a key of the plan or a step that is not known": (plan, pick) => {
    const key = pick(["stps", "Id", "depends_on", "if"]);
    const step = pick([undefined, ...plan.steps]);
    (step ?? plan)[key] = 1;
    return { code: "unknown-key", path: step === undefined ? [key] : at(plan, step, key) };
  },
  "a key of an input that is not known": (plan, pick) => {
    const step = pick(plan.steps.filter(({ tool }) => tool !== "Open"));
    const key = pick(["titel", "A", "constructor"]);
    step.input[key] = "x";
    return { code: "unknown-key", path: at(plan, step, "input", key) };
  },
  "a key of a step left out": (plan, pick) => {
    const step = pick(plan.steps);
    const key = pick(["id", "tool"]);
    delete (step as Record<string, unknown>)[key];
    return { code: "invalid-shape", path: at(plan, step, key) };
  },
  "a key of an input left out": (plan, pick) => {
    const step = pick(plan.steps.filter(({ tool }) => tool !== "Open"));
    const key = step.tool === "Sum" ? "a" : "title";
    delete step.input[key];
    return { code: "invalid-input", path: at(plan, step, "input", key) };
  },
  "a value of the wrong type": (plan, pick) => {
    const step = pick(plan.steps.filter(({ tool }) => tool !== "Open"));
    const key = step.tool === "Sum" ? "a" : "title";
    step.input[key] =
      key === "a" ? pick<unknown>(["1", null, true, [1], { $literal: "1" }]) : pick<unknown>([1, null, ["x"], {}]);
    return { code: "invalid-input", path: at(plan, step, "input", key) };
  },
  "a value out of bounds": (plan, pick) => {
    listStep(plan).input.count = pick([-1, 0.5, 1e300]);
    return { code: "invalid-input", path: ["steps", 0, "input", "count"] };
  },
  "a key of the wrong type": (plan, pick) => {
    const step = pick(plan.steps);
    const [key, value] = pick<readonly [string, unknown]>([
      ["input", "text"],
      ["input", []],
      ["dependsOn", "s1"],
      ["tool", ""],
      ["reasoning", 1],
      ["when", true],
      ["forEach", ["s1"]],
    ]);
    step[key] = value;
    return { code: "invalid-shape", path: at(plan, step, key) };
  },
  "too many steps": ({ steps }) => ({ code: "too-many-steps", path: ["steps"], maxSteps: steps.length - 1 }),
  "no plan": (_plan, pick) => ({
    code: "invalid-shape",
    plan: pick<unknown>([null, "plan", 1, [], {}, { steps: {} }]),
  }),
  "no steps": (plan) => {
    plan.steps = [];
    return { code: "invalid-shape", path: ["steps"] };
  },
  "another version": (plan, pick) => {
    plan.version = pick<unknown>([0, 3, "1"]);
    return { code: "invalid-shape", path: ["version"] };
  },
  "a concurrency without a loop": (plan, pick) => {
    const step = pick(plan.steps.filter(({ forEach }) => forEach === undefined));
    step.concurrency = 2;
    return { code: "invalid-shape", path: at(plan, step, "concurrency") };
  },
  "an invalid concurrency": (plan, pick) => {
    const step = pick(plan.steps);
    step.forEach ??= "[1]";
    step.concurrency = pick<unknown>([0, -1, 1.5, "2", null]);
    return { code: "invalid-shape", path: at(plan, step, "concurrency") };
  },
  "half a surrogate pair": (plan, pick) => {
    const step = pick(plan.steps.filter(({ tool }) => tool !== "Sum"));
    step.input.title = pick(["\ud800", "a \udfff b", "\udc00\ud800"]);
    return { code: "lone-surrogate", path: at(plan, step, "input", "title") };
  },
  "half a surrogate pair in a key": (plan, pick) => {
    pick(plan.steps).input["\ud83d"] = 1;
    return { code: "lone-surrogate" };
  },
  "what is not JSON": (plan, pick) => {
    const step = pick(plan.steps);
    step.input.title = pick<unknown>([
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      1n,
      () => 1,
      Symbol("x"),
      new Map(),
      new Set([1]),
    ]);
    return { code: "not-json", path: at(plan, step, "input", "title") };
  },
  "what holds itself": (plan, pick) => {
    const step = pick(plan.steps);
    step.input.title = [step];
    return { code: "not-json" };
  },
};

/** Every way to break a plan, by name. */
export const mutations: Readonly<Record<string, Mutation>> = { ...references, ...shapes, ...expressionMutations };
