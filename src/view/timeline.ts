import { type AgentEvent, type AgentEventOf, type EventHandlers, handleEvent } from "../core/events.ts";
import { addTo } from "../core/lists.ts";
import { describeStepRef, type StepRef } from "../core/step.ts";
import { cutText } from "../core/text.ts";
import { formatDuration, type Html, html } from "./html.ts";

export interface Bar {
  readonly kind: "attempt" | "backoff" | "waiting" | "planning" | "undo";
  readonly startMs: number;
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
  readonly #open = new Map<string, Open>();
  #planningStart: number | undefined;
  /** Approximates the start of a replan, which is not recorded, by the first model call since the last plan. */
  #modelStart: number | undefined;

  follow(event: AgentEvent): void {
    const execution = this.executions.at(-1);
    // In a fork, the events of the original run precede the creation of the fork.
    if (execution !== undefined) execution.startMs = Math.min(execution.startMs, timeOf(event));
    handleEvent(this.#handlers, event);
  }

  readonly #handlers: EventHandlers = {
    "run-start": (event) => this.#startExecution(event),
    "run-resume": (event) => this.#startExecution(event),
    "run-suspend": (event) => this.#endExecution(event),
    "run-end": (event) => this.#endExecution(event),
    "plan-start": (event) => {
      this.#planningStart = timeOf(event);
    },
    "model-end": (event) => {
      this.#modelStart ??= timeOf(event) - event.durationMs;
    },
    "plan-end": (event) => this.#endPlanning(event, this.#planningStart, "planning"),
    "plan-revise": (event) => this.#endPlanning(event, this.#modelStart, `replan ${event.replan}`),
    "step-start": (event) => this.#begin(event, { kind: "attempt", title: "attempt 1" }),
    "undo-start": (event) => this.#begin(event, { kind: "undo", title: "undo" }),
    "step-retry": (event) => this.#retry(event),
    "step-end": (event) => this.#end(event, hasFailed(event.outcome.status)),
    "undo-end": (event) => this.#end(event, hasFailed(event.outcome.status)),
    "approval-request": (event) => {
      const waiting = { kind: "waiting", startMs: timeOf(event), title: "waits for approval" } as const;
      if (event.kind === "step") this.#open.set(describeStepRef(event), waiting);
    },
    "approval-end": (event) => {
      if (event.kind === "step") this.#end(event, false);
    },
  };

  #startExecution(event: AgentEvent): void {
    this.executions.push({ startMs: timeOf(event) });
  }

  #endExecution(event: AgentEvent): void {
    const execution = this.executions.at(-1);
    if (execution !== undefined) execution.endMs = timeOf(event);
  }

  #begin(event: AgentEventOf<"step-start" | "undo-start">, bar: Pick<Open, "kind" | "title">): void {
    const name = describeStepRef(event);
    // The process died during an earlier attempt.
    if (this.#open.has(name)) this.#end(event, true);
    this.#open.set(name, { ...bar, startMs: timeOf(event) });
  }

  #retry(event: AgentEventOf<"step-retry">): void {
    const { attempt, delayMs, undo, error } = event;
    this.#end(event, true, error.message);
    const [startMs, endMs] = [timeOf(event), timeOf(event) + delayMs];
    const name = describeStepRef(event);
    addTo(this.bars, name, { kind: "backoff", startMs, endMs, title: "delay before the next attempt" });
    const title = `${undo ? "undo, " : ""}attempt ${attempt + 1}`;
    this.#open.set(name, { kind: undo ? "undo" : "attempt", startMs: endMs, title });
  }

  #end(event: AgentEvent & StepRef, hasFailed: boolean, message?: string): void {
    const name = describeStepRef(event);
    const open = this.#open.get(name);
    if (open === undefined) return;
    this.#open.delete(name);
    const endMs = timeOf(event);
    if (open.startMs > endMs) return;
    addTo(this.bars, name, { ...open, endMs, ...(hasFailed && { hasFailed }), ...(message && { message }) });
  }

  #endPlanning(event: AgentEventOf<"plan-end" | "plan-revise">, start: number | undefined, title: string): void {
    const endMs = timeOf(event);
    const failure = event.outcome.status === "failed" ? { hasFailed: true } : {};
    this.planning.push({ kind: "planning", startMs: start ?? endMs, endMs, title, ...failure });
    this.#planningStart = undefined;
    this.#modelStart = undefined;
  }

  close(): void {
    for (const [name, open] of this.#open) addTo(this.bars, name, open);
    this.#open.clear();
    if (this.#planningStart !== undefined)
      this.planning.push({ kind: "planning", startMs: this.#planningStart, title: "planning" });
  }
}

function timeOf({ timestamp }: AgentEvent): number {
  return Date.parse(timestamp);
}

export function hasFailed(status: string): boolean {
  return status === "failed" || status === "unknown";
}

const pauseWidth = 5;
const maxPauses = 40;
const intervals = 5;

export type Axis = ReturnType<typeof createAxis>;

/** A run may wait for days between steps that take a second, so each pause gets the same small width. */
export function createAxis(executions: readonly Execution[], endMs: number) {
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
  const pauses = parts.slice(1).map(({ from, startMs }, index) => {
    const { to, endMs: pausedMs } = parts[index] as (typeof parts)[number];
    return { from: to, to: from, ms: startMs - pausedMs };
  });
  const at = (ms: number) => {
    const index = parts.findLastIndex(({ startMs }) => startMs <= ms);
    const [part, next] = parts.slice(Math.max(0, index), Math.max(0, index) + 2);
    if (part === undefined) return 0;
    const within = Math.min(Math.max(0, ms - part.startMs), part.endMs - part.startMs);
    const isPause = ms > part.endMs && next !== undefined;
    const share = isPause ? (ms - part.endMs) / Math.max(1, next.startMs - part.endMs) : 0;
    return part.from + (within / total) * width + share * pause;
  };
  const step = roundStep(total / intervals);
  const ticks: { readonly at: number; readonly label: string }[] = [];
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

const maxBars = 200;
const minWidth = 0.4;
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
