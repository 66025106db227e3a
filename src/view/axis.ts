import type { Execution } from "./timeline.ts";

/** Where a time stands, in percent of the width. */
export interface Axis {
  readonly at: (ms: number) => number;
  /** The pauses between executions. */
  readonly pauses: readonly { readonly from: number; readonly to: number; readonly ms: number }[];
  readonly endMs: number;
}

/** How much of the width a pause between executions has, however long it was, and all of them together at most. */
const pauseWidth = 4;
const maxPauses = 40;

/**
 * A scale of time without the pauses between executions: a run may wait for days between two steps of a second. Each
 * execution has a part of the width by its duration, each pause the same small part.
 */
export function axisOf(executions: readonly Execution[], endMs: number): Axis {
  const parts = executions.map(({ startMs, endMs: end = endMs }) => ({ startMs, endMs: Math.max(startMs, end) }));
  const total = parts.reduce((sum, part) => sum + part.endMs - part.startMs, 0) || 1;
  const pause = Math.min(pauseWidth, maxPauses / Math.max(1, parts.length - 1));
  const width = 100 - pause * Math.max(0, parts.length - 1);
  const pauses: { from: number; to: number; ms: number }[] = [];
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
  return { at, pauses, endMs };
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
