import type { Plan, PlanStep } from "../core/plan.ts";
import { describeRefusal, type StepRecord, undoReasons } from "../core/run-result.ts";
import { shownStatus } from "../core/run-summary.ts";
import { describeConditions, describeStepRef } from "../core/step.ts";
import { cutText } from "../core/text.ts";
import { describeWaits } from "../plan/references.ts";
import { renderGraph } from "./graph-svg.ts";
import {
  escapeContent,
  formatCost,
  formatCount,
  formatDuration,
  formatTime,
  formatValue,
  type Html,
  html,
  type Page,
  pill,
  plural,
  section,
  tableSection,
} from "./html.ts";
import { getStatus, toPlanGraph } from "./plan-graph.ts";
import { getBusyMs, getWaits, type RunView } from "./run-view.ts";
import {
  type Axis,
  type Bar,
  createAxis,
  describeBar,
  hasFailed,
  renderAxis,
  renderBarDefinitions,
  renderBars,
} from "./timeline.ts";

const maxTitle = 300;
const maxText = 200;
const maxComment = 2_000;
const maxCalls = 500;

export function renderRunPage(view: RunView): Page {
  const { run, updatedAt, executions, planning, earlierPlans } = view;
  const title = cutText(run.request || `Run ${run.runId}`, maxTitle);
  const axis = createAxis(executions, Date.parse(updatedAt));
  const content = html`${renderBarDefinitions(axis)}
<header><h1>${title}</h1>
<p>${pill(shownStatus(run))} <code>${run.runId}</code></p>${run.text !== undefined && html`<p>${run.text.split("\n").map((line) => html`${line}<br>`)}</p>`}${facts(view)}${notices(view)}</header>
<section aria-labelledby="timeline"><div class="heading"><h2 id="timeline">Timeline</h2>${legend(view)}</div>
<p class="hidden">${formatDuration(getBusyMs(view))}${executions.length > 1 && `, in ${plural(executions.length, "execution")}`}</p>
<div class="axis">${renderAxis(axis, formatDuration(getBusyMs(view)))}</div>
<div class="steps">${planning.length > 0 && renderPlanning(view, axis)}${renderSteps(view, axis)}</div></section>
${run.plan !== undefined && section("Plan", renderGraph(toPlanGraph(run.plan, view), "The plan as a graph"))}
${run.plan !== undefined && earlierPlans.length > 0 && section("Revisions", revisions([...earlierPlans, run.plan]))}
${renderApprovals(view)}
${renderModelCalls(view)}
<footer>All times are UTC.</footer>`;
  return { title, content };
}

function renderPlanning(view: RunView, axis: Axis): Html {
  const last = view.planning.at(-1);
  const status = last?.hasFailed ? "failed" : last?.endMs === undefined ? "planning" : "completed";
  return html`<details class="step"><summary>
<span class="what"><b>planning</b> <span class="tool">${view.run.plan?.source.planner ?? ""}</span></span>
<span class="how">${pill(status)}</span>
${renderBars(view.planning, axis)}</summary><div class="inside">${sourceFacts(view)}${renderAttempts(view.planning, axis)}</div></details>`;
}

function facts(view: RunView): Html {
  const { run, modelCalls, executions } = view;
  const paused = executions.reduce((sum, { startMs }, at) => sum + startMs - (executions[at - 1]?.endMs ?? startMs), 0);
  const attempts = run.steps.reduce((sum, step) => sum + step.attempts, 0);
  const { usage, forkedFrom } = run;
  const all: readonly (readonly [string, string | undefined])[] = [
    ["started", formatTime(run.createdAt)],
    ["forked from", forkedFrom && cutText(`${forkedFrom.runId}, event ${forkedFrom.after}`, 200)],
    ["ended", run.endedAt && formatTime(run.endedAt)],
    ["busy", formatDuration(getBusyMs(view))],
    ["waited", executions.length > 1 ? formatDuration(paused) : undefined],
    ["executions", executions.length > 1 ? formatCount(executions.length) : undefined],
    ["steps", formatCount(run.plan?.steps.length ?? 0)],
    ["attempts", formatCount(attempts)],
    ["model calls", usage && formatCount(modelCalls.length || usage.modelCalls)],
    ["tokens", usage && `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`],
    ["cost", usage?.cost === undefined ? undefined : formatCost(usage.cost)],
  ];
  const shown = all.filter(([, value]) => value !== undefined);
  return html`<dl class="numbers">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function notices({ run, approvals }: RunView): Html {
  const refusal = describeRefusal(run);
  const items = (run.notUndone ?? []).map((item) => `${describeStepRef(item)} (${undoReasons[item.reason]})`);
  const notUndone = items.join(", ");
  return html`${refusal !== undefined && html`<div class="notice wait">${formatValue(refusal, 2_000)}</div>`}
${run.error !== undefined && refusal === undefined && html`<div class="notice bad"><b>${run.error.code}</b> ${formatValue(run.error.message, 2_000)}</div>`}
${getWaits({ run, approvals }).map((text) => html`<div class="notice wait">Waits ${cutText(text, 500)}.</div>`)}
${notUndone !== "" && html`<div class="notice wait">Not undone: ${cutText(notUndone, 500)}.</div>`}`;
}

function sourceFacts({ run: { plan } }: RunView): Html {
  if (plan === undefined) return html``;
  const { model, attempts, failures = [] } = plan.source;
  return html`<p class="facts">${[model, attempts === undefined ? undefined : plural(attempts, "answer")].filter((word) => word !== undefined).join(" · ")}</p>
${failures.map(({ code, message, planner }) => html`<p>${planner}: <code>${code}</code> ${cutText(message, 500)}</p>`)}`;
}

function legend({ bars, planning }: RunView): Html {
  const shownBars = [...planning, ...[...bars.values()].flat()];
  const kinds = new Set<string>(shownBars.map(({ kind, hasFailed: isFailed }) => (isFailed ? "failed" : kind)));
  const shown = legends.filter(([kind]) => kinds.has(kind));
  return html`<div class="legend">${shown.map(([kind, text]) => html`<span><svg class="bars" aria-hidden="true"><rect class="${kind === "failed" ? "attempt failed" : kind}" width="100%"/></svg>${text}</span>`)}</div>`;
}

const legends = Object.entries({
  planning: "planning",
  attempt: "attempt",
  failed: "failed attempt",
  backoff: "delay",
  waiting: "waits for approval",
  undo: "undo",
});

function renderApprovals({ approvals }: RunView): Html | false {
  const rows = approvals.map(({ subject, status, by = "", at, comment = "" }) => {
    const decided = at === undefined ? "" : formatTime(at);
    return [subject, pill(status), cutText(by, maxText), decided, cutText(comment, maxComment)];
  });
  return tableSection("Approvals", ["what", "decision", "by", "when", "comment"], rows);
}

function renderModelCalls({ modelCalls }: RunView): Html | false {
  const rows = modelCalls
    .slice(0, maxCalls)
    .map(({ model, attempt, usage, durationMs, outcome }) => [
      ...[cutText(model, maxText), pill(outcome.status), String(attempt), formatDuration(durationMs)],
      ...[formatCount(usage.inputTokens), formatCount(usage.outputTokens)],
      formatCost(usage.cost),
    ]);
  const columns = ["model", "outcome", "attempt", "time", "tokens in", "tokens out", "cost"];
  const rest = modelCalls.length - maxCalls;
  const more = rest > 0 && html`<p>… and ${plural(rest, "more call")}</p>`;
  return tableSection("Model calls", columns, rows, { more, id: "models" });
}

const valueBudget = 140_000;
const [maxValue, minValue] = [4_000, 70];
const maxIterations = 50;
const maxListed = 20;

interface Drawing {
  readonly view: RunView;
  readonly axis: Axis;
  readonly maxLength: number;
  readonly waits: ReadonlyMap<string, string>;
}

function renderSteps(view: RunView, axis: Axis): Html {
  const planned = new Map(view.run.plan?.steps.map((step) => [step.id, step]));
  const maxLength = Math.max(minValue, Math.min(maxValue, Math.floor(valueBudget / (2 * view.run.steps.length || 1))));
  const ids = [...new Set([...view.steps.keys(), ...planned.keys()])];
  const waits = describeWaits(view.run.plan?.steps ?? []);
  return html`${ids.map((id) => renderStep(id, planned.get(id), { view, axis, maxLength, waits }))}`;
}

function renderStep(id: string, step: PlanStep | undefined, drawing: Drawing): Html {
  const { view, axis } = drawing;
  const records = view.steps.get(id) ?? [];
  const status = getStatus(records);
  const words = step?.wait ? undefined : view.wordsOf((records.length === 1 ? records[0] : step) ?? {});
  const isLoop = records.some(({ iteration }) => iteration !== undefined);
  const bars = records.flatMap((record) => view.bars.get(describeStepRef(record)) ?? []);
  const body = isLoop ? iterations(records, drawing) : records.map((record) => details(record, drawing));
  const isRemoved = step === undefined && view.run.plan !== undefined;
  const isOpen = hasFailed(status) && !isRemoved && records.length < maxIterations;
  return html`<details class="step"${isOpen ? html` open` : ""}><summary>
<span class="what"><b>${id}</b> ${words !== undefined && html`${words} `}<span class="tool">${drawing.waits.get(id) ?? records[0]?.tool ?? step?.tool ?? ""}</span>${isRemoved && html` <span class="tool">· replaced</span>`}</span>
<span class="how">${pill(status, isLoop ? countText(records) : status)} <span class="time">${timeText(records)}</span></span>
${renderBars(bars, axis)}</summary>
<div class="inside">${renderStepFacts(step, records)}${body}</div></details>`;
}

function renderAttempts(bars: readonly Bar[], { endMs }: Pick<Axis, "endMs">): Html {
  if (bars.length < 2 && bars.every(({ message }) => message === undefined)) return html``;
  const rest = bars.length - maxListed;
  const items = bars.slice(0, maxListed).map((bar) => html`<li>${describeBar(bar, endMs)}</li>`);
  return html`<ul class="attempts">${items}${rest > 0 && html`<li>… and ${formatCount(rest)} more</li>`}</ul>`;
}

function renderStepFacts(step: PlanStep | undefined, [first]: readonly StepRecord[]): Html {
  const reasoning = step?.reasoning ?? first?.reasoning;
  return html`${reasoning !== undefined && html`<p class="why">${reasoning}</p>`}
${step !== undefined && describeConditions(step).map((line) => html`<p>${line}</p>`)}
${(step?.dependsOn?.length ?? 0) > 0 && html`<p class="facts">after ${step?.dependsOn?.join(", ")}</p>`}`;
}

function iterations(records: readonly StepRecord[], drawing: Drawing): Html {
  const { view, axis } = drawing;
  const failed = records.filter(({ status }) => hasFailed(status)).slice(0, maxIterations);
  const shown = new Set([...records.slice(0, maxIterations), ...failed]);
  const rows = records
    .filter((record) => shown.has(record))
    .map(
      (record) => html`<details class="step"><summary>
<span class="what"><b>${describeStepRef(record)}</b> ${view.wordsOf(record) ?? ""}</span>
<span class="how">${pill(record.status)} <span class="time">${timeText([record])}</span></span>
${renderBars(view.bars.get(describeStepRef(record)) ?? [], axis)}</summary><div class="inside">${details(record, drawing)}</div></details>`,
    );
  const rest = records.length - shown.size;
  return html`${rows}${rest > 0 && html`<p>… and ${plural(rest, "more iteration")}</p>`}`;
}

function details(record: StepRecord, { view, axis, maxLength }: Drawing): Html {
  const { status, attempts, effect, startedAt, error, progress, reason } = record;
  const output = record.status === "completed" ? record.output : undefined;
  const words = [
    effect,
    attempts > 1 ? plural(attempts, "attempt") : undefined,
    status === "skipped" && reason !== undefined ? `skipped: ${skipReasons[reason]}` : undefined,
    startedAt === undefined ? undefined : `started ${formatTime(startedAt)}`,
  ].filter((word) => word !== undefined);
  const value = (name: Html | string, shown: unknown): Html => {
    const text = formatValue(shown, maxLength);
    // Only an area that may scroll must be reachable by keyboard.
    const isLong = text.length > 300 || text.split("\n").length > 8;
    return html`<div class="value"><span>${name}</span><pre${isLong && html` tabindex="0"`}>${escapeContent(text)}</pre></div>`;
  };
  return html`<p class="facts">${words.join(" · ")}</p>${renderAttempts(view.bars.get(describeStepRef(record)) ?? [], axis)}
<div class="values">${value("Input", record.input)}${output !== undefined && value("Output", output)}${progress !== undefined && value("Last progress", progress)}${error !== undefined && reason !== "approval-rejected" && html`<div class="error">${value(html`Error <code>${error.code}</code>`, error.stack ?? error.message)}</div>`}</div>`;
}

const skipReasons = {
  "dependency-failed": "a step before it failed",
  "run-ended": "the run ended",
  condition: "its condition was false",
  "no-items": "there were no items",
  "approval-rejected": "it was rejected",
} as const;

function countText(records: readonly StepRecord[]): string {
  const done = records.filter(({ status }) => status === "completed").length;
  const failed = records.filter(({ status }) => hasFailed(status)).length;
  const undone = records.filter(({ status }) => status === "undone").length;
  if (undone > 0 && done + failed === 0) return `${undone} undone`;
  return `${done} of ${records.length}${failed > 0 ? `, ${failed} failed` : ""}`;
}

function timeText(records: readonly StepRecord[]): string {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startedAt, completedAt } of records) {
    if (startedAt === undefined || completedAt === undefined) continue;
    start = Math.min(start, Date.parse(startedAt));
    end = Math.max(end, Date.parse(completedAt));
  }
  return start <= end ? formatDuration(end - start) : "";
}

function revisions(plans: readonly Plan[]): Html {
  const columns = plans.map((plan, index) => {
    const before = new Set(plans[index - 1]?.steps.map(({ id }) => id));
    const after = new Set(plans[index + 1]?.steps.map(({ id }) => id));
    const waits = describeWaits(plan.steps);
    const steps = plan.steps.map(({ id, tool }) => {
      const isNew = index > 0 && !before.has(id);
      const isGone = index < plans.length - 1 && !after.has(id);
      const mark = isNew ? html` <ins>new</ins>` : isGone ? html` <del>removed</del>` : "";
      return html`<li><b>${id}</b> <span class="tool">${tool ?? waits.get(id)}</span>${mark}</li>`;
    });
    return html`<div><h3>${index === 0 ? "First plan" : `Revision ${index}`}</h3><p class="facts">${plan.source.planner}</p><ol>${steps}</ol></div>`;
  });
  return html`<div class="columns">${columns}</div>`;
}
