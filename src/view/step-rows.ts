import type { Plan, PlanStep } from "../core/plan.ts";
import type { StepRecord } from "../core/run-result.ts";
import { describeConditions, describeStepRef, describeWait } from "../core/step.ts";
import type { Axis } from "./axis.ts";
import { barsSvg, describeBar } from "./bars-svg.ts";
import { formatCount, formatDuration, formatTime, formatValue, plural } from "./format.ts";
import { escapeContent, type Html, html } from "./html.ts";
import { statusOf } from "./plan-graph.ts";
import { hasFailed, type RunView } from "./run-view.ts";
import type { Bar } from "./timeline.ts";
import { pill } from "./tone.ts";

/** How much of values a page has, in characters: all together, and each at most and at least. */
const valueBudget = 140_000;
const [maxValue, minValue] = [4_000, 70];
/** The iterations of a loop that are shown one by one: the first, and those that failed. */
const maxIterations = 50;
/** The attempts and delays of a step that are listed. */
const maxListed = 20;

/** The steps of a run, each with its bars, and behind them what went in and came out. */
export function stepRows(view: RunView, axis: Axis): Html {
  const planned = new Map(view.run.plan?.steps.map((step) => [step.id, step]));
  const maxLength = Math.max(minValue, Math.min(maxValue, Math.floor(valueBudget / (2 * view.run.steps.length || 1))));
  const names = [...new Set([...view.steps.keys(), ...planned.keys()])];
  const rows = names.map((id) => {
    const records = view.steps.get(id) ?? [];
    return row({ id, step: planned.get(id), records, view, axis, maxLength });
  });
  return html`${rows}`;
}

interface Row {
  readonly id: string;
  readonly step: PlanStep | undefined;
  readonly records: readonly StepRecord[];
  readonly view: RunView;
  readonly axis: Axis;
  readonly maxLength: number;
}

function row({ id, step, records, view, axis, maxLength }: Row): Html {
  const status = statusOf(records);
  const isLoop = records.some(({ iteration }) => iteration !== undefined);
  const bars = records.flatMap((record) => view.bars.get(describeStepRef(record)) ?? []);
  const body = isLoop
    ? iterations(records, view, { axis, maxLength })
    : records.map((one) => details(one, { view, axis, maxLength }));
  // What a replan took away is history.
  const isRemoved = step === undefined && view.run.plan !== undefined;
  const isOpen = hasFailed(status) && !isRemoved && records.length < maxIterations;
  return html`<details class="step"${isOpen ? html` open` : ""}><summary>
<span class="what"><b>${id}</b> <span class="tool">${step?.wait === undefined ? (records[0]?.tool ?? step?.tool ?? "") : `wait ${describeWait(step.wait)}`}</span>${isRemoved && html` <span class="tool">· replaced</span>`}</span>
<span class="how">${pill(status, isLoop ? countText(records) : status)} <span class="time">${timeText(records)}</span></span>
${barsSvg(bars, axis)}</summary>
<div class="inside">${facts(step, records)}${body}</div></details>`;
}

/** The attempts and delays of a line in words, if there is more than one. */
export function attemptList(bars: readonly Bar[], { endMs }: Pick<Axis, "endMs">): Html {
  if (bars.length < 2 && bars.every(({ message }) => message === undefined)) return html``;
  const rest = bars.length - maxListed;
  const items = bars.slice(0, maxListed).map((bar) => html`<li>${describeBar(bar, endMs)}</li>`);
  return html`<ul class="attempts">${items}${rest > 0 && html`<li>… and ${formatCount(rest)} more</li>`}</ul>`;
}

function facts(step: PlanStep | undefined, records: readonly StepRecord[]): Html {
  const [first] = records;
  const reasoning = step?.reasoning ?? first?.reasoning;
  return html`${reasoning !== undefined && html`<p class="why">${reasoning}</p>`}
${step !== undefined && describeConditions(step).map((line) => html`<p>${line}</p>`)}
${(step?.dependsOn?.length ?? 0) > 0 && html`<p class="facts">after ${step?.dependsOn?.join(", ")}</p>`}`;
}

function iterations(
  records: readonly StepRecord[],
  view: RunView,
  { axis, maxLength }: Pick<Row, "axis" | "maxLength">,
): Html {
  const failed = records.filter(({ status }) => hasFailed(status)).slice(0, maxIterations);
  const shown = new Set([...records.slice(0, maxIterations), ...failed]);
  const rows = records
    .filter((record) => shown.has(record))
    .map(
      (record) => html`<details class="step"><summary>
<span class="what"><b>${describeStepRef(record)}</b></span>
<span class="how">${pill(record.status)} <span class="time">${timeText([record])}</span></span>
${barsSvg(view.bars.get(describeStepRef(record)) ?? [], axis)}</summary><div class="inside">${details(record, { view, axis, maxLength })}</div></details>`,
    );
  const rest = records.length - shown.size;
  return html`${rows}${rest > 0 && html`<p>… and ${plural(rest, "more iteration")}</p>`}`;
}

function details(record: StepRecord, { view, axis, maxLength }: Pick<Row, "view" | "axis" | "maxLength">): Html {
  const { status, attempts, effect, startedAt, error, reason } = record;
  const output = record.status === "completed" ? record.output : undefined;
  const words = [
    effect,
    attempts > 1 ? plural(attempts, "attempt") : undefined,
    status === "skipped" && reason !== undefined ? `skipped: ${skipReasons[reason]}` : undefined,
    startedAt === undefined ? undefined : `started ${formatTime(startedAt)}`,
  ].filter((word) => word !== undefined);
  return html`<p class="facts">${words.join(" · ")}</p>${attemptList(view.bars.get(describeStepRef(record)) ?? [], axis)}
<div class="values">${value("Input", formatValue(record.input, maxLength))}${output !== undefined && value("Output", formatValue(output, maxLength))}${error !== undefined && html`<div class="error">${value(html`Error <code>${error.code}</code>`, formatValue(error.stack ?? error.message, maxLength))}</div>`}</div>`;
}

const skipReasons = {
  "dependency-failed": "a step before it failed",
  "run-ended": "the run ended",
  condition: "its condition was false",
  "no-items": "there were no items",
  "approval-rejected": "it was rejected",
} as const;

function value(name: Html | string, text: string): Html {
  return html`<div class="value"><span>${name}</span>${block(text)}</div>`;
}

/** What may scroll must be reached by the keyboard, and nothing else. */
function block(text: string): Html {
  const isLong = text.length > 300 || text.split("\n").length > 8;
  return html`<pre${isLong && html` tabindex="0"`}>${escapeContent(text)}</pre>`;
}

function countText(records: readonly StepRecord[]): string {
  const done = records.filter(({ status }) => status === "completed").length;
  const failed = records.filter(({ status }) => hasFailed(status)).length;
  const undone = records.filter(({ status }) => status === "undone").length;
  if (undone > 0 && done + failed === 0) return `${undone} undone`;
  return `${done} of ${records.length}${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** From the first start to the last end. */
function timeText(records: readonly StepRecord[]): string {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startedAt, completedAt } of records) {
    if (startedAt === undefined || completedAt === undefined) continue;
    start = Math.min(start, Date.parse(startedAt));
    end = Math.max(end, Date.parse(completedAt));
  }
  return start <= end ? formatDuration(end - start) : "";
}

/** The plans of a run beside each other: what a replan removed and added is marked. */
export function revisions(plans: readonly Plan[]): Html {
  const columns = plans.map((plan, index) => {
    const before = new Set(plans[index - 1]?.steps.map(({ id }) => id));
    const after = new Set(plans[index + 1]?.steps.map(({ id }) => id));
    const steps = plan.steps.map(({ id, tool, wait }) => {
      const isNew = index > 0 && !before.has(id);
      const isGone = index < plans.length - 1 && !after.has(id);
      const mark = isNew ? html` <ins>new</ins>` : isGone ? html` <del>removed</del>` : "";
      return html`<li><b>${id}</b> <span class="tool">${tool ?? `wait ${describeWait(wait)}`}</span>${mark}</li>`;
    });
    return html`<div><h3>${index === 0 ? "First plan" : `Revision ${index}`}</h3><p class="facts">${plan.source.planner}</p><ol>${steps}</ol></div>`;
  });
  return html`<div class="columns">${columns}</div>`;
}
