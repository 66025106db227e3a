import type { JsonPath } from "../../core/json.ts";
import { type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { Tool } from "../../core/tool.ts";
import { minusWords, smallWords } from "../../english/small-words.ts";
import { anyField, Field } from "./field.ts";
import { ImpliedNumbers } from "./implied-numbers.ts";
import { SaidWords } from "./implied-words.ts";
import { leavesOf, namesIn, textOf } from "./leaves.ts";
import { numbersAt } from "./numerals.ts";
import { isOffered, isPrescribed } from "./prescribed.ts";
import { isDate, SaidTimes } from "./said-times.ts";
import { partsOfToken, tokensOf, WordSet } from "./words.ts";

/*
 * A schema ensures valid plans, not correct ones: of 1 500 answers of a small model, 460 were valid and wrong, and 455
 * of them had a word or a number that nobody had typed. So each word and number of an input must appear in the request,
 * or follow from it.
 */

/** A text or number of an input with something that is not in the request. */
interface Ungrounded {
  /** Within the input. */
  readonly path: JsonPath;
  readonly words: readonly string[];
}

/** The words and numbers of a request, for many lookups. */
export class Grounds {
  private readonly words = new WordSet();
  /** Exact, as digits. */
  private readonly numbers = new Set<string>();
  /** As JavaScript writes them when they are numbers in JSON. */
  private readonly jsonNumbers = new Set<string>();
  private readonly tokens: readonly string[];
  private readonly hasMinus: boolean;
  /** Whether a place may be south of the equator, or west of Greenwich. */
  private readonly hasCompass: boolean;
  private implied: ImpliedNumbers | undefined;
  private otherwise: SaidWords | undefined;
  private times: SaidTimes | undefined;
  private lower: string | undefined;
  private readonly nowMs: number | undefined;

  /** `nowMs` is when the text was said, from which a day such as tomorrow is counted. */
  constructor(
    private readonly text: string,
    { nowMs }: { readonly nowMs?: number | undefined } = {},
  ) {
    this.nowMs = nowMs;
    // A line break that was typed as two signs is not part of the next word.
    const tokens = tokensOf(text.replace(/\\[nrt](?=\p{L})/gu, " "));
    this.tokens = tokens;
    for (const [index, token] of tokens.entries()) {
      for (const part of partsOfToken(token)) this.words.add(part);
      for (const number of numbersAt(tokens, index)) {
        this.numbers.add(number);
        this.jsonNumbers.add(String(Number(number)));
      }
    }
    for (const digits of joinedDigits(text)) this.numbers.add(digits);
    this.hasMinus = /[-−–]\s?\d/.test(text) || tokens.some((token) => minusWords.has(token));
    this.hasCompass = tokens.some((token) => token === "south" || token === "west");
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
    const names = new WordSet();
    for (const word of named.flatMap(tokensOf)) names.add(word);
    for (const { value, path, isLiteral } of leaves) {
      const schemas = schemasOf(path);
      if (isPrescribed(value, schemas) || isOffered(value, schemas)) continue;
      const words = this.missing(textOf({ value, path, isLiteral }), new Field(path, schemas));
      const unsaid = words.filter((word) => !names.has(word));
      if (unsaid.length > 0) found.push({ path, words: unsaid });
    }
    return found;
  }

  /** Whether the request mentions a step: a word or number of its input, or of its tool's name and description. */
  speaksOf({ input }: Pick<PlanStep, "input">, { name, description }: Pick<Tool, "name" | "description">): boolean {
    const values = leavesOf(input, []).map(({ value }) => value);
    const isSaid = (value: unknown) =>
      typeof value === "number" ? this.missing(value).length === 0 : isDate(value) && this.saidTimes.hasPartOf(value);
    if (values.some(isSaid)) return true;
    const texts = values.filter((value) => typeof value === "string");
    const words = tokensOf([name.replace(/([a-z\d])([A-Z])/g, "$1 $2"), description, ...texts].join("\n"));
    return words.some((word) => !smallWords.has(word) && (this.words.has(word) || this.numbers.has(word)));
  }

  /** The words of a value, or the number, that the request does not have, in a field; none for what is neither. */
  missing(value: unknown, field: Field = anyField): readonly string[] {
    if (typeof value === "number") return this.isSaid(value, field) ? [] : [String(value)];
    if (typeof value !== "string") return [];
    if (isDate(value)) return this.saidTimes.allow(value) ? [] : [value];
    return [...this.inexact(value), ...this.missingWords(value, field)];
  }

  private isSaid(value: number, field: Field): boolean {
    const size = Math.abs(value);
    const isNegative = this.hasMinus || (field.mentions(coordinates) && this.hasCompass);
    if (value < 0 && !isNegative) return false;
    if (this.jsonNumbers.has(String(size)) || this.impliedNumbers.has(size, field)) return true;
    return field.mentions(hundredths) && this.impliedNumbers.hasInHundredths(size);
  }

  private missingWords(text: string, field: Field): readonly string[] {
    const words = tokensOf(saidPartOf(text));
    const isSaid = (word: string) => (field.isExact ? this.words.hasExactly(word) : this.words.has(word));
    const places = [...words.keys()].filter(
      (place) => !isSaid(words[place] as string) && !this.hasNumber(words, place),
    );
    if (places.length === 0) return [];
    const isNumber = (place: number) => /^\d/.test(words[place] as string);
    const isImplied = (place: number) =>
      this.impliedNumbers.has(Number((words[place] as string).replaceAll(",", "")), field) ||
      (isoMonth.test(text) && this.impliedNumbers.has(Number(words[place]), monthField));
    const others = places.filter((place) => !isNumber(place));
    const madeUp = new Set([
      ...places.filter((place) => isNumber(place) && !isImplied(place)),
      ...(others.length === 0 ? [] : this.saidWords.unsaid(text, { words, places: others, isExact: field.isExact })),
    ]);
    const missing = places.filter((place) => madeUp.has(place)).map((place) => words[place] as string);
    return withoutOwnWords(missing, { text, words, field });
  }

  /** What must be in the text as it is: addresses, and what only marks where something is to be put. */
  private inexact(text: string): readonly string[] {
    const found = [...(text.match(placeholder) ?? []), ...(text.match(emailAddress) ?? [])];
    if (found.length === 0) return found;
    this.lower ??= this.text.toLowerCase();
    return found.filter((part) => !this.lower?.includes(part.toLowerCase()));
  }

  private get impliedNumbers(): ImpliedNumbers {
    this.implied ??= new ImpliedNumbers(this.tokens, this.text);
    return this.implied;
  }

  private get saidWords(): SaidWords {
    this.otherwise ??= new SaidWords(this.tokens, this.text);
    return this.otherwise;
  }

  private get saidTimes(): SaidTimes {
    this.times ??= new SaidTimes(this.tokens, this.text, this.nowMs);
    return this.times;
  }

  private hasNumber(tokens: readonly string[], index: number): boolean {
    return numbersAt(tokens, index).some((number) => this.numbers.has(number));
  }
}

/** What is missing without words that describe the field: "City" of a city, beside a name that was said. */
function withoutOwnWords(
  missing: readonly string[],
  { text, words, field }: { readonly text: string; readonly words: readonly string[]; readonly field: Field },
): readonly string[] {
  if (missing.length === 0 || missing.length >= words.length || field.isExact) return missing;
  if (/[\d@/\\_]/.test(text)) return missing;
  const own = new WordSet();
  for (const word of field.ownWords()) own.add(word);
  return missing.filter((word) => !own.has(word));
}

const isoMonth = /^\d{4}-\d{2}$/;
const monthField = new Field(["month"], undefined);
const coordinates = ["lat", "latitude", "lon", "lng", "long", "longitude"];
const hundredths = ["cent", "cents", "pence", "minor"];

/** Digits that are written with signs between them, such as those of a telephone. */
function joinedDigits(text: string): readonly string[] {
  const written = text.match(/(?<!\d)\d{2,20}\)?(?:[ \-./(]{1,2}\d{2,20}){1,6}/g) ?? [];
  return written.map((digits) => digits.replace(/\D/g, "")).filter((digits) => digits.length >= 7);
}

/** The part of a value in a standard form that somebody has to say: the city of a time zone, the numbers of a duration. */
function saidPartOf(text: string): string {
  const isZone = /^[A-Z][A-Za-z]+\/[\w/+-]+$/.test(text) && isTimeZone(text);
  if (isZone) return text.slice(text.lastIndexOf("/") + 1).replaceAll("_", " ");
  return isoDuration.test(text) ? text.replace(/\D+/g, " ") : text;
}

const isoDuration = /^P(?=\d|T\d)(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$/;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const placeholder =
  /[<[{](?:[A-Z]{3,}|[\p{L}']{1,30}(?:[ _][\p{L}']{1,30}){1,6})[>\]}]|\b(?:YOUR|INSERT|ENTER)_[A-Z_]{2,40}\b/gu;

const emailAddress = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,100}/gu;
