import { cutText } from "../core/text.ts";
import type { Axis } from "./axis.ts";
import { formatDuration } from "./format.ts";
import { type Html, html } from "./html.ts";
import type { Bar } from "./timeline.ts";

/** More than these no eye tells apart, in a line. */
const maxBars = 200;
/** In percent: what took no time is seen, too. */
const minWidth = 0.4;
/** How many percent of the width the label of the axis has on a phone. */
const labelWidth = 14;
const maxMessage = 200;

/** What the bars of a page are filled with and stand before, once for the page: a pattern, and the lines and pauses of time. */
export function barDefinitions({ ticks, pauses }: Axis): Html {
  const lines = ticks.map(({ at }) => html`<rect class="tick" x="${percent(at)}" width="1" height="100%"/>`);
  const bands = pauses.map(
    ({ from, to }) => html`<rect class="pause" x="${percent(from)}" width="${percent(to - from)}" height="100%"/>`,
  );
  return html`<svg class="defs" width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" class="hatch"/></pattern><symbol id="time">${lines}${bands}</symbol></defs></svg>`;
}

/** The bars of a line. */
export function barsSvg(bars: readonly Bar[], axis: Axis): Html {
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
export function axisSvg({ ticks, pauses }: Axis, end: string): Html {
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

/** A bar in words. */
export function describeBar({ title, startMs, endMs, hasFailed, message }: Bar, nowMs: number): string {
  const duration = formatDuration(Math.max(0, (endMs ?? nowMs) - startMs));
  const how = hasFailed ? ", failed" : endMs === undefined ? ", under way" : "";
  return `${title}: ${duration}${how}${message === undefined ? "" : `: ${cutText(message, maxMessage)}`}`;
}

/** Every so-manieth bar, and those that failed. */
function sample(bars: readonly Bar[]): readonly Bar[] {
  const every = Math.ceil(bars.length / maxBars);
  return bars.filter((bar, index) => index % every === 0 || (bar.hasFailed && index % Math.ceil(every / 2) === 0));
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}
