import type { AgentEvent, AgentEventOf } from "../core/events.ts";
import { addTo } from "../core/lists.ts";
import { describeStepRef, type StepRef } from "../core/step.ts";
import { cutText } from "../core/text.ts";
import { formatDuration, type Html, html } from "./html.ts";

export interface Bar {
  readonly kind: "attempt" | "backoff" | "waiting" | "planning" | "undo";
  readonly startMs: number;
  /** Undefined while it is under way. */
  readonly endMs?: number;
  readonly hasFailed?: boolean;
  readonly title: string;
  readonly message?: string;
}

export interface Execution {
  startMs: number;
  endMs?: number;
}

type Open = Pick<Bar, "kind" | "startMs" | "title">;

export class Timeline {
  readonly bars = new Map<string, Bar[]>();
  readonly planning: Bar[] = [];
  readonly executions: Execution[] = [];
  private readonly open = new Map<string, Open>();
  private planningStart: number | undefined;
  /** Time at which the first model was called since the last plan: a replan has no event when it starts. */
  private modelStart: number | undefined;

  follow(event: AgentEvent): void {
    const ms = Date.parse(event.timestamp);
    const execution = this.executions.at(-1);
    // In a fork, what was taken over happened before the run was created.
    if (execution !== undefined && ms < execution.startMs) execution.startMs = ms;
    switch (event.type) {
      case "run-start":
      case "run-resume":
        this.executions.push({ startMs: ms });
        break;
      case "run-suspend":
      case "run-end":
        if (execution !== undefined) execution.endMs = ms;
        break;
      case "plan-start":
        this.planningStart = ms;
        break;
      case "model-end":
        this.modelStart ??= ms - event.durationMs;
        break;
      case "plan-end":
      case "plan-revise":
        this.endPlanning(event, ms);
        break;
      case "step-start":
      case "undo-start":
        this.begin(event, { kind: event.type === "step-start" ? "attempt" : "undo", startMs: ms });
        break;
      case "step-retry":
        this.retry(event, ms);
        break;
      case "step-end":
      case "undo-end":
        this.end(event, ms, event.outcome.status === "failed" || event.outcome.status === "unknown");
        break;
      case "approval-request":
        if (event.kind === "step")
          this.open.set(describeStepRef(event), { kind: "waiting", startMs: ms, title: "waits for approval" });
        break;
      case "approval-end":
        if (event.kind === "step") this.end(event, ms, false);
        break;
    }
  }

  private begin(event: StepRef, { kind, startMs }: Pick<Open, "kind" | "startMs">): void {
    const name = describeStepRef(event);
    // Its start stayed open when the process died.
    if (this.open.has(name)) this.end(event, startMs, true);
    this.open.set(name, { kind, startMs, title: kind === "undo" ? "undo" : "attempt 1" });
  }

  /** The next attempt starts after the delay, which only a transient event would say. */
  private retry(event: AgentEventOf<"step-retry">, ms: number): void {
    const name = describeStepRef(event);
    this.end(event, ms, true, event.error.message);
    const backoffEnd = ms + event.delayMs;
    this.add(name, { kind: "backoff", startMs: ms, endMs: backoffEnd, title: "delay before the next attempt" });
    const title = `${event.undo ? "undo, " : ""}attempt ${event.attempt + 1}`;
    this.open.set(name, { kind: event.undo ? "undo" : "attempt", startMs: backoffEnd, title });
  }

  private end(event: StepRef, endMs: number, hasFailed: boolean, message?: string): void {
    const name = describeStepRef(event);
    const open = this.open.get(name);
    if (open === undefined) return;
    this.open.delete(name);
    const { kind, startMs, title } = open;
    // It may have been cut off during the delay.
    if (startMs > endMs) return;
    this.add(name, { kind, startMs, endMs, title, ...(hasFailed && { hasFailed }), ...(message && { message }) });
  }

  private endPlanning(event: AgentEventOf<"plan-end" | "plan-revise">, endMs: number): void {
    const isRevision = event.type === "plan-revise";
    const startMs = (isRevision ? this.modelStart : this.planningStart) ?? endMs;
    const title = isRevision ? `replan ${event.replan}` : "planning";
    const hasFailed = event.outcome.status === "failed";
    this.planning.push({ kind: "planning", startMs, endMs, title, ...(hasFailed && { hasFailed }) });
    this.planningStart = undefined;
    this.modelStart = undefined;
  }

  close(): void {
    for (const [name, { kind, startMs, title }] of this.open) this.add(name, { kind, startMs, title });
    this.open.clear();
    if (this.planningStart !== undefined) {
      this.planning.push({ kind: "planning", startMs: this.planningStart, title: "planning" });
    }
  }

  private add(name: string, bar: Bar): void {
    addTo(this.bars, name, bar);
  }
}

interface Pause {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Axis {
  readonly at: (ms: number) => number;
  readonly pauses: readonly Pause[];
  readonly ticks: readonly Tick[];
  readonly endMs: number;
}

/** The share of the width of a pause between executions, however long it was, and of all pauses together at most. */
const pauseWidth = 5;
const maxPauses = 40;
const intervals = 5;

/** A run may wait for days between two steps of a second, so each pause between executions has the same small part of the width. */
export function createAxis(executions: readonly Execution[], endMs: number): Axis {
  const spans = executions.map(({ startMs, endMs: end = endMs }) => ({ startMs, endMs: Math.max(startMs, end) }));
  const total = spans.reduce((sum, span) => sum + span.endMs - span.startMs, 0) || 1;
  const pause = Math.min(pauseWidth, maxPauses / Math.max(1, spans.length - 1));
  const width = 100 - pause * Math.max(0, spans.length - 1);
  let position = -pause;
  const parts = spans.map((span) => {
    const from = position + pause;
    position = from + ((span.endMs - span.startMs) / total) * width;
    return { ...span, from, to: position };
  });
  const pauses = parts.slice(1).map(({ from, startMs }, index): Pause => {
    const { to, endMs: pausedMs } = parts[index] as (typeof parts)[number];
    return { from: to, to: from, ms: startMs - pausedMs };
  });
  const at = (ms: number) => {
    const index = parts.findLastIndex(({ startMs }) => startMs <= ms);
    const [part, next] = parts.slice(Math.max(0, index), Math.max(0, index) + 2);
    if (part === undefined) return 0;
    const within = Math.min(Math.max(0, ms - part.startMs), part.endMs - part.startMs);
    // Within a pause, what waits reaches into it.
    const isPause = ms > part.endMs && next !== undefined;
    const share = isPause ? (ms - part.endMs) / Math.max(1, next.startMs - part.endMs) : 0;
    return part.from + (within / total) * width + share * pause;
  };
  const step = roundStep(total / intervals);
  const ticks: Tick[] = [];
  for (let ms = step; ms < total; ms += step) {
    const busy = (ms / total) * width;
    const before = pauses.filter(({ from }, index) => from - index * pause <= busy);
    ticks.push({ at: busy + before.length * pause, label: formatDuration(ms) });
  }
  return { at, pauses, ticks, endMs };
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const longSteps = [
  ...[10 * second, 15 * second, 30 * second],
  ...[minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 6 * hour, 12 * hour],
];

function roundStep(ms: number): number {
  if (ms > 5 * second) return longSteps.find((step) => step >= ms) ?? Math.ceil(ms / day) * day;
  const size = 10 ** Math.floor(Math.log10(Math.max(1, ms)));
  return [1, 2, 5].map((factor) => factor * size).find((step) => step >= ms) ?? 10 * size;
}

/** No eye can tell more bars than these apart in a line. */
const maxBars = 200;
/** In percent: what took no time is seen, too. */
const minWidth = 0.4;
/** The width of a label of the axis on a phone, in percent. */
const labelWidth = 14;
const maxMessage = 200;

export function renderBarDefinitions({ ticks, pauses }: Axis): Html {
  const lines = ticks.map(({ at }) => html`<rect class="tick" x="${percent(at)}" width="1" height="100%"/>`);
  const bands = pauses.map(
    ({ from, to }) => html`<rect class="pause" x="${percent(from)}" width="${percent(to - from)}" height="100%"/>`,
  );
  return html`<svg class="defs" width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" class="hatch"/></pattern><symbol id="time">${lines}${bands}</symbol></defs></svg>`;
}

export function renderBars(bars: readonly Bar[], axis: Axis): Html {
  const shown = bars.length <= maxBars ? bars : sample(bars);
  const rects = shown.map((bar) => {
    const start = axis.at(bar.startMs);
    const width = Math.max(minWidth, axis.at(bar.endMs ?? axis.endMs) - start);
    const kind = bar.hasFailed ? `${bar.kind} failed` : bar.kind;
    return html`<rect class="${kind}" x="${percent(Math.min(start, 100 - minWidth))}" width="${percent(width)}"><title>${describeBar(bar, axis.endMs)}</title></rect>`;
  });
  return html`<svg class="bars" aria-hidden="true"><use href="#time"/>${rects}</svg>`;
}

/** The times above the bars; where there is little room, every second one is left out. */
export function renderAxis({ ticks, pauses }: Axis, end: string): Html {
  const labels = pauses.length <= 3 ? pauses.map((one) => ({ at: (one.from + one.to) / 2, ms: one.ms })) : [];
  const taken = [...labels.map(({ at }) => at), 100 - labelWidth / 2];
  const free = ticks.filter(({ at }) => taken.every((other) => Math.abs(at - other) > labelWidth / 2));
  const times = free.map(
    ({ at, label }, index) =>
      html`<text class="${index % 2 === 0 ? "minor" : ""}" x="${percent(at)}" y="13">${label}</text>`,
  );
  const waits = labels.map(
    ({ at, ms }) => html`<text class="wait" x="${percent(at)}" y="13">${formatDuration(ms)}</text>`,
  );
  return html`<svg class="times" aria-hidden="true"><text class="first" x="0" y="13">0</text>${times}${waits}<text class="last" x="100%" y="13">${end}</text></svg>`;
}

export function describeBar({ title, startMs, endMs, hasFailed, message }: Bar, nowMs: number): string {
  const duration = formatDuration(Math.max(0, (endMs ?? nowMs) - startMs));
  const how = hasFailed ? ", failed" : endMs === undefined ? ", under way" : "";
  return `${title}: ${duration}${how}${message === undefined ? "" : `: ${cutText(message, maxMessage)}`}`;
}

function sample(bars: readonly Bar[]): readonly Bar[] {
  const every = Math.ceil(bars.length / maxBars);
  return bars.filter((bar, index) => index % every === 0 || (bar.hasFailed && index % Math.ceil(every / 2) === 0));
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}
