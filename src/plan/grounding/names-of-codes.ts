import { usStates } from "../../english/us-states.ts";

/* Codes of currencies, countries and languages have their English names from Intl, of which every Node has the data. */

type NameType = "currency" | "region" | "language";

const displayNames = new Map<NameType, Intl.DisplayNames>();

/** The English name of a code in lower case; undefined if it is none. */
export function nameOf(type: NameType, code: string): string | undefined {
  let names = displayNames.get(type);
  if (names === undefined) {
    names = new Intl.DisplayNames("en", { type, fallback: "none" });
    displayNames.set(type, names);
  }
  try {
    return names.of(type === "language" ? code : code.toUpperCase())?.toLowerCase();
  } catch {
    return undefined;
  }
}

/** The names of what a code of two or three letters may be: a country, a language, a state. */
export function namesOfCode(code: string): readonly string[] {
  const state = Object.hasOwn(usStates, code) ? usStates[code] : undefined;
  return [nameOf("region", code), nameOf("language", code), state].filter((name) => name !== undefined);
}

const signs = new Map<string, string | undefined>();

/** The sign of a currency, such as `$`. */
export function signOf(code: string): string | undefined {
  if (!signs.has(code)) signs.set(code, currencyPart(code, "narrowSymbol", /^\p{Sc}$/u));
  return signs.get(code);
}

/** What several of a currency are called: `norwegian kroner`. */
export function pluralOf(code: string): string | undefined {
  return currencyPart(code, "name", /./)?.toLowerCase();
}

function currencyPart(code: string, currencyDisplay: "name" | "narrowSymbol", form: RegExp): string | undefined {
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code, currencyDisplay });
  const part = format.formatToParts(2).find(({ type }) => type === "currency")?.value;
  return part !== undefined && form.test(part) ? part : undefined;
}

let countries: ReadonlyMap<string, string> | undefined;

/** Countries of one word, in lower case, with their codes. */
export function countriesByName(): ReadonlyMap<string, string> {
  countries ??= new Map(
    codes().flatMap((code) => {
      const name = nameOf("region", code);
      return name === undefined || name.includes(" ") ? [] : [[name, code] as const];
    }),
  );
  return countries;
}

function codes(): readonly string[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters.flatMap((first) => letters.map((second) => first + second));
}

/** What is added to the name of a country, or a part of it, for what comes from there: `Austria`, `Austrian`. */
const endings = /^(?:n|an|ian|ean|ese|ish|i|ic|egian|er|is)$/;
const minShared = 4;
let byStart: ReadonlyMap<string, readonly string[]> | undefined;

function countriesByStart(): ReadonlyMap<string, readonly string[]> {
  if (byStart !== undefined) return byStart;
  const made = new Map<string, string[]>();
  for (const name of countriesByName().keys()) {
    const start = name.slice(0, minShared);
    made.set(start, [...(made.get(start) ?? []), name]);
  }
  byStart = made;
  return made;
}

/** The countries whose adjective a word may be: `Italian` of `Italy`, by its form or by the language of the country. */
export function countriesOf(word: string): readonly string[] {
  const alike = countriesByStart().get(word.slice(0, minShared)) ?? [];
  const ofLanguage = languageCountries().get(word);
  return [...alike.filter((country) => isForm(word, country)), ...(ofLanguage === undefined ? [] : [ofLanguage])];
}

function isForm(word: string, country: string): boolean {
  let shared = 0;
  while (shared < country.length && word[shared] === country[shared]) shared++;
  return country.length - shared <= 3 && endings.test(word.slice(shared));
}

let languages: ReadonlyMap<string, string> | undefined;

/** By the name of a language, the country in which it is spoken most. */
function languageCountries(): ReadonlyMap<string, string> {
  languages ??= new Map(
    codes().flatMap((code) => {
      const name = nameOf("language", code.toLowerCase());
      const { region } = new Intl.Locale(code.toLowerCase()).maximize();
      const country = region === undefined ? undefined : nameOf("region", region);
      return name === undefined || country === undefined ? [] : [[name, country] as const];
    }),
  );
  return languages;
}
