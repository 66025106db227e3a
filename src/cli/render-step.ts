import type { StepEndEvent } from "../core/events.ts";
import type { StepRecord } from "../core/run-result.ts";
import { describePlace, type StepPlace } from "../core/step-place.ts";
import type { Tool } from "../core/tool.ts";
import type { Colors } from "./colors.ts";
import { printable } from "./printable.ts";
import { summarizeOutput } from "./render-output.ts";

/** Identifies a step, or an iteration of it. */
export interface NamedStep extends StepPlace {
  readonly tool: string;
}

/** The id, the iteration and the tool of a step. */
export function nameOf(step: NamedStep): string {
  return `${printable(describePlace(step))} ${printable(step.tool)}`;
}

/** How a step ended, in one line. */
export function renderStepEnd(
  step: NamedStep & Pick<StepEndEvent, "attempts" | "outcome">,
  { colors, tool }: { readonly colors: Colors; readonly tool: Tool | undefined },
): string {
  const { outcome, attempts } = step;
  const tries = attempts > 1 ? ` (attempt ${attempts})` : "";
  if (outcome.status !== "completed") {
    return `  ${colors.red("✖")} ${nameOf(step)}: ${printable(`${outcome.status}, ${outcome.error.message}`)}`;
  }
  const summary = summarizeOutput(outcome.output, tool);
  return `  ${colors.green("✔")} ${nameOf(step)}${summary === undefined ? "" : `: ${summary}`}${tries}`;
}

/** The current state of a stored step, in one line. */
export function renderStep(
  step: StepRecord,
  options: { readonly colors: Colors; readonly tool: Tool | undefined },
): string {
  const { colors } = options;
  const { status, output, error, reason } = step;
  if (status === "completed") return renderStepEnd({ ...step, outcome: { status, output } }, options);
  if (status === "pending") return colors.dim(`  - ${nameOf(step)}: not started`);
  if (status === "skipped") return colors.dim(`  - ${nameOf(step)}: skipped (${printable(String(reason))})`);
  if (status === "running") return `  > ${nameOf(step)}: started`;
  if (status === "waiting") return `  ${colors.yellow("?")} ${nameOf(step)}: waiting for approval`;
  if (status === "undone") return `  ${colors.green("↶")} ${nameOf(step)}: undone`;
  const why = error === undefined ? "" : `, ${error.message}`;
  return `  ${colors.red("✖")} ${nameOf(step)}: ${printable(status + why)}`;
}
