import type { AgentEvent } from "../core/events.ts";
import { describeStepRef, type StepRef } from "../core/step.ts";
import { cutText, printable, printableJson } from "../core/text.ts";
import { cutToColumns, getColumns, padToColumns } from "./printer.ts";
import { nameStep } from "./render-run.ts";

const maxNameColumns = 40;
const maxName = 200;

/** A step or a planning that is running, or waits for an approval. */
interface Activity {
  readonly name: string;
  readonly kind: "planning" | "running" | "approval" | "undoing";
  /** Time of its start in milliseconds since 1970, or NaN if that is not known. */
  readonly sinceMs: number;
  readonly attempt: number;
  /** Time at which that attempt starts, if it has not yet. */
  readonly nextMs?: number | undefined;
  /** The last report of the tool, or the planner. */
  readonly progress?: string | undefined;
}

/** Follows the events of a run, and has a line for each step that is running or waiting at the moment. */
export class ActiveSteps {
  private readonly activities = new Map<string, Activity>();

  /** `now` is in milliseconds since 1970, as the timestamps of the events. */
  constructor(private readonly now: () => number) {}

  /** Takes note of an event. */
  follow(event: AgentEvent): void {
    switch (event.type) {
      case "run-resume":
      case "run-suspend":
        // A process that died has ended nothing; what waits for an approval still does.
        for (const [key, { kind }] of this.activities) if (kind !== "approval") this.activities.delete(key);
        break;
      case "run-end":
        this.activities.clear();
        break;
      case "plan-start":
        this.start(planning, event, "planning", "planning");
        break;
      case "plan-delta":
        this.change(planning, { progress: cutText(printable(`${event.step.id} ${event.step.tool}`), maxName) });
        break;
      case "plan-end":
        this.activities.delete(planning);
        break;
      case "approval-request":
        if (event.kind === "plan") this.start(wholePlan, event, "the plan", "approval");
        else this.start(getKey(event), event, nameStep(event), "approval");
        break;
      case "approval-end":
        this.activities.delete(event.kind === "plan" ? wholePlan : getKey(event));
        break;
      case "step-start":
        this.start(getKey(event), event, nameStep(event), "running");
        break;
      case "undo-start":
        this.start(getKey(event), event, nameStep(event), "undoing");
        break;
      case "step-progress":
        this.change(getKey(event), { progress: renderProgress(event.value) });
        break;
      case "step-retry": {
        // Another process does not say when the next attempt starts.
        const nextMs = Date.parse(event.timestamp) + event.delayMs;
        this.change(getKey(event), { attempt: event.attempt + 1, nextMs, progress: undefined });
        break;
      }
      case "step-attempt":
        this.change(getKey(event), { attempt: event.attempt, nextMs: undefined, progress: undefined });
        break;
      case "step-end":
      case "step-skip":
      case "undo-end":
        this.activities.delete(getKey(event));
        break;
    }
  }

  private start(key: string, { timestamp }: AgentEvent, name: string, kind: Activity["kind"]): void {
    const sinceMs = Date.parse(timestamp);
    this.activities.set(key, { name: cutToColumns(cutText(name, maxName), maxNameColumns), kind, sinceMs, attempt: 1 });
  }

  private change(key: string, changed: Partial<Activity>): void {
    const known = this.activities.get(key);
    if (known !== undefined) this.activities.set(key, { ...known, ...changed });
  }

  /** Renders a line for each, in the order in which they started. `spinner` is in front of what is running. */
  lines(spinner: string): readonly string[] {
    const nowMs = this.now();
    const rows = [...this.activities.values()].map((activity) => ({
      mark: getMark(activity, nowMs) ?? spinner,
      name: activity.name,
      elapsed: renderElapsed(nowMs - activity.sinceMs),
      detail: describe(activity, nowMs),
    }));
    const nameColumns = Math.max(0, ...rows.map(({ name }) => getColumns(name)));
    const elapsedColumns = Math.max(0, ...rows.map(({ elapsed }) => elapsed.length));
    return rows.map(({ mark, name, elapsed, detail }) =>
      `  ${mark} ${padToColumns(name, nameColumns)}  ${elapsed.padStart(elapsedColumns)}  ${detail}`.trimEnd(),
    );
  }
}

const planning = "planning";
const wholePlan = "the plan";

function getKey(ref: StepRef): string {
  return `step ${describeStepRef(ref)}`;
}

/** The mark of what waits, as in front of the lines of its events. */
function getMark({ kind, nextMs = 0 }: Activity, nowMs: number): string | undefined {
  if (kind === "approval") return "?";
  return nextMs > nowMs ? "↻" : undefined;
}

function describe({ kind, attempt, nextMs = 0, progress }: Activity, nowMs: number): string {
  if (kind === "approval") return "waiting for approval";
  const parts = kind === "undoing" ? ["undoing"] : [];
  if (nextMs > nowMs) parts.push(`attempt ${attempt} in ${renderElapsed(nextMs - nowMs + 999)}`);
  else if (attempt > 1) parts.push(`attempt ${attempt}`);
  if (progress !== undefined) parts.push(progress);
  return parts.join("  ");
}

/** Whole seconds: `12 s`, `3 min 20 s`, `2 h 5 min`. */
function renderElapsed(ms: number): string {
  if (Number.isNaN(ms)) return "";
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const barCells = 10;
const maxProgress = 500;

/**
 * The progress that a tool reports, in one line: a bar for a number from 0 to 1, and for an object with `done`, `current`
 * or `loaded` of a `total`, a `percent`, or a `progress` from 0 to 1. Anything else, and what else an object has, is JSON.
 */
export function renderProgress(value: unknown): string {
  const { fraction, rest } = readProgress(value);
  const shown = [fraction === undefined ? "" : renderBar(fraction), rest === undefined ? "" : printableJson(rest)];
  return cutText(shown.filter((text) => text !== "").join(" "), maxProgress);
}

interface Progress {
  /** From 0 to 1; undefined if the value does not say. */
  readonly fraction?: number;
  /** The part of the value that the bar does not show. */
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
  const full = Math.floor((percent * barCells) / 100);
  return `[${"█".repeat(full)}${"░".repeat(barCells - full)}] ${percent} %`;
}
