import { months, weekdays } from "../english/word-classes.ts";
import { dayMs, dayNumber, wallTimeAt } from "./zoned-time.ts";

const form = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

export function sayDate(
  value: string,
  { timeZone, year }: { readonly timeZone?: string | undefined; readonly year: number },
): { readonly text: string; readonly wall: number } | undefined {
  const [, ...parts] = form.exec(value) ?? [];
  const [said = Number.NaN, month = 0, date = 0, hours, minutes = 0] = parts.slice(0, 5).map(Number);
  const day = dayNumber(said, month - 1, date);
  if (day === undefined || said < 1_000) return undefined;
  const hasTime = parts[3] !== undefined;
  const written = day * dayMs + (hasTime ? (Number(hours) * 60 + minutes) * 60_000 : 0);
  const isInstant = hasTime && parts[5] !== undefined && timeZone !== undefined;
  const instant = isInstant ? Date.parse(value) : Number.NaN;
  if (isInstant && Number.isNaN(instant)) return undefined;
  const wall = isInstant ? wallTimeAt(instant, timeZone) : written;
  const at = new Date(wall);
  const [weekday, name] = [shortName(weekdays[at.getUTCDay()]), shortName(months[at.getUTCMonth()])];
  const inYear = at.getUTCFullYear() === year ? "" : ` ${at.getUTCFullYear()}`;
  const time = hasTime ? ` ${at.toISOString().slice(11, 16)}` : "";
  return { text: `${weekday} ${at.getUTCDate()} ${name}${inYear}${time}`, wall };
}

export function yearAt(nowMs: number, timeZone: string): number {
  return new Date(wallTimeAt(nowMs, timeZone)).getUTCFullYear();
}

function shortName(name = ""): string {
  return name.charAt(0).toUpperCase() + name.slice(1, 3);
}
