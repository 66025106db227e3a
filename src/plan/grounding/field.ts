import type { JsonPath } from "../../core/json.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import { unitNames } from "../../english/units.ts";

/** Names of fields whose values must be the very ones that were said: whom something reaches, what it is done to, where. */
const exactNames: ReadonlySet<string> = new Set(
  (
    "to cc bcc recipient recipients email mail phone tel address account iban payee beneficiary contact customer client " +
    "user username owner assignee member employee handle id uuid key token path file filename folder directory url uri link"
  ).split(" "),
);
const moneyNames: ReadonlySet<string> = new Set(
  "amount price cost fee budget payment salary balance tip bid deposit refund".split(" "),
);

/** What the name and the description of a field say of its values. */
export class Field {
  /** Whether a value must have been said to the letter. */
  readonly isExact: boolean;
  /** Whether it is an amount of money, which no unit converts. */
  readonly isMoney: boolean;
  private readonly words: ReadonlySet<string>;
  private readonly descriptions: readonly string[];

  constructor(path: JsonPath, schemas: readonly JsonSchema[] | undefined) {
    const names = wordsOf(String(path.findLast((key) => typeof key === "string") ?? ""));
    this.descriptions = schemas?.flatMap(({ description }) => description ?? []) ?? [];
    this.words = new Set([...names, ...this.descriptions.flatMap(wordsOf)]);
    this.isExact = names.some((name) => exactNames.has(name));
    this.isMoney = names.some((name) => moneyNames.has(name));
  }

  /** Whether it is named or described by one of the words. */
  mentions(words: Iterable<string>): boolean {
    for (const word of words) if (this.words.has(word)) return true;
    return false;
  }

  /** Whether its values may be in a unit: it names this one, or none of those that are of its kind. */
  takes(unit: string, kind: readonly string[]): boolean {
    if (this.isMoney) return false;
    return this.mentions(namesOf(unit)) || !kind.some((other) => this.mentions(namesOf(other)));
  }

  /** The words of its descriptions, without examples: those may be copied by a model that has no value. */
  ownWords(): readonly string[] {
    return this.descriptions.flatMap((text) => wordsOf(text.slice(0, maxDescription).replace(example, " ")));
  }
}

const maxDescription = 500;
const example =
  /[(,;:]?\s*\b(?:e\.?\s?g\b|for example|for instance|such as|like|example)[^.;)\n]*(?:\.(?=\S)[^.;)\n]*)*|["'`][^"'`]*["'`]/gi;

/** All names of a unit, as fields write them. */
function namesOf(unit: string): readonly string[] {
  return unit === "millisecond" ? ["ms", "millis", "msec", "millisecond", "milliseconds"] : unitNames(unit);
}

function wordsOf(text: string): readonly string[] {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return apart.match(/\p{L}+/gu) ?? [];
}

/** A field of which nothing is known. */
export const anyField = new Field([], undefined);
