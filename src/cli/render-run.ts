import { type AgentErrorLike, isAgentError } from "../core/errors.ts";
import type { Keyed, PendingItem, PlanFallbackEvent, StepEndEvent } from "../core/events.ts";
import { isRecord } from "../core/json.ts";
import type { Plan, PlanStep } from "../core/plan.ts";
import { describeRefusal, type RunSnapshot, type StepRecord } from "../core/run-result.ts";
import { isHold, type RunSummary, shownStatus } from "../core/run-summary.ts";
import { describeStepRef, describeWait, type StepRef } from "../core/step.ts";
import { cutText, printable, printableJson } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { describeCall, describePlan } from "../describe-plan.ts";
import { dependenciesOf, parseReference, stepsNamedIn } from "../plan/references.ts";
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
  if (steps.length > 0) {
    const toolOf = (name: string) => tools.find((tool) => tool.name === name);
    const shown = steps.map((step) => renderStep(step, { colors, tool: toolOf(step.tool), run }));
    lines.push("", colors.bold("Run"), ...shown);
  }
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

export function renderStepEnd(
  step: NamedStep & Pick<StepEndEvent, "attempts" | "outcome">,
  { colors, tool }: { readonly colors: Colors; readonly tool: Tool | undefined },
): string {
  const { outcome, attempts } = step;
  const tries = attempts > 1 ? ` (attempt ${attempts})` : "";
  if (outcome.status !== "completed") {
    const why = outcome.status === "unknown" ? `, ${outcome.error.message}` : "";
    return `  ${colors.red("✖")} ${nameStep(step)}: ${printable(outcome.status + why)}`;
  }
  const summary = summarizeOutput(outcome.output, tool);
  return `  ${colors.green("✔")} ${nameStep(step)}${summary === undefined ? "" : `: ${summary}`}${tries}`;
}

export function renderStep(
  step: StepRecord,
  options: {
    readonly colors: Colors;
    readonly tool: Tool | undefined;
    readonly run: Pick<RunSnapshot, "error" | "pending">;
  },
): string {
  const { colors, run } = options;
  const { status, output, error, reason } = step;
  if (status === "completed") return renderStepEnd({ ...step, outcome: { status, output } }, options);
  if (status === "pending") return colors.dim(`  - ${nameStep(step)}: not started`);
  if (status === "skipped") return colors.dim(`  - ${nameStep(step)}: skipped (${printable(String(reason))})`);
  if (status === "running") return `  > ${nameStep(step)}: started`;
  if (status === "waiting") {
    const item = run.pending?.find((one) => one.kind === "wait" && one.stepId === step.stepId);
    const what = item?.kind === "wait" ? printable(describeWait(item)) : "for approval";
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
    return `Run "${printable(runId)}" is active in another process. If that has died, try again in half a minute.`;
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
  return [`Resume it: planwright resume ${printable(runId)} --db ${printable(db)}`];
}

function describePending(item: PendingItem, tools: readonly Tool[]): string {
  if (isHold(item)) return `${item.kind === "mismatch" ? "it cannot continue here: " : ""}${printable(item.reason)}`;
  if (item.kind === "plan-approval") return "the plan needs approval";
  if (item.kind === "wait") return `${printable(item.stepId)} waits ${printable(describeWait(item))}`;
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
    ...(meant.length > 0 ? ["It may mean:", ...meant] : []),
    ...(examples.length > 0 ? ["What can be done, for example:"] : []),
    ...examples.map((example) => `  ${printable(example)}`),
  ];
}

const titleKeys = ["title", "name", "label", "summary", "text"];
const maxSummary = 100;

export function summarizeOutput(output: unknown, tool: Tool | undefined): string | undefined {
  const value = selectResult(output, tool);
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return cutText(printable(value), maxSummary);
  if (!isRecord(value)) return cutText(printableJson(value), maxSummary);
  const text = findTitleKey(value) === undefined ? renderFields(value) : describeThing(value);
  return cutText(text || printableJson(value), maxSummary);
}

export function renderOutput(output: unknown, { tool, colors }: { tool: Tool | undefined; colors: Colors }): string[] {
  const value = selectResult(output, tool);
  if (value === null || value === undefined) return ["Done."];
  if (typeof value === "string") return value.split("\n").map(printable);
  if (isThings(value)) return renderThings(value, colors);
  if (!isRecord(value)) return printableJson(value, 2).split("\n");
  if (findTitleKey(value) !== undefined) return renderThings([value], colors);
  const [things, ...others] = Object.entries(value).filter(([, field]) => typeof field === "object" && field !== null);
  if (things === undefined) return [renderFields(value) || "Done."];
  if (others.length > 0 || !isThings(things[1])) return printableJson(value, 2).split("\n");
  const list = things[1].length === 0 ? [`No ${printable(things[0])}.`] : renderThings(things[1], colors);
  const rest = renderFields(value);
  return rest === "" ? list : [...list, colors.dim(rest)];
}

function renderThings(things: readonly Keyed[], colors: Colors): string[] {
  return things.map((thing) => {
    const told = [findTitleKey(thing), "id", "completed", "done"];
    const isDetail = ([key]: readonly [string, unknown]) => !told.includes(key) && !key.endsWith("edAt");
    const fields = renderFields(Object.fromEntries(Object.entries(thing).filter(isDetail)));
    return fields === "" ? describeThing(thing) : `${describeThing(thing)} ${colors.dim(`(${fields})`)}`;
  });
}

function selectResult(output: unknown, tool: Tool | undefined): unknown {
  if (tool?.result === undefined) return output;
  let value = output;
  for (const key of parseReference(`output.${tool.result}`)?.path ?? []) {
    const isHolder = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    value = isHolder ? (value as Keyed)[key] : undefined;
  }
  return value ?? output;
}

function isThings(value: unknown): value is readonly Keyed[] {
  return Array.isArray(value) && value.every((item) => isRecord(item) && findTitleKey(item) !== undefined);
}

function findTitleKey(value: Keyed): string | undefined {
  return titleKeys.find((key) => typeof value[key] === "string");
}

function describeThing(thing: Keyed): string {
  const title = printable(String(thing[findTitleKey(thing) ?? ""]));
  const done = thing.completed ?? thing.done;
  if (typeof done !== "boolean") return title;
  return `${done ? "[x]" : "[ ]"} ${title}`;
}

function renderFields(value: Keyed): string {
  const texts = Object.entries(value).map(([key, field]) => ({ key, text: renderField(field) }));
  const shown = texts.filter(({ text }) => text !== "");
  return shown.map(({ key, text }) => `${printable(key)}: ${text}`).join(", ");
}

function renderField(field: unknown): string {
  if (Array.isArray(field)) return field.every(isScalar) ? field.map(renderField).join(" ") : "";
  return isScalar(field) ? printable(String(field)) : "";
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

type Outcome = Pick<RunSnapshot, "plan" | "steps" | "output" | "usage">;

export function renderResult(run: Outcome, { tools, colors }: Look): string[] {
  const alike = findLastAlike(run);
  const tool = tools.find(({ name }) => name === alike.at(-1)?.tool);
  const outputs = alike.length > 1 ? alike.map((step) => step.output) : [run.output];
  const lines = outputs.flatMap((output) => renderOutput(output, { tool, colors }));
  return ["", colors.bold("Result"), ...lines.map((text) => `  ${text}`), ...renderUsage(run, colors)];
}

function findLastAlike({ plan, steps }: Pick<RunSnapshot, "plan" | "steps">) {
  const completed = steps.filter((step) => step.status === "completed");
  const last = completed.at(-1);
  const usedBy = (step: PlanStep) =>
    dependenciesOf({ ...step, dependsOn: [] }, undefined, { stepIds: stepsNamedIn(step, { has: () => true }) });
  const used = new Set(plan?.steps.flatMap(usedBy));
  const isOther = ({ stepId, tool, effect }: StepRecord) =>
    tool !== last?.tool || effect !== last.effect || used.has(stepId);
  const others = new Set(completed.filter(isOther).map(({ stepId }) => stepId));
  const isCut = ({ stepId }: StepRecord) => stepId !== last?.stepId && others.has(stepId);
  return completed.slice(completed.findLastIndex(isCut) + 1);
}

function renderUsage({ usage }: Pick<RunSnapshot, "usage">, colors: Colors): string[] {
  if (usage === undefined || usage.inputTokens === 0) return [];
  const { modelCalls, inputTokens, outputTokens } = usage;
  const calls = modelCalls === 1 ? "1 model call" : `${modelCalls} model calls`;
  return [colors.dim(`  (${calls}: ${inputTokens} tokens read, ${outputTokens} written)`)];
}
