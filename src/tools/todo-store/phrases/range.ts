import * as z from "zod/v4";
import type { PhraseContext, SlotValue } from "../../../core/tool.ts";

const dayMs = 86_400_000;

/** Several days that have a name. */
export const dayRange = z.enum(["this week", "this weekend", "this month"]);

/** The filter for such days: after the day before the first, and before the day after the last. */
export function daysOf(
  range: SlotValue | undefined,
  { nowMs, timeZone }: PhraseContext,
): { readonly dueAfter?: string; readonly dueBefore?: string } {
  if (range === undefined) return {};
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const today = new Date(`${format.format(nowMs)}T00:00:00Z`);
  if (range === "this month") {
    const first = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
    return {
      dueAfter: isoDay(first - dayMs),
      dueBefore: isoDay(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1)),
    };
  }
  // Weeks start on Monday.
  const monday = today.getTime() - ((today.getUTCDay() + 6) % 7) * dayMs;
  const first = range === "this week" ? monday : monday + 5 * dayMs;
  return { dueAfter: isoDay(first - dayMs), dueBefore: isoDay(monday + 7 * dayMs) };
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
