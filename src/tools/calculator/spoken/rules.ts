import type { Term } from "./terms.ts";

/**
 * Makes the term of a rule from those of its slots; undefined if the rule does not fit them. `running` gives the value
 * so far, where a whole statement continues it.
 */
export type Make = (parts: readonly Term[], running: () => Term | undefined) => Term | undefined;

/** `@0` to `@5`: a term of at least this precedence; `@*`: a list; `@n`: a number or percentage; `@th`: an ordinal. */
export interface Slot {
  readonly kind: "term" | "list" | "number" | "ordinal";
  readonly least: number;
}

/** A pattern, its precedence, and what it makes. `(a|b)` is one of them, `[a]` one or nothing. */
export type Rule = readonly [pattern: string, level: number, make: Make];

/** A place within the pattern of one rule, and what leads on from it: words and slots. */
interface Place {
  readonly level: number;
  readonly ways: (readonly [part: string, to: Place])[];
  /** Set where the rule may end. */
  make: Make | undefined;
}

/** Where the reader is within all rules that begin with the same words. What leads on is found when it is asked for. */
export class RuleNode {
  /** The highest precedence of the rules that pass here. */
  readonly level: number;
  /** What the first of the rules that end here makes. */
  readonly make: Make | undefined;
  private onward: Pick<RuleNode, "words" | "slots"> | undefined;

  constructor(private readonly places: readonly Place[]) {
    this.level = places.reduce((most, { level }) => Math.max(most, level), 0);
    this.make = places.find(({ make }) => make !== undefined)?.make;
  }

  get words(): ReadonlyMap<string, RuleNode> {
    this.onward ??= this.lookOnward();
    return this.onward.words;
  }

  get slots(): ReadonlyMap<string, { readonly slot: Slot; readonly next: RuleNode }> {
    this.onward ??= this.lookOnward();
    return this.onward.slots;
  }

  private lookOnward() {
    const places = new Map<string, Place[]>();
    for (const [part, to] of this.places.flatMap(({ ways }) => ways)) {
      const alike = places.get(part);
      if (alike === undefined) places.set(part, [to]);
      else alike.push(to);
    }
    const words = new Map<string, RuleNode>();
    const slots = new Map<string, { readonly slot: Slot; readonly next: RuleNode }>();
    for (const [part, alike] of places) {
      if (part.startsWith("@")) slots.set(part, { slot: slotOf(part), next: new RuleNode(alike) });
      else words.set(part, new RuleNode(alike));
    }
    return { words, slots };
  }
}

/** Rules as a tree, so that a word is read once however many rules contain it. Of two equal patterns the first counts. */
export function compile(rules: readonly Rule[], vocabulary: Set<string>): RuleNode {
  return new RuleNode(
    rules.map(([pattern, level, make]) => {
      const start: Place = { level, ways: [], make: undefined };
      const parts = (pattern.match(/[()[\]|]|[^\s()[\]|]+/g) ?? []).values();
      const step = (from: readonly Place[], part: string): Place => {
        if (!part.startsWith("@")) vocabulary.add(part);
        const to: Place = { level, ways: [], make: undefined };
        for (const place of from) place.ways.push([part, to]);
        return to;
      };
      for (const place of grow([start], parts, step)) place.make = make;
      return start;
    }),
  );
}

/** Adds all ways up to the closing bracket after these places, and returns where they end. */
function grow(
  from: readonly Place[],
  parts: Iterator<string>,
  step: (from: readonly Place[], part: string) => Place,
): readonly Place[] {
  const ends: Place[] = [];
  let places = from;
  for (let { value, done } = parts.next(); !(done || value === ")" || value === "]"); { value, done } = parts.next()) {
    if (value === "|") {
      ends.push(...places);
      places = from;
    } else if (value === "(") places = grow(places, parts, step);
    else if (value === "[") places = [...places, ...grow(places, parts, step)];
    else places = [step(places, value)];
  }
  return [...new Set([...ends, ...places])];
}

function slotOf(name: string): Slot {
  const kind = kinds.get(name) ?? "term";
  return { kind, least: kind === "term" ? Number(name.slice(1)) : 0 };
}

const kinds = new Map<string, Slot["kind"]>([
  ["@*", "list"],
  ["@n", "number"],
  ["@th", "ordinal"],
]);
