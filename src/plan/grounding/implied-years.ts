import { ordinals, readNumber } from "../../english/numbers.ts";

/** The years of `1990s`, `nineties`, `17th century`, `nineteen eighty-four` at a word. */
export function yearsAt(tokens: readonly string[], index: number): readonly number[] {
  const word = tokens[index] ?? "";
  const [next = "", afterNext] = tokens.slice(index + 1, index + 3);
  if (/^\d{2}(?:\d{2})?$/.test(word) && next === "s" && word.endsWith("0")) return decade(Number(word));
  const tens = decades.indexOf(word);
  if (tens >= 0) return decade(10 * (tens + 2));
  const century = /^\d{1,2}$/.test(word) ? Number(word) : ordinals.indexOf(word) + 1;
  if (century > 0 && (next === "century" || (/^(?:st|nd|rd|th)$/.test(next) && afterNext === "century"))) {
    return [(century - 1) * 100, (century - 1) * 100 + 1, century * 100 - 1, century * 100];
  }
  const [first, second] = [readNumber(tokens, index), readNumber(tokens, index + 1)];
  const isYear = first?.end === index + 1 && /^(?:1\d|20)$/.test(first.digits) && /^\d{2}$/.test(second?.digits ?? "");
  return isYear && !/^\d/.test(word) ? [Number(first.digits) * 100 + Number(second?.digits)] : [];
}

/** The second year of `2019-20`. */
export function shortYears(text: string): readonly number[] {
  const found = text.matchAll(/\b(\d\d)\d\d\s?[-–/]\s?(\d\d)\b(?![-–/])/g);
  return Array.from(found, ([, century = "", short = ""]) => Number(century + short));
}

const decades = "twenties thirties forties fifties sixties seventies eighties nineties".split(" ");

function decade(year: number): readonly number[] {
  const start = year < 100 ? 1900 + year : year;
  return [start, start + 9];
}
