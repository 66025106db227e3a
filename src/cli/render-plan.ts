import type { Plan, PlanStep } from "../core/plan.ts";
import { printable, printableJson, shorten } from "./printable.ts";
import type { Style } from "./render-output.ts";

const maxInput = 200;

/** A plan as lines to read: for each step its id, its tool, why it is there, and what it is given. */
export function renderPlan({ steps }: Plan, style: Style): string[] {
  const width = Math.max(...steps.map(({ id }) => id.length));
  return steps.flatMap((step) => {
    const { id, tool, input, reasoning } = step;
    const indent = " ".repeat(width + 2);
    const title = reasoning === undefined ? tool : `${tool}: ${printable(reasoning)}`;
    const first = `${printable(id).padEnd(width)}  ${shorten(title, maxInput)}${waitsFor(step, style)}`;
    return [first, indent + style.dim(shorten(printableJson(input), maxInput))];
  });
}

function waitsFor({ dependsOn = [] }: PlanStep, style: Style): string {
  return dependsOn.length === 0 ? "" : style.dim(` (after ${dependsOn.map(printable).join(", ")})`);
}
