import type { PlanStep } from "../../core/plan.ts";
import { type DateClock, type DateReading, readDates } from "../../dates/read-dates.ts";
import type { ToolRules } from "./phrase-rules.ts";
import { isPureStep } from "./steps.ts";

/** "In two hours, send it": when, and what is to be done then. */
export interface Delayed {
  /** An instant, in ISO 8601. */
  readonly until: string;
  /** The words that say it. */
  readonly said: string;
  readonly wish: string;
  /** True if the time comes first, and so is that of all wishes after it. */
  readonly isFirst: boolean;
}

/** A longer request is not looked at. */
const maxLength = 1_000;
/** Words before a time at which something is done once; "by" and "until" say something else. */
const prepositions: ReadonlySet<string | undefined> = new Set([undefined, "at", "on"]);
const repeated = /\b(?:every|each|daily|hourly|weekly|monthly|yearly|always)\b/i;
const edges = /^[\s,;:]+|[\s,;:]+$/g;

/** Reads a request that says at its beginning or its end when it is to be done; undefined for any other. */
export function readDelayed(text: string, clock: DateClock): Delayed | undefined {
  const [found, ...others] = readTimes(text, clock);
  return found === undefined || others.length > 0 || repeated.test(text.replace(quoted, blank))
    ? undefined
    : delayedBy(found, text, clock);
}

/** A request without all that says when, and how that was said; undefined if it says nothing of the kind. */
export function withoutTimes(text: string, clock: DateClock) {
  let [wish, at] = ["", 0];
  const times = readTimes(text, clock);
  for (const { leadStart, end } of times) {
    wish += text.slice(at, leadStart);
    at = end;
  }
  const said = times.map(({ leadStart, end }) => text.slice(leadStart, end)).join(" and ");
  return times.length === 0 ? undefined : { said, wish: (wish + text.slice(at)).replace(edges, "") };
}

function readTimes(text: string, clock: DateClock): readonly DateReading[] {
  // What is quoted is not meant as a time.
  return text.length > maxLength ? [] : readDates(text.replace(quoted, blank), clock);
}

const quoted = /"[^"]*"/g;
const blank = (quote: string) => `"${"_".repeat(quote.length - 2)}"`;

function delayedBy(found: DateReading, text: string, { nowMs }: DateClock): Delayed | undefined {
  const { dateTime: until, preposition, leadStart, end } = found;
  // A day alone has no time, and a range has two.
  if (until === undefined || found.until !== undefined || !prepositions.has(preposition)) return undefined;
  if (Date.parse(until) <= nowMs) return undefined;
  const [before, after] = [text.slice(0, leadStart), text.slice(end)];
  const isFirst = before.trim() === "";
  if (!isFirst && /\w/.test(after)) return undefined;
  const wish = (isFirst ? after : before).replace(edges, "");
  return wish === "" ? undefined : { until, said: text.slice(leadStart, end), wish, isFirst };
}

/** The same steps after a wait; undefined if they only ask for something, which is asked now or not at all. */
export function afterWait(
  steps: readonly PlanStep[],
  { until, said }: Delayed,
  rulesOf: (tool: string) => ToolRules | undefined,
): readonly PlanStep[] | undefined {
  const hasEffect = steps.some(({ tool, input }) => {
    const rules = tool === undefined ? undefined : rulesOf(tool);
    return rules !== undefined && input !== undefined && !isPureStep(rules.tool, input);
  });
  if (!hasEffect) return undefined;
  const wait: PlanStep = { id: "wait", wait: { until }, dependsOn: [], reasoning: `Wait: ${said}` };
  const later = (step: PlanStep) => ((step.dependsOn ?? []).length > 0 ? step : { ...step, dependsOn: [wait.id] });
  return [wait, ...steps.map(later)];
}
