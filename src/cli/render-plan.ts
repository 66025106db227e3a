import type { Plan, PlanSource, PlanStep } from "../core/plan.ts";
import type { Colors } from "./colors.ts";
import { printable, printableJson, shorten } from "./printable.ts";
import type { Style } from "./render-output.ts";

const maxInput = 200;

/** A plan as readable lines: for each step its id, its tool, its reasoning and its input. */
export function renderPlan({ steps }: Plan, style: Style): string[] {
  const width = Math.max(...steps.map(({ id }) => printable(id).length));
  return steps.flatMap((step) => {
    const { id, tool, input, reasoning } = step;
    const indent = " ".repeat(width + 2);
    const title = printable(reasoning === undefined ? tool : `${tool}: ${reasoning}`);
    const first = `${printable(id).padEnd(width)}  ${shorten(title, maxInput)}${waitsFor(step, style)}`;
    return [first, indent + style.dim(shorten(printableJson(input), maxInput))];
  });
}

/** A plan under a title that names its author. */
export function renderTitledPlan(plan: Plan, colors: Colors): string[] {
  const title = `${colors.bold("Plan")}${describeSource(plan.source, colors)}`;
  return [title, ...renderPlan(plan, colors).map((text) => `  ${text}`)];
}

/** The model that wrote a plan, if one did, and how often it was asked. */
function describeSource({ model, attempts = 1 }: PlanSource, colors: Colors): string {
  if (model === undefined) return "";
  return colors.dim(` by ${printable(model)}${attempts > 1 ? `, in ${attempts} tries` : ""}`);
}

function waitsFor({ dependsOn = [] }: PlanStep, style: Style): string {
  return dependsOn.length === 0 ? "" : style.dim(` (after ${dependsOn.map(printable).join(", ")})`);
}
