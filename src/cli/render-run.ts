import type { RunSnapshot } from "../core/run-result.ts";
import type { RunStatus, RunSummary } from "../core/run-summary.ts";
import type { Tool } from "../core/tool.ts";
import type { Colors } from "./colors.ts";
import { printable, shorten } from "./printable.ts";
import { renderHint, renderProblem } from "./render-error.ts";
import { renderTitledPlan } from "./render-plan.ts";
import { renderResult } from "./render-result.ts";
import { renderStep } from "./render-step.ts";

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
  const { runId, status, request, createdAt, updatedAt, plan, steps, error, pending } = run;
  const times = `${renderTime(createdAt)} to ${renderTime(updatedAt)}`;
  const lines = [printable(runId), `  ${paint(status, colors, status)}, ${times}`, `  ${renderRequest(request)}`];
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
