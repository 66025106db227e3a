import { ordinals, readNumber, startsNumber, withoutLastZeros } from "../../english/numbers.ts";

/** The numbers that a token, or the tokens from there on, may mean, as digits without insignificant zeros. */
export function numbersAt(tokens: readonly string[], index: number): readonly string[] {
  const word = tokens[index] ?? "";
  const ordinal = ranks.get(word);
  if (ordinal !== undefined) return [ordinal];
  const read = startsNumber(word)
    ? [readNumber(tokens, index), readNumber(tokens, index, { joinAnd: false })].flatMap(
        (number) => number?.digits ?? [],
      )
    : [];
  return [...(/^\d/.test(word) ? readingsOf(word) : []), ...read].map(canonical);
}

/** "first" to "twelfth", and "last". */
export const ranks: ReadonlyMap<string, string> = new Map([
  ...ordinals.slice(0, 12).map((word, index) => [word, String(index + 1)] as const),
  ["last", "1"],
]);

/** What digits with points and commas may mean: "3,000.50" and "3.000,50", "3,5" as a decimal or as two numbers. */
function readingsOf(numeral: string): readonly string[] {
  if (/^\d+$/.test(numeral)) return [numeral];
  const isGrouped = /^\d{1,3}(\.\d{3})+(,\d+)?$/.test(numeral);
  return [
    numeral.replaceAll(",", ""),
    numeral.replace(",", "."),
    ...(isGrouped ? [numeral.replaceAll(".", "").replace(",", ".")] : []),
    ...numeral.split(","),
    ...(numeral.split(".").length > 2 ? numeral.split(".") : []),
  ];
}

function canonical(digits: string): string {
  const [whole = "", decimals = ""] = digits.split(".");
  const rest = withoutLastZeros(decimals);
  return (whole.replace(/^0+(?=\d)/, "") || "0") + (rest === "" ? "" : `.${rest}`);
}
