import { ordinals } from "../english/numbers.ts";
import { currencySigns, currencyWords, units } from "../english/units.ts";
import { wordSet } from "../english/word-set.ts";

const aliases = `
*: × · ⋅ ∙ • ✖; /: ÷ ∕ ➗; -: − – — ➖; +: ➕; squared: ²; cubed: ³; sqrt: √; cbrt: ∛; (: [; ): ]; percent: % pct percents percentage percentages;
add: tally reckon accumulate adding adds sums summing totaling totalling; added: summed; plus: pluss;
subtract: subtracts subtracting deduct deducts deducting knock strip drop lop withdraw debit; subtracted: substracted;
take: takes taking took shave; remove: removing; multiply: multiplying multiplies multiple; multiplied: multiplicated multiplyed;
divide: dividing divides; split: splits splitting share shares sharing divvy chop break carve; divided: dived shared;
double: doubling doubles; triple: tripling triples treble; halve: halving halves; square: squaring squares; cube: cubing; power: powers;
average: averaging; round: rounding; increase: increasing grow; reduce: reducing slash; by: buy; between: among amongst;
includes: including contains incl; without: excluding excl; then: next finally lastly afterwards;
parts: ways way people friends persons groups group pieces kids children piles teams rows boxes bags;
places: place digits decimals; unit: integer; cent: penny;
vat: tax gst; tip: surcharge commission service markup interest; discount: reduction`;

export const meanings: ReadonlyMap<string, string> = new Map(
  aliases
    .trim()
    .split(/;\s/)
    .flatMap((row) => {
      const [meaning = "", words = ""] = row.split(": ");
      return words.split(" ").map((word) => [word, meaning] as const);
    }),
);

export const phrases = new Map<string, (readonly [words: readonly string[], meaning: string])[]>();
for (const row of (
  "percent: per cent; makes: adds up to|add up to; add: add up|sum up|total up; to_the: to the|to its; " +
  "how_many_times: how many times; (: open parenthesis|open bracket; ): close parenthesis|close bracket; " +
  "vat: sales tax; unclear: all of|whole of|the lot; then: after that|after this; : work out|working out|figure out|" +
  "find out|double check|if you please|should like|be so kind as to|how much is that|what does that come to|what does it come to"
).split("; ")) {
  const [meaning = "", ways = ""] = row.split(": ");
  for (const way of ways.split("|").map((words) => words.split(" ")))
    phrases.set(way[0] ?? "", [...(phrases.get(way[0] ?? "") ?? []), [way, meaning]]);
}

export const around: ReadonlySet<string> = wordSet(
  "um uh oh er erm uhm hmm the its a an equally evenly please pls plz kindly can could would will you i we me us my tell " +
    "show give find know want wants need like calculate calculating calculation compute computing evaluate solve " +
    "solution determine say question equation problem math maths thanks thank thx cheers hey hi hello there ok okay so " +
    "well now just quick quickly exactly let dear lol available come comes final exact correct true calculator use using " +
    "have had has got get am be when help new price cost amount start also u sir " +
    "computer arithmetic following outcome looking " +
    "whats remaining gives ? . : ; …",
);

export const weakWords: ReadonlySet<string> = wordSet(
  "of to by from in into on for and with is are was what which how many much often if as at do does did or then that " +
    "this it them these those all both each apiece left remains over result results answer answers number numbers " +
    "values last previous other make makes = equals equal , to_the isn't isnt doesn't doesnt together after total sum take value one how_many_times go goes",
);

export const leads: ReadonlySet<string> = wordSet(
  "of number numbers values both all these those result answer results from between for to to_the do if up together",
);

export const listLeads: ReadonlySet<string> = wordSet("what how much many is are");
export const equalities: ReadonlySet<string> = wordSet("= equals equal is are makes make");
export const claiming: ReadonlySet<string> = wordSet("is are does do did isn't doesn't isnt doesnt");
export const shapes: ReadonlySet<string> = wordSet(
  "area room rectangle rectangular floor garden field wall yard plot carpet rug perimeter footage",
);

export const signs: ReadonlySet<string> = wordSet("- minus negative +");
export const separators: ReadonlySet<string> = wordSet(", and or with");
export const breaks: ReadonlySet<string> = wordSet(", and then all that");
export const verbs: ReadonlySet<string> = wordSet("is are of it that");
export const imperatives: ReadonlySet<string> = wordSet("add subtract multiply divide split take");
export const pronouns: ReadonlySet<string> = wordSet("it that this");
export const results: ReadonlySet<string> = wordSet("result answer total sum number value product difference quotient");
export const groups: ReadonlySet<string> = wordSet(
  "both all them these those everything results answers numbers values totals",
);

export const places: ReadonlyMap<string, number> = new Map(
  Object.entries({ first: 0, former: 0, second: 1, latter: 1, other: 1 }),
);

export const functions: ReadonlySet<string> = wordSet(
  "abs acos acosh asin asinh atan atan2 atanh average avg cbrt ceil cos cosh degrees exp factorial floor gcd hypot lcm " +
    "ln log log10 log2 max mean min mod pow radians root round sign sin sinh sqrt sum tan tanh trunc",
);

export const denominators: ReadonlyMap<string, string> = new Map(
  [
    ...(["half 2", "halves 2", "quarter 4", "quarters 4"] as const),
    ...[...ordinals.slice(2).entries()].flatMap(([index, name]) => [`${name} ${index + 3}`, `${name}s ${index + 3}`]),
    ...["twentieth", "twentieths"].map((name) => `${name} 20`),
    ...["hundredth", "hundredths"].map((name) => `${name} 100`),
    ...["thousandth", "thousandths"].map((name) => `${name} 1000`),
  ].map((row) => row.split(" ") as [string, string]),
);

export function rankOf(word: string): string | undefined {
  const place = ordinals.indexOf(word);
  return place >= 0 ? String(place + 1) : /^(\d{1,4})(?:st|nd|rd|th)$/.exec(word)?.[1];
}

export function currencyOf(word: string): string | undefined {
  if (!(currencySigns.has(word) || currencyWords.has(word) || /^(?:cents?|pence)$/.test(word))) return undefined;
  if (/^(?:\$|usd|buck|dollar)/.test(word)) return "dollar";
  return /^(?:€|eur)/.test(word) ? "euro" : /^(?:£|gbp|pound)/.test(word) ? "pound" : word.replace(/s$/, "");
}

export const sumWords: readonly string[] = [
  ...[...meanings.keys(), ...[...phrases.values()].flat(3), ...around, ...weakWords, ...leads, ...listLeads, ...shapes],
  ...[...units.keys(), ...denominators.keys(), ...functions, ...groups, ...places.keys(), ...ordinals],
];
