import { cutText } from "../core/text.ts";

/** A duration as people say it: `480 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 1 : 0))} s`;
  for (const [name, size, small, part] of units) {
    if (ms < size) continue;
    const whole = Math.floor(ms / size);
    const rest = Math.floor((ms % size) / part);
    return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${small}`;
  }
  return `${Math.round(ms / 1_000)} s`;
}

const units = [
  ["d", 86_400_000, "h", 3_600_000],
  ["h", 3_600_000, "min", 60_000],
  ["min", 60_000, "s", 1_000],
] as const;

/** A time as `2026-11-24 08:15:19`, UTC. */
export function formatTime(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}

/** A number with groups of three digits: `12 345`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A cost with as many digits as say something. */
export function formatCost(cost: number): string {
  return String(Number(cost.toPrecision(3)));
}

/** `1 step`, `2 steps`. */
export function plural(count: number, name: string): string {
  return `${formatCount(count)} ${name}${count === 1 ? "" : "s"}`;
}

/** A value as text, cut with its length. */
export function formatValue(value: unknown, maxLength: number): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return text.length <= maxLength
    ? text
    : `${cutText(text, maxLength, "")}\n… (${formatCount(text.length)} characters in all)`;
}
