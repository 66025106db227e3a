import { readNumber } from "../english/numbers.ts";
import { vocabulary } from "./rules.ts";
import { atom, binary, fraction, partOf, type Term } from "./terms.ts";
import * as lexicon from "./words.ts";

/** A number, or a word or sign of the rules. */
export interface SumToken {
  readonly word: string;
  /** Present for a number. */
  readonly term?: Term;
  /** Its place in the words. */
  readonly start: number;
  readonly end: number;
}

/** The tokens of a sum. */
export interface SumTokens {
  readonly tokens: readonly SumToken[];
  /** True if an amount has a unit of measurement. */
  readonly hasUnit: boolean;
}

/** A number in digits or words. */
export interface Amount {
  readonly term: Term;
  /** The index after the last word. */
  readonly end: number;
}

/** Names of functions, if a parenthesis follows. */
export const functions: ReadonlySet<string> = new Set(
  (
    "abs acos acosh asin asinh atan atan2 atanh average avg cbrt ceil cos cosh degrees exp factorial floor gcd hypot lcm " +
    "ln log log10 log2 max mean min mod pow radians root round sign sin sinh sqrt sum tan tanh trunc"
  ).split(" "),
);
const constants = new Set(["pi", "tau", "e"]);
const lengths = new Set([...lexicon.units].flatMap(([word, { kind }]) => (kind === "length" ? word : [])));
const scales = new Map(
  "dozen 12,score 20,grand 1000,hundred 100,k 1000,thousand 1000,million 1000000,billion 1000000000,trillion 1000000000000"
    .split(",")
    .map((row) => row.split(" ") as [string, string]),
);
const beforePronoun = new Set("would does should could do can did might must may when if".split(" "));
const beforePlace = new Set("quick easy simple first second this that other last which no previous another".split(" "));
const vulgar = new Map<string, readonly [string, string]>(
  ["½12", "¼14", "¾34", "⅓13", "⅔23", "⅛18"].map(([sign = "", above = "", below = ""]) => [sign, [above, below]]),
);
const whole = /^\d{1,9}$/;

/**
 * Makes the tokens of some words. With `joinAnd: false` an "and" ends a number, for "the sum of three hundred and four".
 */
export class SumTokenizer {
  private readonly tokens: SumToken[] = [];
  private readonly hasShape: boolean;
  /** The units and currencies after numbers. */
  private readonly units = new Set<string>();
  private readonly currencies = new Set<string>();

  constructor(
    private readonly words: readonly string[],
    private readonly glued: readonly boolean[],
    private readonly joinAnd: boolean,
  ) {
    this.hasShape = words.some((_, at) => this.isShape(at) || this.isSquareUnit(at));
  }

  /** The tokens, or undefined if one of the words is not explained. */
  read(): SumTokens | undefined {
    for (let at = 0; at < this.words.length; ) {
      const end = this.next(at);
      if (end === undefined) return undefined;
      at = end;
    }
    // Amounts in two units or currencies would have to be converted first.
    const isCounted = this.tokens.some(({ word }) => word === "times");
    const isMixed = this.units.size > 1 || this.currencies.size > 1;
    // "6 cans at 89 cents" is an amount in dollars or in cents.
    if (
      isMixed ||
      (isCounted && this.currencies.has("cent")) ||
      (this.units.size + this.currencies.size > 1 && !isCounted)
    )
      return undefined;
    return { tokens: this.tokens, hasUnit: this.units.size > 0 };
  }

  private wordAt(at: number): string {
    return this.words[at] ?? "";
  }

  private push(word: string, start: number, end: number, term?: Term): number {
    this.tokens.push(term === undefined ? { word, start, end } : { word, start, end, term });
    return end;
  }

  /** Reads what begins at a word; returns where the next begins, or undefined for a word that is not explained. */
  private next(at: number): number | undefined {
    return this.rank(at) ?? this.amount(at) ?? this.phrase(at) ?? this.measure(at) ?? this.word(at);
  }

  /** "to the twenty fifth": one ordinal of two words. */
  private rank(at: number): number | undefined {
    const ten = readAmount(this.words.slice(at, at + 1), 0, false)?.term.text ?? "";
    const unit = lexicon.rankOf(this.wordAt(at + 1)) ?? "";
    const isRank = /^[2-9]0$/.test(ten) && /^[1-9]$/.test(unit) && /^(?:the|its)$/.test(this.wordAt(at - 1));
    return isRank ? this.push(`${Number(ten) + Number(unit)}th`, at, at + 2) : undefined;
  }

  private amount(at: number): number | undefined {
    const found = readAmount(this.words, at, this.joinAnd);
    if (found === undefined) return undefined;
    // "12,50" may be a decimal in another language, or two numbers.
    if (isDecimalComma(this.words, this.glued, found.end)) return undefined;
    return this.push(this.words.slice(at, found.end).join(" "), at, found.end, found.term);
  }

  private phrase(at: number): number | undefined {
    const said = lexicon.phrases.find(([phrase]) => phrase.every((word, index) => this.words[at + index] === word));
    if (said === undefined) return undefined;
    const [phrase, meaning] = said;
    const end = at + phrase.length;
    return meaning === "" ? end : this.push(meaning, at, end);
  }

  /** Currencies, units after numbers, and the rooms that have sides. */
  private measure(at: number): number | undefined {
    const word = this.wordAt(at);
    const currency = lexicon.currencyOf(word);
    if (currency !== undefined && !(currency === "cent" && this.wordAt(at - 1) === "nearest")) {
      this.currencies.add(currency);
      return at + 1;
    }
    if (this.hasShape && (lengths.has(word) || word === "square")) return at + 1;
    if (this.isShape(at) && word !== "perimeter") return this.wordAt(at + 1) === "of" ? at + 2 : at + 1;
    const unit = lexicon.units.get(word);
    const last = this.tokens.at(-1);
    // "3.6m" may be a million.
    if (unit === undefined || last?.term === undefined || last.end !== at || (word === "m" && this.glued[at] === true))
      return undefined;
    this.units.add(unit.name);
    return at + 1;
  }

  private isShape(at: number): boolean {
    return lexicon.shapes.has(this.wordAt(at)) && this.wordAt(at + 1) !== "(";
  }

  private isSquareUnit(at: number): boolean {
    return this.words[at] === "square" && lengths.has(this.wordAt(at + 1));
  }

  private word(at: number): number | undefined {
    const word = this.wordAt(at);
    if (word === "%") return this.percent(at);
    const role = this.roleOf(word, at);
    if (role !== undefined) return this.push(role, at, at + 1);
    const last = this.tokens.at(-1);
    if (/^x\d[x\d]*$/.test(word) && last?.term !== undefined && last.word !== "0") return this.factors(word, at);
    if (constants.has(word) && (word !== "e" || this.isInFormula(at))) return this.push(word, at, at + 1, atom(word));
    const meaning = lexicon.meanings.get(word) ?? word;
    const isSaidTwice = last?.word === meaning && /^[a-z]/.test(meaning);
    if (isSaidTwice || lexicon.around.has(word) || this.isCountedNoun(at)) return at + 1;
    return isKnown(meaning) && !this.isExclamation(at) ? this.push(meaning, at, at + 1) : undefined;
  }

  private percent(at: number): number | undefined {
    // "10%-3" is a percentage less three, or a remainder of a negative number.
    if (/^[-−+]$/.test(this.wordAt(at + 1)) && this.glued[at + 2] === true) return undefined;
    return this.push(/^[\d(]/.test(this.wordAt(at + 1)) ? "mod" : "percent", at, at + 1);
  }

  /** The meaning that a word has only between these others. */
  private roleOf(word: string, at: number): string | undefined {
    if (/^(?:of|at|@)$/.test(word) && this.isCounted(at)) return "times";
    if (word === "by" && this.hasShape && !this.words.includes("-")) return "x";
    return this.wordAt(at + 1) === "(" && functions.has(word) ? word : undefined;
  }

  /** "6 times 7!" */
  private isExclamation(at: number): boolean {
    return this.words[at] === "!" && at === this.words.length - 1 && this.words.some((word) => /^\p{L}/u.test(word));
  }

  /** "12 packs of 6", which nothing says but "what is" and the like. */
  private isCountedNoun(at: number): boolean {
    return this.isCounted(at + 1) && this.tokens.slice(0, -1).every(({ word }) => lexicon.weakWords.has(word));
  }

  /** The rest of "3x3x3". */
  private factors(word: string, at: number): number {
    for (const digits of word.split("x").filter((text) => text !== "")) {
      this.push("times", at, at);
      this.push(digits, at, at + 1, atom(digits));
    }
    return at + 1;
  }

  /** "12 packs of 6", "3 tickets at 14.50" */
  private isCounted(at: number): boolean {
    const [count = "", noun = "", link = ""] = this.words.slice(Math.max(0, at - 2), at + 1);
    const amount =
      /^(?:of|at|@)$/.test(link) && /^[a-z]+s$/.test(noun) && !isOperator(noun) && readAmount([count, noun], 0, false);
    const next = lexicon.currencyOf(this.wordAt(at + 1)) === undefined ? at + 1 : at + 2;
    return amount && amount.end === 1 && whole.test(amount.term.text)
      ? readAmount(this.words, next, true) !== undefined
      : false;
  }

  private isInFormula(at: number): boolean {
    return /^[-+*/^)]$/.test(this.wordAt(at + 1)) || /^[-+*/^(]$/.test(this.wordAt(at - 1));
  }
}

/** True for a word of the rules; "boxes" is one only as the parts of a division. */
function isOperator(word: string): boolean {
  const meaning = lexicon.meanings.get(word) ?? word;
  return meaning !== "parts" && vocabulary.has(meaning);
}

function isKnown(meaning: string): boolean {
  return (
    [vocabulary, lexicon.weakWords, lexicon.leads, lexicon.listLeads].some((words) => words.has(meaning)) ||
    lexicon.rankOf(meaning) !== undefined ||
    /^[()]$/.test(meaning)
  );
}

/** True for a comma in the middle of digits with two places behind it, of which there is only one. */
function isDecimalComma(words: readonly string[], glued: readonly boolean[], at: number): boolean {
  const isComma = words[at] === "," && glued[at] === true && glued[at + 1] === true;
  const isOnly =
    !(words[at - 2] === "," && glued[at - 1]) && !(words[at + 2] === "," && glued[at + 2] && glued[at + 3]);
  return isComma && isOnly && /^\d{1,2}$/.test(words[at + 1] ?? "") && words[at + 2] !== ")" && words[at - 2] !== "(";
}

/** Reads the longest number at a word: "two and a half", "3 million", "three quarters", "half a dozen", "2 1/2". */
export function readAmount(words: readonly string[], at: number, joinAnd: boolean): Amount | undefined {
  const word = words[at] ?? "";
  if (word === "one" && isPronoun(words, at)) return undefined;
  const written = vulgar.get(word);
  if (written !== undefined) return { term: fraction(...written), end: at + 1 };
  if (/^\.\d+$/.test(word)) return { term: atom(`0${word}`), end: at + 1 };
  const part = readPart(words, at);
  if (part !== undefined) return part;
  // "oh point six"
  const said = word === "oh" && words[at + 1] === "point" ? ["zero", ...words.slice(at + 1, at + 50)] : undefined;
  const number = said === undefined ? readNumber(words, at, { joinAnd }) : readNumber(said, 0);
  if (number === undefined) return undefined;
  const { digits } = number;
  const end = said === undefined ? number.end : at + number.end;
  const next = words[end] ?? "";
  if (/^e\d{1,3}$/.test(next)) return { term: atom(digits + next), end: end + 1 };
  const below = lexicon.denominators.get(next);
  const isRank = ["root", "power"].includes(words[end + 1] ?? "");
  if (below !== undefined && whole.test(digits) && !isRank) return { term: fraction(digits, below), end: end + 1 };
  return (
    readCents(words, digits, end) ?? scaled(words, readRest(words, digits, end, joinAnd) ?? { term: atom(digits), end })
  );
}

/** "half", "a third", "half a million". */
function readPart(words: readonly string[], at: number): Amount | undefined {
  const word = words[at] ?? "";
  const hasArticle = word === "a" || word === "an";
  const name = hasArticle ? (words[at + 1] ?? "") : word;
  const below = lexicon.denominators.get(name);
  const isAlone = ["half", "quarter", "quarters"].includes(name) || words[at + 1] === "of";
  if (below === undefined || !(hasArticle || isAlone)) return undefined;
  const part = fraction("1", below);
  const end = at + (hasArticle ? 2 : 1);
  const start = words[end] === "a" ? end + 1 : end;
  const scale = scales.get(words[start] ?? "");
  // "half a percent"
  if (scale === undefined) return { term: part, end: words[start] === "percent" ? start : end };
  return { term: { ...(partOf(part, atom(scale)) ?? part), isBare: true }, end: start + 1 };
}

/** "sixty dollars and fifty cents" */
function readCents(words: readonly string[], digits: string, end: number): Amount | undefined {
  if (!whole.test(digits) || !/^(?:dollars?|euros?|pounds?|bucks?)$/.test(words[end] ?? "")) return undefined;
  const start = words[end + 1] === "and" ? end + 2 : end + 1;
  const cents = readNumber(words, start, { joinAnd: false });
  const isCents =
    cents !== undefined && /^\d{1,2}$/.test(cents.digits) && /^(?:cents?|pence)$/.test(words[cents.end] ?? "");
  return isCents ? { term: atom(`${digits}.${cents.digits.padStart(2, "0")}`), end: cents.end + 1 } : undefined;
}

/** The fraction after a whole number: "and a half", "and three quarters", "1/2". */
export function readRest(words: readonly string[], digits: string, end: number, joinAnd: boolean): Amount | undefined {
  const [next = "", second = "", third = "", fourth = ""] = words.slice(end, end + 4);
  const written = vulgar.get(next);
  if (written !== undefined) return mixed(digits, ...written, end + 1);
  if (second === "/" && whole.test(digits) && whole.test(next) && whole.test(third) && Number(next) < Number(third))
    return mixed(digits, next, third, end + 3);
  if (next !== "and" || !joinAnd) return undefined;
  const alone = lexicon.denominators.get(second);
  // "7 and half a dozen" is two numbers.
  if (alone !== undefined) return third === "a" || third === "of" ? undefined : mixed(digits, "1", alone, end + 2);
  const below = lexicon.denominators.get(third);
  const above = second === "a" || second === "an" ? "1" : readNumber([second], 0)?.digits;
  if (below === undefined || above === undefined || fourth === "of") return undefined;
  return mixed(digits, above, below, end + 3);
}

function mixed(digits: string, above: string, below: string, end: number): Amount {
  return { term: { ...binary("+", atom(digits), fraction(above, below)), isBare: true }, end };
}

/** "two and a half million", "5 k". */
function scaled(words: readonly string[], amount: Amount): Amount {
  const scale = scales.get(words[amount.end] ?? "");
  if (scale === undefined) return amount;
  return { term: { ...binary("*", amount.term, atom(scale)), isBare: true }, end: amount.end + 1 };
}

/** "how would one add", "the first one": no number. */
function isPronoun(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? "";
  const next = words[at + 1] ?? "";
  const isCounted =
    /^(?:plus|minus|times|and|over|percent|divided|multiplied|point|hundred|thousand|[mbt]r?illion|[-+*/%x])$/.test(
      next,
    );
  return beforePlace.has(before) || (beforePronoun.has(before) && !isCounted);
}
