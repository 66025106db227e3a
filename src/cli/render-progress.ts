import { cutText, printableJson } from "../core/text.ts";

const cells = 10;
const maxLength = 500;

/**
 * The progress that a tool reports, in one line: a bar for a number from 0 to 1, and for an object with `done`, `current`
 * or `loaded` of a `total`, a `percent`, or a `progress` from 0 to 1. Anything else, and what else an object has, is JSON.
 */
export function renderProgress(value: unknown): string {
  const { fraction, rest } = readProgress(value);
  const shown = [fraction === undefined ? "" : renderBar(fraction), rest === undefined ? "" : printableJson(rest)];
  return cutText(shown.filter((text) => text !== "").join(" "), maxLength);
}

interface Progress {
  /** From 0 to 1; undefined if the value does not say. */
  readonly fraction?: number;
  /** What the bar does not show. */
  readonly rest?: unknown;
}

const countNames = ["done", "current", "loaded"] as const;

function readProgress(value: unknown): Progress {
  if (isFraction(value)) return { fraction: value };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { rest: value };
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const name = countNames.find((key) => fields[key] !== undefined);
  const ways = [
    { names: [name ?? "", "total"], fraction: divide(fields[name ?? ""], fields.total) },
    { names: ["percent"], fraction: divide(fields.percent, 100) },
    { names: ["progress"], fraction: fields.progress },
  ];
  for (const { names, fraction } of ways) {
    if (!isFraction(fraction)) continue;
    const others = Object.entries(fields).filter(([key]) => !names.includes(key));
    return { fraction, ...(others.length > 0 && { rest: Object.fromEntries(others) }) };
  }
  return { rest: value };
}

function divide(part: unknown, total: unknown): number {
  return typeof part === "number" && typeof total === "number" && total > 0 ? part / total : Number.NaN;
}

function isFraction(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function renderBar(fraction: number): string {
  // 0.29 × 100 is a little less than 29.
  const percent = Math.floor(fraction * 100 + 1e-9);
  const full = Math.floor((percent * cells) / 100);
  return `[${"█".repeat(full)}${"░".repeat(cells - full)}] ${percent} %`;
}
