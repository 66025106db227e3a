import type { JsonPath } from "../core/json.ts";
import { type JsonSchema, schemasAt } from "../core/json-schema.ts";
import type { PlanStep } from "../core/plan.ts";
import type { Tool } from "../core/tool.ts";
import { ordinals, readNumber, startsNumber, withoutLastZeros } from "../english/numbers.ts";
import { minusWords, smallWords } from "../english/small-words.ts";
import { timeWords } from "../english/times.ts";
import { asLiteral, asReference, parseTemplate } from "./reference.ts";
import { impliedNumbers, SaidWords } from "./said-otherwise.ts";

/*
 * A schema ensures valid plans, not correct ones: of 1 500 answers of a small model, 460 were valid and wrong, and 455
 * of them had a word or a number that nobody had typed. So each word and number of an input must appear in the request.
 */

/** A text or number of an input with something that is not in the request. */
interface Ungrounded {
  /** Within the input. */
  readonly path: JsonPath;
  readonly words: readonly string[];
}

/** The words and numbers of a request, for many lookups. */
export class Grounds {
  private readonly words = new Set<string>();
  /** Exact, as digits. */
  private readonly numbers = new Set<string>();
  /** As JavaScript writes them when they are numbers in JSON. */
  private readonly jsonNumbers = new Set<string>();
  /** What follows from the numbers of the text, found when it is first asked for. */
  private implied: ReadonlySet<number> | undefined;
  private otherwise: SaidWords | undefined;
  private readonly tokens: readonly string[];
  private readonly hasTime: boolean;
  private readonly hasMinus: boolean;

  constructor(private readonly text: string) {
    const tokens = tokensOf(text);
    this.tokens = tokens;
    for (const [index, token] of tokens.entries()) {
      for (const part of [token, ...token.split("'"), ...(isUnspaced(token) ? token : "")]) this.words.add(stem(part));
      for (const number of numbersAt(tokens, index)) {
        this.numbers.add(number);
        this.jsonNumbers.add(String(Number(number)));
      }
    }
    this.hasTime = tokens.some((token, index) => timeWords.has(token) || isMonth(tokens, index));
    this.hasMinus = /[-−–]\s?\d/.test(text) || tokens.some((token) => minusWords.has(token));
  }

  /**
   * What an input has that is not in the request. Values that a schema prescribes, or has as their default, are
   * skipped. A step without an effect may choose the names that its input gives to its values, such as the variables of
   * an expression.
   */
  findUngrounded(
    { input }: Pick<PlanStep, "input">,
    { schema, isHarmless }: { readonly schema: JsonSchema; readonly isHarmless: boolean },
  ): readonly Ungrounded[] {
    const found: Ungrounded[] = [];
    const leaves = leavesOf(input, []);
    const schemasOf = (path: JsonPath) => schemasAt(schema, path, input);
    const named = isHarmless ? leaves.flatMap(({ path }) => namesIn(path, schemasOf)) : [];
    const names = new Set(named.flatMap(tokensOf).map(stem));
    for (const { value, path, isLiteral } of leaves) {
      if (isPrescribed(value, schemasOf(path))) continue;
      const words = this.missing(textOf({ value, path, isLiteral })).filter((word) => !names.has(stem(word)));
      if (words.length > 0) found.push({ path, words });
    }
    return found;
  }

  /** Whether the request mentions a step: a word or number of its input, or of its tool's name and description. */
  speaksOf({ input }: Pick<PlanStep, "input">, { name, description }: Pick<Tool, "name" | "description">): boolean {
    const values = leavesOf(input, []).map(({ value }) => value);
    if (values.some((value) => typeof value === "number" && this.missing(value).length === 0)) return true;
    const texts = values.filter((value) => typeof value === "string");
    const words = tokensOf([name.replace(/([a-z\d])([A-Z])/g, "$1 $2"), description, ...texts].join("\n"));
    return words.some((word) => !smallWords.has(word) && (this.words.has(stem(word)) || this.numbers.has(word)));
  }

  /** The words of a text, or the number, that the request does not have; none for any other value. */
  missing(value: unknown): readonly string[] {
    if (typeof value === "number") {
      const size = Math.abs(value);
      const isSaid = this.jsonNumbers.has(String(size)) || this.implies(size);
      return isSaid && (value >= 0 || this.hasMinus) ? [] : [String(value)];
    }
    if (typeof value !== "string") return [];
    if (isDate(value)) return this.hasTime || this.hasPartOf(value) ? [] : [value];
    const tokens = tokensOf(value);
    const unsaid = tokens.filter((token, index) => !this.words.has(stem(token)) && !this.hasNumber(tokens, index));
    return unsaid.filter((token) => !this.means(token, value));
  }

  private implies(value: number): boolean {
    this.implied ??= impliedNumbers(this.tokens, this.text);
    return this.implied.has(value);
  }

  /** Whether a word of a value says in another way what the text says. */
  private means(token: string, value: string): boolean {
    if (/^\d/.test(token)) return this.implies(Number(token.replaceAll(",", "")));
    this.otherwise ??= new SaidWords(this.tokens, this.text);
    return this.otherwise.mean(token, { isCode: value.includes(token.toUpperCase()) });
  }

  /** Whether a number of the request is the day, month, year or hour of a date or time. */
  private hasPartOf(time: string): boolean {
    const parts = time
      .split(/[-T:.Z+]/)
      .slice(0, 4)
      .map(Number);
    const hours = isoTime.test(time) ? [(parts[0] ?? 0) % 12] : [(parts[3] ?? 0) % 12];
    return [...parts, ...hours].some((part) => part > 0 && this.numbers.has(String(part)));
  }

  private hasNumber(tokens: readonly string[], index: number): boolean {
    return numbersAt(tokens, index).some((number) => this.numbers.has(number));
  }
}

/** A value of an input that contains no others. */
export interface Leaf {
  readonly value: unknown;
  readonly path: JsonPath;
  /** Whether its text is not a template. */
  readonly isLiteral: boolean;
}

/** The values in an input, except references, which stand for values that are not known yet. */
export function leavesOf(value: unknown, path: JsonPath, isLiteral = false): readonly Leaf[] {
  if (typeof value !== "object" || value === null) return [{ value, path, isLiteral }];
  const literal = isLiteral ? undefined : asLiteral(value);
  if (literal !== undefined) return leavesOf(literal.$literal, path, true);
  if (!isLiteral && asReference(value) !== undefined) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, [...path, Array.isArray(value) ? Number(key) : key], isLiteral),
  );
}

/** The names that an input gives to its values and its schema does not, such as the variables of an expression. */
export function namesIn(
  path: JsonPath,
  schemasOf: (path: JsonPath) => readonly JsonSchema[] | undefined,
): readonly string[] {
  const isKnown = (key: string, index: number) =>
    schemasOf(path.slice(0, index))?.some(({ properties = {} }) => Object.hasOwn(properties, key)) ?? false;
  return path.filter((key, index): key is string => typeof key === "string" && !isKnown(key, index));
}

/** Whether a schema prescribes a value, or has it as its default. */
export function isPrescribed(value: unknown, schemas: readonly JsonSchema[] | undefined): boolean {
  if (typeof value === "boolean" || value === null) return true;
  return (
    schemas?.some(
      ({ const: constant, enum: values, default: usual }) =>
        constant === value || usual === value || (values?.includes(value) ?? false),
    ) ?? false
  );
}

/** A value; for a template, its text without what other steps put into it. */
export function textOf({ value, isLiteral }: Leaf): unknown {
  if (typeof value !== "string" || isLiteral || !value.includes("${")) return value;
  return parseTemplate(value)
    .map((part) => (part.type === "text" ? part.text : " "))
    .join("");
}

/** Words and numbers in lower case, such as "3,000.50" and "don't". Text without spaces is split into letter pairs. */
function tokensOf(text: string): readonly string[] {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'").replaceAll("ς", "σ");
  return (plain.match(token) ?? []).flatMap((found) => (isUnspaced(found) ? pairsOf(found) : [found]));
}

// Han, Kana, Thai and so on have no spaces between words.
const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
const unspacedWord = `(?=\\p{L})[${unspaced}](?:(?=[\\p{L}\\p{M}])[${unspaced}\\p{M}])*`;
const spacedWord = `(?=\\p{L})[^${unspaced}](?:(?=[\\p{L}\\p{M}])[^${unspaced}])*`;
const token = new RegExp(`\\d+(?:[.,]\\d+)*|${unspacedWord}|${spacedWord}(?:'${spacedWord})*`, "gu");
const unspacedStart = new RegExp(`^[${unspaced}]`, "u");
const isoDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/;
const isoTime = /^\d{2}:\d{2}(:\d{2})?$/;

/** Whether a value is a date or a time as ISO 8601 writes it. */
export function isDate(value: unknown): value is string {
  return typeof value === "string" && (isoDate.test(value) || isoTime.test(value));
}

function isUnspaced(token: string): boolean {
  return unspacedStart.test(token);
}

function pairsOf(word: string): readonly string[] {
  const letters = [...word];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** Reduces a plural to its singular. */
function stem(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/** The numbers that a word, or the words from there on, may mean. */
function numbersAt(tokens: readonly string[], index: number): readonly string[] {
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

/** A decimal without insignificant zeros. */
function canonical(digits: string): string {
  const [whole = "", decimals = ""] = digits.split(".");
  const rest = withoutLastZeros(decimals);
  return (whole.replace(/^0+(?=\d)/, "") || "0") + (rest === "" ? "" : `.${rest}`);
}

const ranks = new Map([
  ...ordinals.slice(0, 12).map((word, index) => [word, String(index + 1)] as const),
  ["last", "1"],
]);

/** "I may march there" names no month; "march 5" and "the 5th of may" do. */
function isMonth(tokens: readonly string[], index: number): boolean {
  const word = tokens[index];
  if (word !== "may" && word !== "march") return false;
  return [index - 2, index - 1, index + 1].some(
    (near) => /^\d/.test(tokens[near] ?? "") || ranks.has(tokens[near] ?? ""),
  );
}
