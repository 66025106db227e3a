import type { Axis } from "./axis.ts";
import { formatDuration } from "./format.ts";
import { type Html, html } from "./html.ts";
import type { Bar } from "./timeline.ts";

/** More than these no eye tells apart, in a line. */
const maxBars = 200;
/** In percent: what took no time is seen, too. */
const minWidth = 0.4;

/** Patterns that the bars of a page are filled with, once for the page. */
export const patterns: Html = html`<svg class="defs" width="0" height="0" aria-hidden="true" focusable="false"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" class="hatch"/></pattern></defs></svg>`;

/** The bars of a line, with the pauses between executions behind them. */
export function barsSvg(bars: readonly Bar[], axis: Axis): Html {
  const shown = bars.length <= maxBars ? bars : sample(bars);
  const pauses = axis.pauses.map(
    ({ from, to }) => html`<rect class="pause" x="${percent(from)}" width="${percent(to - from)}" height="100%"/>`,
  );
  const rects = shown.map((bar) => {
    const start = axis.at(bar.startMs);
    const width = Math.max(minWidth, axis.at(bar.endMs ?? axis.endMs) - start);
    const kind = bar.hasFailed ? `${bar.kind} failed` : bar.kind;
    return html`<rect class="${kind}" x="${percent(Math.min(start, 100 - minWidth))}" width="${percent(width)}" y="2" height="12" rx="2"><title>${describe(bar, axis.endMs)}</title></rect>`;
  });
  return html`<svg class="bars" aria-hidden="true" focusable="false">${pauses}${rects}</svg>`;
}

function describe({ title, startMs, endMs, hasFailed }: Bar, nowMs: number): string {
  const duration = formatDuration(Math.max(0, (endMs ?? nowMs) - startMs));
  const how = hasFailed ? ", failed" : endMs === undefined ? ", under way" : "";
  return `${title}: ${duration}${how}`;
}

/** Every so-manieth bar, and those that failed. */
function sample(bars: readonly Bar[]): readonly Bar[] {
  const every = Math.ceil(bars.length / maxBars);
  return bars.filter((bar, index) => index % every === 0 || (bar.hasFailed && index % Math.ceil(every / 2) === 0));
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}
