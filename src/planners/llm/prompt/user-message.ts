import { RecentMap } from "../../../async/recent-map.ts";
import type { ModelMessage } from "../../../core/language-model.ts";
import type { PlanRequest } from "../../../core/planner.ts";
import { smallWords } from "../../../english/small-words.ts";
import { foreignTimeWords, shortTimeWords, timeWords } from "../../../english/times.ts";
import type { PlanExample, ToolsPrompt } from "./system-prompt.ts";

/**
 * The messages that ask for a plan: what a set of tools has in common, always the same, and then all that depends on the
 * request, which stands last.
 */
export function planMessages(
  { system }: Pick<ToolsPrompt, "system">,
  request: PlanRequest,
  examples: readonly PlanExample[] = [],
): readonly ModelMessage[] {
  const parts: string[] = [];
  if (examples.length > 0) parts.push(`Examples:\n${examples.map(describeExample).join("\n")}`);
  if (speaksOfTime(request.request)) parts.push(describeTime(request));
  if (request.context !== undefined) parts.push(`Information from the app:\n${request.context}`);
  // Alone, a request needs no title.
  parts.push(parts.length === 0 ? request.request : `Request:\n${request.request}`);
  return [
    { role: "system", content: system },
    { role: "user", content: parts.join("\n\n") },
  ];
}

function describeExample({ request, steps }: PlanExample): string {
  return `${request}\n${JSON.stringify({ steps })}`;
}

/** Numbers that may be a time or a day, and words that depend on when they are said. */
const timeLike = new RegExp(
  [
    String.raw`\d[:.]\d\d|\d\s?(?:am|pm|h)\b|\d{4}-\d\d|\b\d{1,2}[/.]\d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)\b`,
    String.raw`\b(?:at|by|until|till|before|after|from|since|around) \d`,
    String.raw`\bin \w+ (?:minute|hour|second)s?\b`,
    String.raw`\b(?:now|soon|later|ago|next|last|this|may|march|due|overdue|quarter|recent|recently|latest|daily|weekly|monthly)\b`,
  ].join("|"),
  "i",
);

/** Words that are surely English, unlike "an" and "in". */
const englishWords = new Set([...smallWords].filter((word) => word.length > 2 || word === "of" || word === "my"));

/** Whether a request speaks of a day or a time; one that may not be English could. */
export function speaksOfTime(request: string): boolean {
  if (timeLike.test(request)) return true;
  const words = request.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (words.some((word) => timeWords.has(word) || foreignTimeWords.has(word) || shortTimeWords.has(word))) return true;
  const isForeign = words.length > 2 && !words.some((word) => englishWords.has(word));
  return isForeign || /[^\p{Script=Latin}\P{L}]/u.test(request);
}

/** The day where the user is. */
export function dayOf({ nowMs, timeZone }: Pick<PlanRequest, "nowMs" | "timeZone">): string {
  return formatsOf(timeZone).day.format(nowMs);
}

function describeTime(request: PlanRequest): string {
  const { nowMs, timeZone } = request;
  const { weekday, minute, offset } = formatsOf(timeZone);
  const zone = offset.formatToParts(nowMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return `It is ${weekday.format(nowMs)}, ${dayOf(request)} ${minute.format(nowMs)}, ${timeZone} (${zone}).`;
}

interface TimeFormats {
  readonly day: Intl.DateTimeFormat;
  readonly weekday: Intl.DateTimeFormat;
  readonly minute: Intl.DateTimeFormat;
  readonly offset: Intl.DateTimeFormat;
}

/** Making them costs more than all the rest of a prompt. */
const formats = new RecentMap<TimeFormats>(20);

function formatsOf(timeZone: string): TimeFormats {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = {
    // Swedish writes dates and times as ISO 8601 does.
    day: new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }),
    weekday: new Intl.DateTimeFormat("en", { timeZone, weekday: "long" }),
    minute: new Intl.DateTimeFormat("sv-SE", { timeZone, timeStyle: "short" }),
    offset: new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }),
  };
  formats.set(timeZone, made);
  return made;
}
