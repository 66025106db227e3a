import type { SlotValue } from "../../core/tool.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { prepositions } from "../../english/verb-groups.ts";
import { readSum } from "../../sums/read-sum.ts";
import { isArticle, isFiller } from "./courtesy.ts";
import { readSlotText } from "./matches.ts";
import { maxTokens, type RequestText, readRequest } from "./request.ts";
import { anaphor, choicesOf, isDate, isReadable, type SlotReading, type SlotType, slotReadingsAt } from "./slots.ts";

/** The value of a slot, or why its words have none, for people. */
export type SlotRead = { readonly ok: true; readonly value: SlotValue } | { readonly ok: false; readonly why: string };

/**
 * Reads the words of one slot without a sentence around them, by the readers of phrases: "friday at 5" is a time, "two hundred" a
 * number, "milk and eggs" a list. All words must be of the value; an article or a preposition before it is left out. The
 * clock is the one by which days such as tomorrow are counted.
 */
export async function readSlot(type: SlotType, words: string, clock: DateClock): Promise<SlotRead> {
  const request = await readRequest(words, clock);
  const said = JSON.stringify(words.slice(0, 80));
  if (request.tokens.length === 0) return { ok: false, why: "expected words; received none" };
  if (request.tokens.length > maxTokens) return { ok: false, why: `expected at most ${maxTokens} words` };
  const value = findValue(type, request);
  if (value !== undefined) return { ok: true, value };
  const known = choicesOf(type).slice(0, 20).join(", ");
  const wanted = known === "" ? names[type.kind] : `one of ${known}`;
  const isFalse = isDate(type) && request.falseDates.size > 0;
  const received = `received ${said}${isFalse ? ", which is on no calendar or may be several" : ""}`;
  return { ok: false, why: `expected ${wanted}; ${received}` };
}

const names: Readonly<Record<SlotType["kind"], string>> = {
  text: "a name of something",
  number: "a number",
  boolean: "yes or no",
  enum: "a known value",
  date: "a day",
  "date-time": "a time",
  range: "a range of days",
  sum: "a sum",
  list: "a list",
};

function findValue(type: SlotType, request: RequestText): SlotValue | undefined {
  const { words, tokens } = request;
  let end = words.length;
  while (end > 0 && /^[.!?]$/.test(words[end - 1] ?? "")) end--;
  if (type.kind === "sum") return readSum(tokens) && request.text.trim();
  if (!isReadable(type)) return readSlotText(type, request, end);
  for (let start = 0; start < end; start++) {
    const found = slotReadingsAt(type, request, start).find((each) => each.end === end && each.value !== anaphor);
    if (found !== undefined) return found.value as Exclude<SlotReading["value"], typeof anaphor>;
    const word = words[start] ?? "";
    if (!isFiller(word) && !isArticle(word) && !prepositions.has(word)) return undefined;
  }
  return undefined;
}
