import { currencySigns, currencyWords } from "../../english/units.ts";
import { isArithmeticWord } from "./arithmetic-language-vocabulary.ts";

const lexeme =
  /\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\p{L}])|\d+(?:\.\d+)?|\.\d+|[\p{L}]+(?:['’]\p{L}+)?|\*\*|\S/giuy;
const gap = /\s*/y;
const maxLength = 20_000;

const aliases: Readonly<Record<string, readonly string[]>> = {
  "×": ["*"],
  "·": ["*"],
  "⋅": ["*"],
  "÷": ["/"],
  "−": ["-"],
  "–": ["-"],
  "**": ["^"],
  "²": ["squared"],
  "³": ["cubed"],
  "√": ["sqrt"],
  π: ["pi"],
  "½": ["half"],
  "¼": ["quarter"],
  "[": ["("],
  "]": [")"],
  pct: ["%"],
  percent: ["%"],
  percents: ["%"],
  percentage: ["%"],
  percentages: ["%"],
  multiplicated: ["multiplied"],
  devided: ["divided"],
  dived: ["divided"],
  multiplyed: ["multiplied"],
  multipled: ["multiplied"],
  substract: ["subtract"],
  substracted: ["subtracted"],
};
const symbols = new Set("+-*/^%!(),=".split(""));
/** The suffix of an ordinal: "21st" is not a number here. */
const nth = /^(?:st|nd|rd|th)$/;

/**
 * Splits a text into the words and signs of arithmetic, in lower case, without thousands separators and currency signs,
 * and with `*` for `×`. Undefined if the text has a sign that arithmetic does not use, or is too long.
 */
export function arithmeticWords(text: string): readonly string[] | undefined {
  if (text.length > maxLength) return undefined;
  const words: string[] = [];
  let end = -1;
  for (let position = skipGap(text, 0); position < text.length; position = skipGap(text, end)) {
    lexeme.lastIndex = position;
    const found = lexeme.exec(text)?.[0] ?? "";
    const isGlued = position === end;
    end = position + found.length;
    const taken = readLexeme(found.toLowerCase(), { words, isGlued, next: text.slice(end, end + 2) });
    if (taken === undefined) return undefined;
    words.push(...taken);
  }
  return words;
}

function skipGap(text: string, position: number): number {
  gap.lastIndex = position;
  return position + (gap.exec(text)?.[0].length ?? 0);
}

interface LexemeContext {
  readonly words: string[];
  readonly isGlued: boolean;
  readonly next: string;
}

function readLexeme(found: string, { words, isGlued, next }: LexemeContext): readonly string[] | undefined {
  if (/^[\d.]/.test(found)) return found === "." ? (next === "" ? [] : undefined) : [found.replaceAll(",", "")];
  const alias = Object.hasOwn(aliases, found) ? aliases[found] : undefined;
  if (alias !== undefined) return alias;
  if (/^\p{L}/u.test(found)) return readLetters(found, words, isGlued);
  if (found === "-" && isGlued && /^\p{L}/u.test(next) && /^\p{L}/u.test(words.at(-1) ?? "")) return [];
  if (currencySigns.has(found) || found === "?") return [];
  return symbols.has(found) ? [found] : undefined;
}

function readLetters(found: string, words: string[], isGlued: boolean): readonly string[] | undefined {
  // A homophone, where only the other word makes sense.
  if (found === "buy" && /^(?:divided?|multipl(?:y|ied))$/.test(words.at(-1) ?? "")) return ["by"];
  const isNumber = /^[\d.]/.test(words.at(-1) ?? "");
  if (nth.test(found) && isGlued && isNumber) return [`${words.pop()}th`];
  if (currencyWords.has(found)) return [];
  return isArithmeticWord(found) ? [found] : undefined;
}
