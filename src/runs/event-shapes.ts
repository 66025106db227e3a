import { eventKinds, type FindWrongKey, type Keyed, type RecordedType, wrongKeyIn } from "../core/events.ts";
import type { Plan, PlanStep } from "../core/plan.ts";
import { dependenciesOf } from "../plan/dependencies.ts";

export type { FindWrongKey, Keyed };

function toCheck(kind: (typeof eventKinds)[RecordedType]): FindWrongKey {
  if ("fields" in kind) return wrongKeyIn(kind.fields);
  const ofStep = wrongKeyIn(kind.step);
  const ofPlan = wrongKeyIn(kind.plan);
  return (event) => (event.kind === "step" ? ofStep(event) : event.kind === "plan" ? ofPlan(event) : "kind");
}

const ofFields = Object.fromEntries(
  Object.entries(eventKinds).flatMap(([type, kind]) => ("isTransient" in kind ? [] : [[type, toCheck(kind)]])),
) as Readonly<Record<RecordedType, FindWrongKey>>;

/** The checks of recorded events, except of the fields that all events have. */
export const wrongKeyOf: Readonly<Record<RecordedType, FindWrongKey>> = {
  ...ofFields,
  "run-start": (event) => {
    const isOneOf = (event.request === undefined) !== (event.plan === undefined);
    return ofFields["run-start"](event) ?? (isOneOf && canRun(event) ? undefined : "plan");
  },
  "plan-end": (event) => ofFields["plan-end"](event) ?? wrongOutcome(event),
  "plan-revise": (event) => ofFields["plan-revise"](event) ?? wrongOutcome(event),
};

function wrongOutcome(event: Keyed): string | undefined {
  const outcome = event.outcome as Keyed;
  return outcome.status !== "completed" || canRun(outcome) ? undefined : "outcome";
}

/** True if a plan, if there is one, has steps, each whole and with a unique id that waits only for steps before it. */
function canRun({ plan }: Keyed): boolean {
  if (plan === undefined) return true;
  const { steps } = plan as Plan;
  const before = new Set<string>();
  for (const [index, step] of steps.entries()) {
    if (!isWhole(step) || before.has(step.id)) return false;
    for (const id of dependenciesOf(step, steps[index - 1])) if (!before.has(id)) return false;
    before.add(step.id);
  }
  return before.size > 0;
}

function isWhole({ tool, input, wait }: PlanStep): boolean {
  return (tool !== undefined && input !== undefined) !== (wait !== undefined);
}
