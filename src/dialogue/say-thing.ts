import type { DateClock } from "../dates/read-dates.ts";
import { sayDate, yearAt } from "../dates/say-date.ts";
import { sayName } from "../plan/say-call.ts";
import type { Thing } from "./things.ts";

/** "booking 32: Okafor". */
export function describeThing({ kind, key, label }: Thing): string {
  if (label === undefined) return `${kind} ${key}`;
  return typeof key === "number" ? `${kind} ${key}: ${label}` : `${kind} "${label}"`;
}

/** Says the thing with its known fields: "booking 32: Okafor, Thu 26 Nov 19:00, people 2". */
export function sayThing(thing: Thing, { nowMs, timeZone }: DateClock): string {
  const year = yearAt(nowMs, timeZone);
  const others = Object.entries(thing.fields).flatMap(([name, value]) => {
    if (name === thing.keyField || name === thing.labelField || typeof value === "object" || value === false) return [];
    if (typeof value !== "string") return [`${sayName(name)} ${value}`];
    return [sayDate(value, { timeZone, year })?.text ?? value];
  });
  return [describeThing(thing), ...others].join(", ");
}
