import { type AgentErrorLike, isAgentError } from "../core/errors.ts";
import type { PendingItem, PlanFallbackEvent, StepEndEvent } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import { describeRefusal, type RunResult, type RunSnapshot, type StepRecord } from "../core/run-result.ts";
import { describeWaiting, isHold, isWait, type RunSummary, shownStatus } from "../core/run-summary.ts";
import { describeStepRef, type StepRef } from "../core/step.ts";
import { cutText, printable } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { describeCall, describePlan } from "../describe-plan.ts";
import { sayDone, sayRun } from "../dialogue/say-run.ts";
import type { CliOptions } from "./cli-io.ts";
import type { Colors } from "./printer.ts";

interface Look {
  readonly tools: readonly Tool[];
  readonly colors: Colors;
}

const maxRequest = 100;
const statusWidth = "interrupted".length;

export function renderRunLine(run: RunSummary, colors: Colors): string {
  const { runId, createdAt, request } = run;
  const status = paint(shownStatus(run), colors, statusWidth);
  return `${printable(runId)}  ${status}  ${colors.dim(renderTime(createdAt))}  ${renderRequest(request)}`;
}

export function renderRun(run: RunSnapshot, { tools, colors, db }: Look & Pick<CliOptions, "db">): string[] {
  const { runId, forkedFrom, status, request, createdAt, updatedAt, plan, steps, error, pending } = run;
  const times = `${renderTime(createdAt)} to ${renderTime(updatedAt)}`;
  const lines = [printable(runId), `  ${paint(shownStatus(run), colors)}, ${times}`, `  ${renderRequest(request)}`];
  if (forkedFrom !== undefined)
    lines.push(`  forked from ${printable(forkedFrom.runId)}, after event ${forkedFrom.after}`);
  if (plan !== undefined) lines.push("", ...renderTitledPlan(plan, { tools, colors }));
  const shown = steps.map((step) => renderStep(step, { colors, tools, run }));
  if (shown.length > 0) lines.push("", colors.bold("Run"), ...shown);
  if (status === "completed") lines.push(...renderResult(run, { tools, colors }));
  if (error !== undefined || pending !== undefined) lines.push("", ...renderProblem(run, { tools }));
  return [...lines, ...renderHint(run, { db })];
}

function paint(status: ReturnType<typeof shownStatus>, colors: Colors, width = 0): string {
  const text = status.padEnd(width);
  if (status === "completed") return colors.green(text);
  return status === "failed" ? colors.red(text) : colors.yellow(text);
}

function renderTime(timestamp: string): string {
  return printable(timestamp.replace(/\.\d+Z$/, "Z"));
}

function renderRequest(request: string | undefined): string {
  return request === undefined ? "(a plan)" : cutText(printable(request), maxRequest);
}

export function renderTitledPlan(plan: Plan, { tools, colors }: Look): string[] {
  const { model, attempts = 1 } = plan.source;
  const tries = attempts > 1 ? `, in ${attempts} tries` : "";
  const title = colors.bold("Plan") + (model === undefined ? "" : colors.dim(` by ${printable(model)}${tries}`));
  const lines = describePlan(plan, { tools }).split("\n");
  return [title, ...lines.map((text) => `  ${text}`)];
}

type NamedStep = StepRef & { readonly tool: string };

export function nameStep(step: NamedStep): string {
  return `${printable(describeStepRef(step))} ${printable(step.tool)}`;
}

const maxSummary = 100;

export function renderStepEnd(
  step: NamedStep & Pick<StepEndEvent, "attempts" | "outcome"> & { readonly input: unknown },
  { colors, tools }: Look,
): string {
  const { outcome, attempts } = step;
  const tries = attempts > 1 ? ` (attempt ${attempts})` : "";
  if (outcome.status !== "completed") {
    const why = outcome.status === "unknown" ? `, ${outcome.error.message}` : "";
    return `  ${colors.red("✖")} ${nameStep(step)}: ${printable(outcome.status + why)}`;
  }
  const said = sayDone({ ...step, output: outcome.output }, { tools, ...userClock() });
  return `  ${colors.green("✔")} ${nameStep(step)}: ${cutText(said, maxSummary)}${tries}`;
}

export function renderStep(
  step: StepRecord,
  options: Look & { readonly run: Pick<RunSnapshot, "error" | "pending"> },
): string {
  const { colors, run } = options;
  const { status, output, error, reason } = step;
  if (status === "completed") return renderStepEnd({ ...step, outcome: { status, output } }, options);
  if (status === "pending") return colors.dim(`  - ${nameStep(step)}: not started`);
  if (status === "skipped") return colors.dim(`  - ${nameStep(step)}: skipped (${printable(String(reason))})`);
  if (status === "running") return `  > ${nameStep(step)}: started`;
  if (status === "waiting") {
    const item = run.pending?.find((one) => isWait(one) && one.stepId === step.stepId);
    const what = item && isWait(item) ? printable(describeWaiting(item)) : "for approval";
    return `  ${colors.yellow("?")} ${nameStep(step)}: waiting ${what}`;
  }
  if (status === "undone") return `  ${colors.green("↶")} ${nameStep(step)}: undone`;
  const isToldBelow = run.error !== undefined && (status === "failed" || run.error.message === error?.message);
  const why = error === undefined || isToldBelow ? "" : `, ${error.message}`;
  return `  ${colors.red("✖")} ${nameStep(step)}: ${printable(status + why)}`;
}

export function renderError(error: unknown): string[] {
  if (isAgentError(error, "cannot-plan")) return renderRefusal(error);
  return [`planwright: ${describeError(error)}`];
}

function describeError(error: unknown): string {
  if (isAgentError(error, "run-owned-elsewhere")) {
    const { runId } = error.details;
    return `Run "${printable(runId)}" is active in another process. If that process has died, try again in half a minute.`;
  }
  const { message } = error as { message?: unknown };
  if (isAgentError(error, "missing-dependency") && error.details.packages.includes("libsql")) {
    const others = 'With npx: "npx -p planwright -p libsql planwright …". Installed globally: "npm install -g libsql".';
    return `${printable(error.message)} ${others}`;
  }
  return printable(typeof message === "string" ? message : String(error));
}

export function renderFallback({ error, next }: Pick<PlanFallbackEvent, "error" | "next">): string {
  const { message } = isAgentError(error.cause, "model-failed") ? error.cause : error;
  return `planwright: ${printable(message)} (Planning with ${printable(next)} instead.)`;
}

type Problem = Pick<RunSnapshot, "error" | "pending" | "steps" | "approvals">;

export function renderProblem(run: Problem, { tools }: { readonly tools: readonly Tool[] }): string[] {
  const { error, pending = [], steps } = run;
  const failures = steps.flatMap((step) => (step.status === "failed" && step.error ? [step.error] : []));
  const refusal = describeRefusal(run);
  const first = refusal === undefined ? error : { message: refusal };
  if (first !== undefined) return [...new Set([first, ...failures].flatMap(renderError))];
  return pending.map((item) => `planwright: the run is suspended: ${describePending(item, tools)}`);
}

export function renderHint(
  { runId, status, pending = [] }: Pick<RunSnapshot, "runId" | "status" | "pending">,
  { db }: Pick<CliOptions, "db">,
): string[] {
  const isOpen = status === "interrupted" || status === "running" || status === "planning" || pending.some(isHold);
  if (!isOpen || db === undefined) return [];
  return [`Resume the run: planwright resume ${printable(runId)} --db ${printable(db)}`];
}

function describePending(item: PendingItem, tools: readonly Tool[]): string {
  if (isHold(item)) return `${item.kind === "mismatch" ? "it cannot continue here: " : ""}${printable(item.reason)}`;
  if (item.kind === "plan-approval") return "the plan needs approval";
  if (isWait(item)) return `${printable(item.stepId)} waits ${printable(describeWaiting(item))}`;
  const step = printable(describeStepRef(item));
  if (item.kind === "outcome") return `it is not known whether ${step} took effect`;
  return `${step} needs approval: ${describeCall(item, { tools })}`;
}

function renderRefusal({ message, details }: AgentErrorLike<"cannot-plan">): string[] {
  const { examples, proposals = [] } = details;
  const meant = proposals.map(({ text, unused }, index) => {
    const without =
      unused.length === 0 ? "" : `, without ${unused.map((words) => JSON.stringify(words)).join(" and ")}`;
    return `  ${index + 1}  ${printable(text + without)}`;
  });
  return [
    `planwright: ${printable(message)}`,
    ...(meant.length > 0 ? ["The request may mean:", ...meant] : []),
    ...(examples.length > 0 ? ["Requests that can be planned, for example:"] : []),
    ...examples.map((example) => `  ${printable(example)}`),
  ];
}

export function renderResult(run: RunSnapshot | RunResult, { tools, colors }: Look): string[] {
  const lines = sayRun(run, { tools, ...userClock() }).split("\n");
  return ["", colors.bold("Result"), ...lines.map((text) => `  ${text}`), ...renderUsage(run, colors)];
}

export function userClock() {
  return { nowMs: Date.now(), timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}

function renderUsage({ usage }: Pick<RunSnapshot, "usage">, colors: Colors): string[] {
  if (usage === undefined || usage.inputTokens === 0) return [];
  const { modelCalls, inputTokens, outputTokens } = usage;
  const calls = modelCalls === 1 ? "1 model call" : `${modelCalls} model calls`;
  return [colors.dim(`  (${calls}: ${inputTokens} tokens read, ${outputTokens} written)`)];
}
