import { cardinals, ordinals } from "../../../english/numbers.ts";

function listOf(text: string): readonly string[] {
  return text.split(" ");
}

/** For each word of the rules the words and signs that stand for it. */
const aliases =
  "*: × · ⋅ ∙ • ✖; /: ÷ ∕ ➗; -: − – — ➖; +: ➕; squared: ²; cubed: ³; sqrt: √; cbrt: ∛; (: [; ): ]; percent: pct " +
  "percents percentage percentages; add: tally reckon accumulate adding adds sums summing totaling totalling; " +
  "subtract: substract substracts subtracts subtracting deduct deducts deducting knock strip drop lop withdraw debit; subtracted: substracted; take: takes taking took shave; multiply: multiplying multiplies multiple multipy " +
  "mutliply; multiplied: multiplicated multipled multiplyed; divide: dividing divides devide; split: splits " +
  "splitting share shares sharing divvy chop break carve; plus: pluss; added: summed; divided: devided dived divded " +
  "shared; double: doubling doubles; triple: tripling triples treble; halve: halving halves; square: squaring " +
  "squares; cube: cubing; by: buy; average: averaging; round: rounding; increase: increasing grow; reduce: reducing " +
  "slash; power: powers; remove: removing; " +
  "parts: ways way people friends persons groups group pieces kids children piles teams rows boxes bags; " +
  "tip: tax interest vat gst surcharge commission service markup; between: among amongst; discount: reduction";

/** The word of the rules that a word or sign stands for. */
export const meanings: ReadonlyMap<string, string> = new Map(
  aliases.split("; ").flatMap((row) => {
    const [meaning = "", words = ""] = row.split(": ");
    return listOf(words).map((word) => [word, meaning] as const);
  }),
);

/** Several words that stand for one. */
export const phrases: readonly (readonly [words: readonly string[], meaning: string])[] = (
  "percent: per cent; makes: adds up to|add up to|double check; add: add up|sum up|total up; to_the: to the|to " +
  "its; how_many_times: how many times; (: open parenthesis|open bracket; ): close parenthesis|close bracket"
)
  .split("; ")
  .flatMap((row) => {
    const [meaning = "", ways = ""] = row.split(": ");
    return ways.split("|").map((way) => [listOf(way), meaning] as const);
  });

/** Words that stand between those of arithmetic and say nothing. */
export const fillers: ReadonlySet<string> = new Set(listOf("um uh er erm uhm hmm the its a an equally evenly"));

/** What a speaker says before the right word, the longer first. */
export const corrections: readonly (readonly string[])[] = (
  "no wait|no sorry|no i mean|no i meant|no make that|wait no|sorry i mean|i mean|i meant|make that|" +
  "scratch that|hang on|or rather|actually|sorry|wait|no|oops"
)
  .split("|")
  .map(listOf);

/** Words of a place whose sides are said with "by": 5 by 8 is its area. */
export const shapes: ReadonlySet<string> = new Set(
  listOf("area room rectangle rectangular floor garden field wall yard plot carpet rug perimeter"),
);

/** Words of the rules that are ordinary English too: where they do not fit, they are left to the caller. */
export const weakWords: ReadonlySet<string> = new Set(
  listOf(
    "of to by from in into on onto off out over for and or with is are what which how many much often more less than " +
      "as at after between among amongst through if go goes fit fits each per apiece take away cut lower raise total " +
      "sum lose put join top power exponent least lowest highest time tip tax interest service charge commission " +
      "discount reduction ways way parts people friends persons groups group pieces kids children piles teams rows " +
      "boxes bags together equal places place digits decimal decimals nearest number whole up down mark bump drop " +
      "tally lump tot it that this them these those both all everything result results answer answers numbers " +
      "value values first second former latter other last previous makes make = equals , then half one lot base " +
      "left increase change growth natural inverse log max min was than lots fewer without increase decrease ! big bigger larger higher greater smaller lower remains over upon @ with to_the how_many_times service absolute unit one dollar euro pound cent penny tenth hundredth hundred ten thousand integer round charge isnt isn't doesnt doesn't does do did or",
  ),
);

/** Words before an operand that say nothing. */
export const leads: ReadonlySet<string> = new Set(
  listOf(
    "of number numbers value values both all these those result answer results from between for to to_the do if up together",
  ),
);

/** More of them before a list: "on average how much is 5, 6 and 7". */
export const listLeads: ReadonlySet<string> = new Set(listOf("what how much many is are"));

/** Words that claim a result: "two plus two is five". */
export const equalities: ReadonlySet<string> = new Set(listOf("= equals equal is are makes make"));

/** Words of a question that may end in a stated result: "is two plus two five". */
export const claiming: ReadonlySet<string> = new Set(listOf("is are does do did isn't doesn't isnt doesnt"));

/** The denominator of a fraction, by its name. */
export const denominators: ReadonlyMap<string, string> = new Map([
  ...["half", "halves"].map((name) => [name, "2"] as const),
  ...["quarter", "quarters"].map((name) => [name, "4"] as const),
  ...ordinals.slice(2).flatMap((name, index) => [name, `${name}s`].map((word) => [word, String(index + 3)] as const)),
  ...cardinals
    .slice(15)
    .flatMap((name, index) => [`${name}th`, `${name}ths`].map((word) => [word, String(index + 15)] as const)),
  ...["twentieth", "twentieths"].map((name) => [name, "20"] as const),
  ...["hundredth", "hundredths"].map((name) => [name, "100"] as const),
  ...["thousandth", "thousandths"].map((name) => [name, "1000"] as const),
]);

/** The number of an ordinal such as "fourth" or "4th". */
export function rankOf(word: string): string | undefined {
  const place = ordinals.indexOf(word);
  const cardinal = place < 0 ? cardinals.indexOf(word.replace(/th$/, "")) : -1;
  if (cardinal > 14) return word.endsWith("th") ? String(cardinal) : undefined;
  return place < 0 ? /^(\d{1,4})(?:st|nd|rd|th)$/.exec(word)?.[1] : String(place + 1);
}

/** Signs and words before a number. */
export const signs: ReadonlySet<string> = new Set(["-", "minus", "negative", "+"]);
/** Between the items of a list. */
export const separators: ReadonlySet<string> = new Set([",", "and", "or", "with"]);
/** After these the value so far may be continued. */
export const breaks: ReadonlySet<string> = new Set([",", "and", "then", "all", "that"]);
/** Between an operand and its operator: "17 is divided by 5". */
export const verbs: ReadonlySet<string> = new Set(listOf("is are of it that"));
/** Verbs that begin the next operation, though between two operands they are operators. */
export const imperatives: ReadonlySet<string> = new Set(listOf("add subtract multiply divide split take"));
/** Words for the value so far. */
export const pronouns: ReadonlySet<string> = new Set(["it", "that", "this"]);
/** Names of the value so far. */
export const results: ReadonlySet<string> = new Set(
  listOf("result answer total sum value number product difference quotient"),
);
/** Words for several earlier results. */
export const groups: ReadonlySet<string> = new Set(
  listOf("both all them these those everything results answers numbers values totals sums"),
);
/** Words for one of two earlier results. */
export const places: ReadonlyMap<string, number> = new Map([
  ...["first", "former"].map((word) => [word, 0] as const),
  ...["second", "latter", "other"].map((word) => [word, 1] as const),
]);
