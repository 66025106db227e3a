import type { PlanIssueCode } from "../../src/core/plan.ts";
import type { Mutation, Pick } from "./mutations.ts";
import { type LoosePlan, type LooseStep, reaches } from "./valid-plans.ts";

/** Any step but the first, so that `s1` comes before it. */
function pickLater(plan: LoosePlan, pick: Pick): LooseStep {
  return pick(plan.steps.slice(1));
}

function breakExpression(key: "when" | "forEach", write: (pick: Pick) => string, code: PlanIssueCode): Mutation {
  return (plan, pick) => {
    const step = pickLater(plan, pick);
    step[key] = write(pick);
    return { code, path: ["steps", plan.steps.indexOf(step), key] };
  };
}

/** Every way to break an expression of a plan, by name. */
export const expressionMutations: Readonly<Record<string, Mutation>> = {
  "a when that cannot be read": breakExpression(
    "when",
    (pick) => pick(["s1.total >", "", "(true", "s1.total = 1", "true &&", "'x", "s1.total > > 1", "if (true)"]),
    "invalid-expression",
  ),
  "a when that is never true or false": breakExpression(
    "when",
    (pick) => pick(["1", "'true'", "[true]", "1 + 1", "null", "{}"]),
    "invalid-expression",
  ),
  "a when of an id that does not exist": breakExpression(
    "when",
    (pick) =>
      pick(["s11.total > 1", "nope == 1", "s1.total > 1 && s0.total > 1", "total > 1", "S10.value > 1 || true"]),
    "unknown-step",
  ),
  "a when of a key that an output has not": breakExpression(
    "when",
    (pick) => pick(["s1.nope > 1", "s1.items[0].name == 'x'", "s1.total > 1 || s1.title.size > 1"]),
    "invalid-reference",
  ),
  "a when of item outside of a loop": (plan, pick) => {
    const step = pick(plan.steps.filter(({ forEach }, index) => index > 0 && forEach === undefined));
    step.when = pick(["item > 1", "index == 0"]);
    return { code: "unknown-step", path: ["steps", plan.steps.indexOf(step), "when"] };
  },
  "a forEach that cannot be read": breakExpression(
    "forEach",
    (pick) => pick(["s1.items[", "", "[1, 2", "s1.items.map(x)", "s1.items.filter()"]),
    "invalid-expression",
  ),
  "a forEach that is never a list": breakExpression(
    "forEach",
    (pick) => pick(["1", "'s1.items'", "true", "{'a': 1}", "size(s1.items)"]),
    "invalid-expression",
  ),
  "a forEach of a value that is not a list": breakExpression(
    "forEach",
    (pick) => pick(["s1.total", "s1.title", "s1"]),
    "reference-type",
  ),
  "a forEach of a key that an output has not": breakExpression(
    "forEach",
    (pick) => pick(["s1.rows", "s1.items[0].all"]),
    "invalid-reference",
  ),
  "a forEach of an id that does not exist": breakExpression(
    "forEach",
    (pick) => pick(["s11.items", "items", "s1_.items"]),
    "unknown-step",
  ),
  "a forEach of its own item": breakExpression(
    "forEach",
    (pick) => pick(["item", "[index]", "item.items"]),
    "unknown-step",
  ),
  "a loop over what comes later": (plan, pick) => {
    const [first, ...later] = plan.steps as [LooseStep, ...LooseStep[]];
    const target = pick(later.filter(({ id }) => !id.includes("-")));
    const isCyclic = reaches(plan, target.id, first.id);
    first.forEach = `[${target.id}]`;
    return { code: isCyclic ? "cyclic-reference" : "forward-reference", path: ["steps", 0, "forEach"] };
  },
};
