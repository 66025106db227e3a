import { unitKinds } from "./units.ts";

/** A unit: all its names, its size in the smallest of its kind, and all units of that kind. */
export interface Unit {
  readonly names: readonly string[];
  readonly size: number;
  /** The size of each unit of its kind, by its name. */
  readonly kind: ReadonlyMap<string, number>;
}

const units = new Map<string, Unit>();
for (const kind of Object.values(unitKinds)) {
  const sizes = new Map(Object.entries(kind).map(([name, [size]]) => [name, Number(size)]));
  for (const [name, [size, ...others]] of Object.entries(kind)) {
    const names = [name, ...others];
    for (const one of names) units.set(one, { names, size: Number(size), kind: sizes });
  }
}
/** Short names that nothing else has which is measured. */
const short = { h: "hour", hr: "hour", min: "minute", s: "second", sec: "second" };
for (const [name, unit] of Object.entries(short)) {
  const known = units.get(unit);
  if (known !== undefined) units.set(name, { ...known, names: [name, ...known.names] });
}

/** Units that are not converted by a factor. */
const others = [
  ["celsius", "centigrade", "c"],
  ["fahrenheit", "f"],
  ["kelvin", "k"],
];

/** The unit that a word names, in lower case. */
export function unitOf(word: string): Unit | undefined {
  return units.get(word);
}

/** All names of the unit that a word names, in lower case; none if it names no unit. */
export function unitNames(word: string): readonly string[] {
  return units.get(word)?.names ?? others.find((names) => names.includes(word)) ?? [];
}
