import { unitNames } from "../../english/units.ts";
import { usStates } from "../../english/us-states.ts";
import { countriesOf, nameOf, namesOfCode, pluralOf, signOf } from "./names-of-codes.ts";
import { stemsOf } from "./words.ts";

/** What people call currencies, apart from their names. */
const currencyNicknames: Readonly<Record<string, string>> = { buck: "USD", bucks: "USD", quid: "GBP" };

/**
 * What a text says in other words: kilometers are km, yen are JPY, NYC has the initials of New York City. What follows from
 * a text by a rule that everybody knows was not made up.
 */
export class SaidWords {
  private readonly words: ReadonlySet<string>;
  /** What is written in capitals, in lower case: it may be a code. */
  private readonly capitals: ReadonlySet<string>;
  private namedPlaces: ReadonlySet<string> | undefined;
  /** Each longer word with one letter left out: two words that share such a rest are one typing mistake apart. */
  private rests: ReadonlySet<string> | undefined;

  constructor(
    private readonly tokens: readonly string[],
    private readonly text: string,
  ) {
    this.words = new Set(tokens.flatMap((token) => [token, ...stemsOf(token)]));
    const capitals = text.match(/\b[A-Z]{2,5}\b/g)?.slice(0, maxCapitals) ?? [];
    this.capitals = new Set(capitals.map((word) => word.toLowerCase()));
  }

  /** Those of the words of a value, at these places, that the text does not say in another way either. */
  unsaid(value: string, { words, places, isExact }: UnsaidPlaces): readonly number[] {
    const aliases = new Set(this.longNames(words));
    const codes = codesIn(value);
    const mustBeExact = isExact || /[@/\\_]|\d\p{L}|\p{L}\d|^\P{Ll}+$/u.test(value);
    return places.filter((place) => {
      const word = words[place] as string;
      return !aliases.has(word) && !this.means(word, { isCode: codes.has(word), isExact: mustBeExact });
    });
  }

  /** The words of the long name of a country in a value, whose short name the text has: "United States of America" for USA. */
  private longNames(words: readonly string[]): readonly string[] {
    const value = words.join(" ");
    return Object.entries(shortCountries)
      .filter(([short, name]) => this.capitals.has(short) && value.includes(name))
      .flatMap(([, name]) => [...name.split(" "), "of", "america", "the"]);
  }

  private means(word: string, { isCode, isExact }: { readonly isCode: boolean; readonly isExact: boolean }): boolean {
    if (unitNames(word).some((name) => this.words.has(name))) return true;
    if (/^[a-z]{3}$/.test(word) && this.hasCurrency(word.toUpperCase())) return true;
    if (isCode && /^[a-z]{2,3}$/.test(word) && namesOfCode(word).some((name) => this.hasName(name))) return true;
    return !isExact && (this.hasPlace(word) || this.isMistyped(word));
  }

  /** Whether a code is that of a currency whose name or sign the text has. */
  private hasCurrency(code: string): boolean {
    const name = nameOf("currency", code);
    if (name === undefined) return false;
    const names = [name, pluralOf(code) ?? name].map((one) => one.split(" ").at(-1) ?? "");
    if (names.some((one) => this.words.has(one) || this.words.has(`${one}s`))) return true;
    if (Object.entries(currencyNicknames).some(([word, named]) => named === code && this.words.has(word))) return true;
    const sign = signOf(code);
    return sign !== undefined && this.text.includes(sign);
  }

  /** Whether the text has a name, or the adjective of a country. */
  private hasName(name: string): boolean {
    return name.split(" ").every((part) => this.words.has(part)) || this.places.has(name);
  }

  /** Countries whose adjectives the text has, and states whose codes it has. */
  private get places(): ReadonlySet<string> {
    this.namedPlaces ??= new Set([
      ...[...this.words].flatMap(countriesOf),
      ...[...this.capitals].flatMap((code) =>
        Object.hasOwn(usStates, code) ? (usStates[code]?.split(" ") ?? []) : [],
      ),
    ]);
    return this.namedPlaces;
  }

  /** Whether a word is such a country or state, or the adjective of a country that the text has. */
  private hasPlace(word: string): boolean {
    return this.places.has(word) || countriesOf(word).some((country) => this.words.has(country));
  }

  private isMistyped(word: string): boolean {
    if (!isLong(word)) return false;
    this.rests ??= new Set(this.tokens.filter(isLong).flatMap((token) => [token, ...restsOf(token)]));
    const { rests } = this;
    if (rests.has(word)) return true;
    return restsOf(word).some((rest) => rests.has(rest));
  }
}

/** What countries are called in short, apart from their codes. */
const shortCountries: Readonly<Record<string, string>> = {
  us: "united states",
  usa: "united states",
  uk: "united kingdom",
  uae: "united arab emirates",
  eu: "european union",
};

/** The words of a value, those that a text does not have, and whether they have to be said to the letter. */
export interface UnsaidPlaces {
  readonly words: readonly string[];
  readonly places: readonly number[];
  readonly isExact: boolean;
}

/** As many abbreviations as anybody writes into a request. */
const maxCapitals = 200;

/** The words of a value that are written as codes: in capitals, or as all there is, such as `fr` and `pt-BR`. */
function codesIn(value: string): ReadonlySet<string> {
  const isOnly = /^[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?$/.test(value);
  const found = isOnly ? value.split(/[-_]/) : (value.match(/\b[A-Z]{2,5}\b/g) ?? []);
  return new Set(found.map((code) => code.toLowerCase()));
}

/** Shorter words are too often another word after one mistake, and no word is longer. */
function isLong(word: string): boolean {
  return word.length >= 6 && word.length <= 40 && /^\p{L}+$/u.test(word);
}

function restsOf(word: string): readonly string[] {
  return [...word].map((_letter, index) => word.slice(0, index) + word.slice(index + 1));
}
