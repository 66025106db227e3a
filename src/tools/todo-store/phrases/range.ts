import * as z from "zod/v4";
import type { PhraseContext, SlotValue } from "../../../core/tool.ts";
import { dayInMonth, endOfPeriod, isoDay, wallTimeAt } from "../../../dates/zoned-time.ts";

const dayMs = 86_400_000;

/** Several days that have a name. */
export const dayRange = z.enum(["this week", "this weekend", "this month"]);

/** The filter for such days: after the day before the first, and before the day after the last. */
export function daysOf(
  range: SlotValue | undefined,
  { nowMs, timeZone }: PhraseContext,
): { readonly dueAfter?: string; readonly dueBefore?: string } {
  if (range === undefined) return {};
  const today = Math.floor(wallTimeAt(nowMs, timeZone) / dayMs);
  const last = endOfPeriod(range === "this month" ? "month" : "week", 0, today);
  const lastDays = range === "this week" ? 7 : 2;
  const first = range === "this month" ? (dayInMonth(1, 0, today) ?? today) : last + 1 - lastDays;
  return { dueAfter: isoDay(first - 1), dueBefore: isoDay(last + 1) };
}
