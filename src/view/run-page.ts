import { shownStatus } from "../core/run-summary.ts";
import { describeStepRef } from "../core/step.ts";
import { cutText } from "../core/text.ts";
import { type Axis, axisOf } from "./axis.ts";
import { axisSvg, barDefinitions, barsSvg } from "./bars-svg.ts";
import { formatCost, formatCount, formatDuration, formatTime, formatValue, plural } from "./format.ts";
import { graphSvg } from "./graph-svg.ts";
import { type Html, html } from "./html.ts";
import { page } from "./page.ts";
import { graphOf } from "./plan-graph.ts";
import { busyMs, type RunView, waitsOf } from "./run-view.ts";
import { attemptList, revisions, stepRows } from "./step-rows.ts";
import { numbers, short, table } from "./table.ts";
import { pill } from "./tone.ts";

const maxTitle = 300;
const maxText = 200;
const maxComment = 2_000;
const maxCalls = 500;

/** The page of one run. */
export function runPage(view: RunView): string {
  const { run, updatedAt, executions, planning, approvals, modelCalls, earlierPlans } = view;
  const title = run.request === undefined || run.request === "" ? `Run ${run.runId}` : run.request;
  const axis = axisOf(executions, Date.parse(updatedAt));
  const content = html`${barDefinitions(axis)}
<header><h1>${cutText(title, maxTitle)}</h1>
<p>${pill(shownStatus(run))} <code>${run.runId}</code></p>${facts(view)}${notices(view)}</header>
<section aria-labelledby="timeline"><div class="heading"><h2 id="timeline">Timeline</h2>${legend(view)}</div>
<p class="hidden">${formatDuration(busyMs(view))}${executions.length > 1 && `, in ${plural(executions.length, "execution")}`}</p>
<div class="axis">${axisSvg(axis, formatDuration(busyMs(view)))}</div>
<div class="steps">${planning.length > 0 && planningRow(view, axis)}${stepRows(view, axis)}</div></section>
${run.plan !== undefined && html`<section aria-labelledby="plan"><h2 id="plan">Plan</h2>${graphSvg(graphOf(run.plan, view), "The plan as a graph")}</section>`}
${run.plan !== undefined && earlierPlans.length > 0 && html`<section aria-labelledby="revisions"><h2 id="revisions">Revisions</h2>${revisions([...earlierPlans, run.plan])}</section>`}
${approvals.length > 0 && html`<section aria-labelledby="approvals"><h2 id="approvals">Approvals</h2>${approvalTable(view)}</section>`}
${modelCalls.length > 0 && html`<section aria-labelledby="models"><h2 id="models">Model calls</h2>${modelTable(view)}</section>`}
<footer>All times are UTC.</footer>`;
  return page(cutText(title, maxTitle), content);
}

function planningRow(view: RunView, axis: Axis): Html {
  const last = view.planning.at(-1);
  const status = last?.hasFailed ? "failed" : last?.endMs === undefined ? "planning" : "completed";
  return html`<details class="step"><summary>
<span class="what"><b>planning</b> <span class="tool">${view.run.plan?.source.planner ?? ""}</span></span>
<span class="how">${pill(status)}</span>
${barsSvg(view.planning, axis)}</summary><div class="inside">${sourceFacts(view)}${attemptList(view.planning, axis)}</div></details>`;
}

/** The time between executions. */
function pausedMs({ executions }: RunView): number {
  return executions.reduce((sum, { startMs }, index) => sum + startMs - (executions[index - 1]?.endMs ?? startMs), 0);
}

function facts(view: RunView): Html {
  const { run, modelCalls, executions } = view;
  const attempts = run.steps.reduce((sum, step) => sum + step.attempts, 0);
  const { usage } = run;
  const all: readonly (readonly [string, string])[] = [
    ["started", formatTime(run.createdAt)],
    ["forked from", describeFork(run)],
    ["ended", run.endedAt === undefined ? "" : formatTime(run.endedAt)],
    ["busy", formatDuration(busyMs(view))],
    ["waited", executions.length > 1 ? formatDuration(pausedMs(view)) : ""],
    ["executions", executions.length > 1 ? formatCount(executions.length) : ""],
    ["steps", formatCount(run.plan?.steps.length ?? 0)],
    ["attempts", formatCount(attempts)],
    ["model calls", usage === undefined ? "" : formatCount(modelCalls.length || usage.modelCalls)],
    [
      "tokens",
      usage === undefined ? "" : `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`,
    ],
    ["cost", usage?.cost === undefined ? "" : formatCost(usage.cost)],
  ];
  const shown = all.filter(([, value]) => value !== "");
  return html`<dl class="numbers">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function describeFork({ forkedFrom }: RunView["run"]): string {
  return forkedFrom === undefined ? "" : cutText(`${forkedFrom.runId}, event ${forkedFrom.after}`, 200);
}

function notices({ run, approvals }: RunView): Html {
  return html`${run.error !== undefined && html`<div class="notice bad"><b>${run.error.code}</b> ${formatValue(run.error.message, 2_000)}</div>`}
${waitsOf({ run, approvals }).map((text) => html`<div class="notice wait">Waits ${cutText(text, 500)}.</div>`)}
${(run.notUndone?.length ?? 0) > 0 && html`<div class="notice wait">Not undone: ${cutText(notUndone(run), 500)}.</div>`}`;
}

function notUndone({ notUndone: items = [] }: RunView["run"]): string {
  return items.map((item) => `${describeStepRef(item)} (${undoReasons[item.reason]})`).join(", ");
}

const undoReasons = {
  "no-undo": "its tool cannot undo",
  failed: "undoing it failed",
  unknown: "it may have done nothing",
  forked: "the run that this one was forked from has done it",
} as const;

function sourceFacts({ run: { plan } }: RunView): Html {
  if (plan === undefined) return html``;
  const { model, attempts, failures = [] } = plan.source;
  return html`<p class="facts">${[model, attempts === undefined ? undefined : plural(attempts, "answer")].filter((word) => word !== undefined).join(" · ")}</p>
${failures.map(({ code, message, planner }) => html`<p>${planner}: <code>${code}</code> ${cutText(message, 500)}</p>`)}`;
}

function legend({ bars, planning }: RunView): Html {
  const shownBars = [...planning, ...[...bars.values()].flat()];
  const kinds = new Set(shownBars.map(({ kind, hasFailed: isFailed }) => (isFailed ? "failed" : kind)));
  const entries = [
    ["planning", "planning"],
    ["attempt", "attempt"],
    ["attempt failed", "failed attempt"],
    ["backoff", "delay"],
    ["waiting", "waits for approval"],
    ["undo", "undo"],
  ] as const;
  const shown = entries.filter(([name]) => kinds.has(name === "attempt failed" ? "failed" : name));
  return html`<div class="legend">${shown.map(([name, text]) => html`<span><svg class="bars" aria-hidden="true"><rect class="${name}" width="100%"/></svg>${text}</span>`)}</div>`;
}

function approvalTable({ approvals }: RunView): Html {
  const rows = approvals.map(({ subject, status, by = "", at, comment = "" }) => [
    ...[subject, pill(status), cutText(by, maxText)],
    ...[at === undefined ? "" : formatTime(at), cutText(comment, maxComment)],
  ]);
  return table("Approvals", ["what", short("decision"), "by", short("when"), "comment"], rows);
}

function modelTable({ modelCalls }: RunView): Html {
  const rows = modelCalls
    .slice(0, maxCalls)
    .map(({ model, attempt, usage, durationMs, outcome }) => [
      ...[cutText(model, maxText), pill(outcome.status), String(attempt), formatDuration(durationMs)],
      ...[formatCount(usage.inputTokens), formatCount(usage.outputTokens)],
      usage.cost === undefined ? "" : formatCost(usage.cost),
    ]);
  const counted = ["attempt", "time", "tokens in", "tokens out", "cost"].map(numbers);
  const rest = modelCalls.length - maxCalls;
  return html`${table("Model calls", ["model", short("outcome"), ...counted], rows)}${rest > 0 && html`<p>… and ${plural(rest, "more call")}</p>`}`;
}
