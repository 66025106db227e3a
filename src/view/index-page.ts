import { addTo } from "../core/lists.ts";
import { describeRefusal, type StepRecord } from "../core/run-result.ts";
import { shownStatus } from "../core/run-summary.ts";
import { describeStepRef } from "../core/step.ts";
import { cutText } from "../core/text.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatTime,
  getTone,
  type Html,
  html,
  type Page,
  pill,
  plural,
  tableSection,
} from "./html.ts";
import { getBusyMs, getWaits, type RunView } from "./run-view.ts";
import { hasFailed } from "./timeline.ts";

const maxText = 120;
const maxMessage = 300;
const maxSlowest = 10;
const maxRows = 1_000;

export function renderIndexPage(views: readonly RunView[]): Page {
  const failed = views.filter(({ run }) => hasFailed(shownStatus(run)));
  const refused = views.filter(({ run }) => shownStatus(run) === "refused");
  const waiting = views.filter(({ run }) => run.status === "suspended");
  const title = plural(views.length, "run");
  const content = html`<header><h1>${title}</h1>${counts(views)}</header>
${renderErrors("What failed", failed)}
${renderErrors("What was refused", refused)}
${renderWaiting(waiting)}
${slowest(views)}
<div class="columns">${tools(views)}${models(views)}</div>
${renderRuns(views)}
<footer>All times are UTC.</footer>`;
  return { title, content };
}

function counts(views: readonly RunView[]): Html {
  const byStatus = new Map<string, number>();
  for (const status of views.map(({ run }) => shownStatus(run))) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  const cost = sum(views.map(({ run }) => run.usage?.cost ?? 0));
  const facts = [...byStatus].map(
    ([name, count]) =>
      html`<div class="${getTone(name)}"><dt>${name}</dt><dd class="count">${formatCount(count)}</dd></div>`,
  );
  return html`<dl class="numbers">${facts}${cost > 0 && html`<div><dt>cost</dt><dd class="count">${formatCost(cost)}</dd></div>`}</dl>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function nameCell({ run }: RunView): Html {
  const request = run.request || "a plan";
  return html`<div>${cutText(request, maxText)}<br><code>${run.runId}</code></div>`;
}

function renderErrors(name: string, views: readonly RunView[]): Html | false {
  const rows = views.slice(0, maxRows).map((view) => {
    const { code = "", message = "" } = view.run.error ?? {};
    const text = cutText(describeRefusal(view.run) ?? message, maxMessage);
    return [nameCell(view), html`<code>${code}</code>`, text, formatTime(view.updatedAt)];
  });
  return tableSection(name, ["run", "code", "message", "when"], rows);
}

function renderWaiting(views: readonly RunView[]): Html | false {
  const rows = views.slice(0, maxRows).map((view) => {
    return [nameCell(view), cutText(getWaits(view).join("; "), maxMessage), formatTime(view.updatedAt)];
  });
  return tableSection("What waits", ["run", "it waits", "since"], rows);
}

function slowest(views: readonly RunView[]): Html | false {
  const timed = views.flatMap((view) => view.run.steps.map((record) => ({ view, record, ms: getDurationMs(record) })));
  const slow = timed
    .filter(({ ms }) => ms > 0)
    .sort((one, other) => other.ms - one.ms)
    .slice(0, maxSlowest);
  const longest = slow[0]?.ms ?? 1;
  const rows = slow.map(({ view, record, ms }) => {
    const step = html`<div><b>${describeStepRef(record)}</b> <span class="tool">${record.tool}</span></div>`;
    const [kind, width] = [hasFailed(record.status) ? "attempt failed" : "attempt", Math.round((ms / longest) * 100)];
    const bar = html`<svg class="bars" aria-hidden="true"><rect class="${kind}" width="${Math.max(1, width)}%"/></svg>`;
    return [step, bar, formatDuration(ms), formatCount(record.attempts), nameCell(view)];
  });
  return tableSection("Slowest steps", ["step", "", "time", "attempts", "run"], rows);
}

function getDurationMs({ startedAt, completedAt }: StepRecord): number {
  return startedAt === undefined || completedAt === undefined ? 0 : Date.parse(completedAt) - Date.parse(startedAt);
}

function tools(views: readonly RunView[]): Html | false {
  const byTool = new Map<string, StepRecord[]>();
  for (const record of views.flatMap(({ run }) => run.steps)) addTo(byTool, record.tool, record);
  const rows = [...byTool].map(([tool, records]) => {
    const steps = records.filter(({ startedAt }) => startedAt !== undefined).length;
    const failed = records.filter(({ status }) => hasFailed(status)).length;
    const meanMs = sum(records.map(getDurationMs)) / steps;
    const counts = [steps, failed, sum(records.map(({ attempts }) => attempts))].map(formatCount);
    return [tool, ...counts, steps === 0 ? "" : formatDuration(meanMs)];
  });
  return tableSection("Tools", ["tool", "steps", "failed", "attempts", "mean time"], rows);
}

function models(views: readonly RunView[]): Html | false {
  const byModel = new Map<string, { inputTokens: number; outputTokens: number; cost?: number }[]>();
  for (const { modelCalls, run } of views) {
    for (const { model, usage } of modelCalls) addTo(byModel, model, usage);
    if (modelCalls.length === 0) for (const call of run.plan?.source.calls ?? []) addTo(byModel, call.model, call);
  }
  const rows = [...byModel].map(([model, calls]) => {
    const tokens = sum(calls.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens));
    const cost = sum(calls.map(({ cost = 0 }) => cost));
    return [model, formatCount(calls.length), formatCount(tokens), formatCost(cost || undefined)];
  });
  return tableSection("Models", ["model", "calls", "tokens", "cost"], rows);
}

function renderRuns(views: readonly RunView[]): Html | false {
  const rows = views.slice(0, maxRows).map((view) => {
    const { createdAt, plan, steps, usage } = view.run;
    const done = steps.filter((record) => record.status === "completed").length;
    return [
      ...[nameCell(view), pill(shownStatus(view.run)), formatTime(createdAt), formatDuration(getBusyMs(view))],
      plan === undefined ? "" : `${formatCount(done)} of ${formatCount(steps.length)}`,
      formatCost(usage?.cost),
    ];
  });
  const rest = views.length - maxRows;
  const columns = ["run", "status", "started", "busy", "steps", "cost"];
  return tableSection("All runs", columns, rows, { more: rest > 0 && html`<p>… and ${plural(rest, "more run")}</p>` });
}
