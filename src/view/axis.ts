import { formatDuration } from "./format.ts";
import type { Execution } from "./timeline.ts";

/** A pause between two executions, from and to in percent of the width. */
export interface Pause {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

/** A line across the timeline with the time since the start, pauses not counted. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** Where a time stands, in percent of the width. */
export interface Axis {
  readonly at: (ms: number) => number;
  readonly pauses: readonly Pause[];
  readonly ticks: readonly Tick[];
  readonly endMs: number;
}

/** How much of the width a pause between executions has, however long it was, and all of them together at most. */
const pauseWidth = 5;
const maxPauses = 40;
/** About so many intervals between the ticks. */
const intervals = 5;

/**
 * A scale of time without the pauses between executions: a run may wait for days between two steps of a second. Each
 * execution has a part of the width by its duration, each pause the same small part.
 */
export function axisOf(executions: readonly Execution[], endMs: number): Axis {
  const parts = executions.map(({ startMs, endMs: end = endMs }) => ({ startMs, endMs: Math.max(startMs, end) }));
  const total = parts.reduce((sum, part) => sum + part.endMs - part.startMs, 0) || 1;
  const pause = Math.min(pauseWidth, maxPauses / Math.max(1, parts.length - 1));
  const width = 100 - pause * Math.max(0, parts.length - 1);
  const pauses: Pause[] = [];
  const starts: number[] = [];
  let position = 0;
  for (const [index, { startMs }] of parts.entries()) {
    const before = parts[index - 1];
    if (before !== undefined) {
      pauses.push({ from: position, to: position + pause, ms: startMs - before.endMs });
      position += pause;
    }
    starts.push(position);
    position += (((parts[index]?.endMs ?? startMs) - startMs) / total) * width;
  }
  const at = (ms: number) => {
    const index = Math.max(0, lastBefore(parts, ms));
    const part = parts[index];
    if (part === undefined) return 0;
    const within = Math.min(Math.max(0, ms - part.startMs), part.endMs - part.startMs);
    const next = starts[index + 1];
    // Within a pause, what waits reaches into it.
    const isPause = ms > part.endMs && next !== undefined;
    const share = isPause ? (ms - part.endMs) / Math.max(1, (parts[index + 1]?.startMs ?? ms) - part.endMs) : 0;
    return (starts[index] ?? 0) + (within / total) * width + share * pause;
  };
  return { at, pauses, ticks: ticksOf(total, { width, pause, pauses }), endMs };
}

interface Scale {
  /** Of all executions, in percent. */
  readonly width: number;
  /** Of one pause. */
  readonly pause: number;
  readonly pauses: readonly Pause[];
}

/** Ticks at round times. */
function ticksOf(total: number, { width, pause, pauses }: Scale): readonly Tick[] {
  const step = roundStep(total / intervals);
  const ticks: Tick[] = [];
  for (let ms = step; ms < total; ms += step) {
    const busy = (ms / total) * width;
    const before = pauses.filter(({ from }, index) => from - index * pause <= busy);
    ticks.push({ at: busy + before.length * pause, label: formatDuration(ms) });
  }
  return ticks;
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const longSteps = [
  ...[10 * second, 15 * second, 30 * second],
  ...[minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 6 * hour, 12 * hour],
];

/** The shortest round time that is not shorter than `ms`. */
function roundStep(ms: number): number {
  if (ms > 5 * second) return longSteps.find((step) => step >= ms) ?? Math.ceil(ms / day) * day;
  const size = 10 ** Math.floor(Math.log10(Math.max(1, ms)));
  return [1, 2, 5].map((factor) => factor * size).find((step) => step >= ms) ?? 10 * size;
}

/** By halves: a run may have been resumed a thousand times. */
function lastBefore(parts: readonly { readonly startMs: number }[], ms: number): number {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.startMs ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
