import type { WaitDue } from "./events.ts";
import type { PlanStep, Reference, StepWait } from "./plan.ts";

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A duration in words that leave nothing out: `14 days`, `1 hour 30 seconds`. */
function describeDuration(ms: number): string {
  let rest = ms;
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return rest > 0 || parts.length === 0 ? [...parts, `${rest} ms`].join(" ") : parts.join(" ");
}

interface Due {
  readonly event?: string;
  readonly until?: string | Reference;
  readonly timeoutMs?: number | undefined;
}

/** Describes a wait, as it follows the word "waits": `for 2 hours`, `for the event "paid", at most 14 days`. */
export function describeWait(wait: StepWait | WaitDue): string {
  if ("forMs" in wait) return `for ${describeDuration(wait.forMs)}`;
  const { event, until, timeoutMs }: Due = wait;
  const time = typeof until === "object" ? until.$ref : until;
  if (event === undefined) return `until ${time}`;
  const limit = timeoutMs === undefined ? time && `until ${time}` : `at most ${describeDuration(timeoutMs)}`;
  return `for the event "${event}", ${limit ?? "without a time limit"}`;
}

/** The condition and the loop of a step, one phrase each. */
export function describeConditions({ when, forEach, concurrency = 1 }: PlanStep): readonly string[] {
  const parallel = concurrency > 1 ? `, ${concurrency} at a time` : "";
  return [
    ...(when === undefined ? [] : [`if ${when}`]),
    ...(forEach === undefined ? [] : [`for each ${forEach}${parallel}`]),
  ];
}
