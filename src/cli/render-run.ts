import type { StepEndEvent } from "../core/events.ts";
import type { Plan, PlanSource, PlanStep } from "../core/plan.ts";
import type { RunSnapshot, StepRecord } from "../core/run-result.ts";
import type { RunStatus, RunSummary } from "../core/run-summary.ts";
import { describeStepRef, type StepRef } from "../core/step-ref.ts";
import type { Tool } from "../core/tool.ts";
import { inputOf, toolOf } from "../core/wait-step.ts";
import { printable, printableJson, shorten } from "./printable.ts";
import type { Colors } from "./printer.ts";
import { renderHint, renderProblem } from "./render-error.ts";
import { renderResult, type Style, summarizeOutput } from "./render-output.ts";

const maxRequest = 100;
/** The longest status. */
const statusWidth = "interrupted".length;

/** A run in a list, as one line. */
export function renderRunLine({ runId, status, createdAt, request }: RunSummary, colors: Colors): string {
  const when = colors.dim(renderTime(createdAt));
  return `${printable(runId)}  ${paint(status, colors, status.padEnd(statusWidth))}  ${when}  ${renderRequest(request)}`;
}

/** The current state of a stored run, as readable lines. */
export function renderRun(
  run: RunSnapshot,
  { tools, colors, db }: { readonly tools: readonly Tool[]; readonly colors: Colors; readonly db: string | undefined },
): string[] {
  const { runId, forkedFrom, status, request, createdAt, updatedAt, plan, steps, error, pending } = run;
  const times = `${renderTime(createdAt)} to ${renderTime(updatedAt)}`;
  const lines = [printable(runId), `  ${paint(status, colors, status)}, ${times}`, `  ${renderRequest(request)}`];
  if (forkedFrom !== undefined)
    lines.push(`  forked from ${printable(forkedFrom.runId)}, after event ${forkedFrom.after}`);
  if (plan !== undefined) lines.push("", ...renderTitledPlan(plan, colors));
  if (steps.length > 0) {
    const toolOf = (name: string) => tools.find((tool) => tool.name === name);
    lines.push("", colors.bold("Run"), ...steps.map((step) => renderStep(step, { colors, tool: toolOf(step.tool) })));
  }
  if (status === "completed") lines.push(...renderResult(run, { tools, colors }));
  if (error !== undefined || pending !== undefined) lines.push("", ...renderProblem(run));
  return [...lines, ...renderHint(run, { db })];
}

function paint(status: RunStatus, colors: Colors, shown: string): string {
  const text = printable(shown);
  if (status === "completed") return colors.green(text);
  return status === "failed" ? colors.red(text) : colors.yellow(text);
}

/** To the second, in UTC. */
function renderTime(timestamp: string): string {
  return printable(timestamp.replace(/\.\d+Z$/, "Z"));
}

function renderRequest(request: string | undefined): string {
  return request === undefined ? "(a plan)" : shorten(printable(request), maxRequest);
}

const maxInput = 200;

/** A plan as readable lines: for each step its id, its tool, its reasoning and its input. */
export function renderPlan({ steps }: Plan, style: Style): string[] {
  const width = Math.max(...steps.map(({ id }) => printable(id).length));
  return steps.flatMap((step) => {
    const { id, reasoning } = step;
    const tool = toolOf(step);
    const indent = " ".repeat(width + 2);
    const title = printable(reasoning === undefined ? tool : `${tool}: ${reasoning}`);
    const first = `${printable(id).padEnd(width)}  ${shorten(title, maxInput)}${waitsFor(step, style)}`;
    return [first, indent + style.dim(shorten(printableJson(inputOf(step)), maxInput))];
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

/** Identifies a step, or an iteration of it. */
interface NamedStep extends StepRef {
  readonly tool: string;
}

/** The id, the iteration and the tool of a step. */
export function nameOf(step: NamedStep): string {
  return `${printable(describeStepRef(step))} ${printable(step.tool)}`;
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
