import type { StepRecord } from "../core/run-result.ts";
import { cutText, formatCost, formatCount, formatDuration, formatTime, plural } from "./format.ts";
import { type Html, html } from "./html.ts";
import { page } from "./page.ts";
import { isFailedRun, table } from "./run-page.ts";
import { nameOf, type RunView } from "./run-view.ts";
import { toneOf } from "./tone.ts";

const maxText = 120;
const maxSlowest = 10;
const maxRows = 1_000;

/** The page of many runs: what failed, what waits, what is slow, and what it cost. */
export function indexPage(views: readonly RunView[]): string {
  const failed = views.filter(isFailedRun);
  const waiting = views.filter(({ run }) => run.status === "suspended");
  const title = plural(views.length, "run");
  const section = (name: string, content: Html | false): Html => {
    if (content === false) return html``;
    const id = name.toLowerCase().replaceAll(" ", "-");
    return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>${content}</section>`;
  };
  const content = html`<header><h1>${title}</h1>${counts(views)}</header>
${section("What failed", failed.length > 0 && failedTable(failed))}
${section("What waits", waiting.length > 0 && waitingTable(waiting))}
${section("Slowest steps", slowest(views))}
${section("Tools", tools(views))}
${section("Models", models(views))}
${section("All runs", runTable(views))}
<footer>All times are UTC.</footer>`;
  return page(title, content);
}

function counts(views: readonly RunView[]): Html {
  const byStatus = new Map<string, number>();
  for (const { run } of views) byStatus.set(run.status, (byStatus.get(run.status) ?? 0) + 1);
  const cost = views.reduce((sum, { run }) => sum + (run.usage?.cost ?? 0), 0);
  const facts = [
    ...[...byStatus].map(([name, count]) => [name, formatCount(count)]),
    ...(cost > 0 ? [["cost", formatCost(cost)]] : []),
  ];
  return html`<dl class="numbers">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function nameCell({ run }: RunView): Html {
  return html`<td>${cutText(run.request || "a plan", maxText)}<br><code>${run.runId}</code></td>`;
}

function failedTable(views: readonly RunView[]): Html {
  const rows = views.slice(0, maxRows).map((view) => {
    const { error } = view.run;
    return html`<tr>${nameCell(view)}<td><code>${error?.code ?? ""}</code></td><td>${cutText(error?.message ?? "", 300)}</td><td>${formatTime(view.updatedAt)}</td></tr>`;
  });
  return table(["run", "code", "message", "when"], rows);
}

function waitingTable(views: readonly RunView[]): Html {
  const rows = views.slice(0, maxRows).map((view) => {
    const subjects = view.approvals.filter(({ status }) => status === "waiting").map(({ subject }) => subject);
    return html`<tr>${nameCell(view)}<td>${cutText(subjects.join(", "), 300)}</td><td>${formatTime(view.updatedAt)}</td></tr>`;
  });
  return table(["run", "for a decision about", "since"], rows);
}

interface Timed {
  readonly view: RunView;
  readonly record: StepRecord;
  readonly ms: number;
}

function slowest(views: readonly RunView[]): Html | false {
  const timed = views.flatMap((view) =>
    view.run.steps.map((record): Timed => ({ view, record, ms: durationOf(record) })),
  );
  const slow = timed
    .filter(({ ms }) => ms > 0)
    .sort((one, other) => other.ms - one.ms)
    .slice(0, maxSlowest);
  const rows = slow.map(
    ({ view, record, ms }) =>
      html`<tr>${nameCell(view)}<td>${nameOf(record)}</td><td>${record.tool}</td><td>${formatDuration(ms)}</td><td>${plural(record.attempts, "attempt")}</td></tr>`,
  );
  return rows.length > 0 && table(["run", "step", "tool", "time", "attempts"], rows);
}

function durationOf({ startedAt, completedAt }: StepRecord): number {
  return startedAt === undefined || completedAt === undefined ? 0 : Date.parse(completedAt) - Date.parse(startedAt);
}

function tools(views: readonly RunView[]): Html | false {
  const sums = new Map<string, { steps: number; failed: number; attempts: number; ms: number }>();
  for (const record of views.flatMap(({ run }) => run.steps)) {
    const sum = sums.get(record.tool) ?? { steps: 0, failed: 0, attempts: 0, ms: 0 };
    sums.set(record.tool, sum);
    sum.steps += record.startedAt === undefined ? 0 : 1;
    sum.failed += record.status === "failed" || record.status === "unknown" ? 1 : 0;
    sum.attempts += record.attempts;
    sum.ms += durationOf(record);
  }
  const rows = [...sums].map(
    ([tool, { steps, failed, attempts, ms }]) =>
      html`<tr><td>${tool}</td><td>${formatCount(steps)}</td><td>${formatCount(failed)}</td><td>${formatCount(attempts)}</td><td>${formatDuration(steps === 0 ? 0 : ms / steps)}</td></tr>`,
  );
  return rows.length > 0 && table(["tool", "steps", "failed", "attempts", "mean time"], rows);
}

/** Runs that were not read from their events tell of the models that made their plan. */
function models(views: readonly RunView[]): Html | false {
  const sums = new Map<string, { calls: number; tokens: number; cost: number }>();
  for (const { modelCalls, run } of views) {
    const calls =
      modelCalls.length > 0
        ? modelCalls.map(({ model, usage }) => ({ ...usage, model }))
        : (run.plan?.source.calls ?? []);
    for (const { model, inputTokens, outputTokens, cost = 0 } of calls) {
      const sum = sums.get(model) ?? { calls: 0, tokens: 0, cost: 0 };
      sums.set(model, { calls: sum.calls + 1, tokens: sum.tokens + inputTokens + outputTokens, cost: sum.cost + cost });
    }
  }
  const rows = [...sums].map(
    ([model, { calls, tokens, cost }]) =>
      html`<tr><td>${model}</td><td>${formatCount(calls)}</td><td>${formatCount(tokens)}</td><td>${formatCost(cost)}</td></tr>`,
  );
  return rows.length > 0 && table(["model", "calls", "tokens", "cost"], rows);
}

function runTable(views: readonly RunView[]): Html {
  const rows = views.slice(0, maxRows).map((view) => {
    const { status, createdAt, plan } = view.run;
    return html`<tr>${nameCell(view)}<td><span class="pill ${toneOf(status)}">${status}</span></td><td>${formatTime(createdAt)}</td><td>${formatCount(plan?.steps.length ?? 0)}</td></tr>`;
  });
  const rest = views.length - maxRows;
  return html`${table(["run", "status", "started", "steps"], rows)}${rest > 0 && html`<p>… and ${plural(rest, "more run")}</p>`}`;
}
