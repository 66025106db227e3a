import { type Unit, units } from "../english/units.ts";
import { saysAt } from "../english/word-set.ts";
import { readAmount } from "./amounts.ts";
import { vocabulary } from "./rules.ts";
import { atom, formula, type Term } from "./terms.ts";
import * as lexicon from "./words.ts";

export interface SumToken {
  readonly word: string;
  readonly term?: Term;
  readonly start: number;
  readonly end: number;
}

export interface SumTokens {
  readonly tokens: readonly SumToken[];
  readonly hasUnit: boolean;
}

const constants = new Set(["pi", "tau", "e"]);
const lengths = new Set([...units].flatMap(([word, { kind }]) => (kind.has("meter") ? word : [])));
const inRadians = formula("a * pi / 180");
const decimal = /^\d{1,9}(?:\.\d{1,9})?$/;

export class SumTokenizer {
  readonly #tokens: SumToken[] = [];
  readonly #units = new Map<string, Unit>();
  readonly #currencies = new Set<string>();
  readonly #hasShape: boolean;
  #hasLabel = false;

  readonly #words: readonly string[];
  readonly #glued: readonly boolean[];
  readonly #joinAnd: boolean;

  constructor(words: readonly string[], glued: readonly boolean[], joinAnd: boolean) {
    this.#words = words;
    this.#glued = glued;
    this.#joinAnd = joinAnd;
    const isSquare = (at: number) => words[at] === "square" && lengths.has(this.#wordAt(at + 1));
    this.#hasShape = words.some((_, at) => this.#isShape(at) || isSquare(at));
  }

  read(): SumTokens | undefined {
    const words = this.#words;
    const tokens = this.#tokens;
    const currencies = this.#currencies;
    if (words.some((word, at) => this.#glued[at] && /^\.\d/.test(word) && /\d$/.test(this.#wordAt(at - 1))))
      return undefined;
    for (let at = 0; at < words.length; ) {
      const end = this.#number(at) ?? this.#purpose(at) ?? this.#phrase(at) ?? this.#measure(at) ?? this.#single(at);
      if (end === undefined) return undefined;
      at = end;
    }
    // Two units or currencies would need a conversion; "6 cans at 89 cents" may be in dollars or in cents.
    const isProduct = tokens.some(({ word }) => word === "times");
    const isMixed = isProduct ? currencies.has("cent") : this.#units.size + currencies.size > 1;
    const isMixture = (isMixed || this.#units.size > 1) && !this.#isRate();
    return isMixture || currencies.size > 1 ? undefined : { tokens, hasUnit: this.#units.size > 0 };
  }

  #isRate(): boolean {
    const kinds = new Set([...this.#units.values()].map(({ kind }) => kind));
    const signs = this.#tokens.filter(({ word }) => vocabulary.has(word) && /^\W$/.test(word));
    const isPair = kinds.size === 2 && this.#units.size === 2 && this.#currencies.size === 0;
    return isPair && signs.length === 1 && signs[0]?.word === "/";
  }

  #wordAt(at: number): string {
    return this.#words[at] ?? "";
  }

  #push(word: string, start: number, end: number, term?: Term): number {
    this.#tokens.push(term === undefined ? { word, start, end } : { word, start, end, term });
    return end;
  }

  #isShape(at: number): boolean {
    return lexicon.shapes.has(this.#wordAt(at)) && this.#wordAt(at + 1) !== "(";
  }

  #number(at: number): number | undefined {
    const words = this.#words;
    const glued = this.#glued;
    const amount = readAmount(words, at, this.#joinAnd);
    if (amount === undefined) return undefined;
    const unit = /^(?:the|its)$/.test(this.#wordAt(at - 1)) ? (lexicon.rankOf(this.#wordAt(at + 1)) ?? "") : "";
    const ten = /^[1-9]$/.test(unit) ? readAmount(words.slice(at, at + 1), 0, false)?.term.text : undefined;
    if (/^[2-9]0$/.test(ten ?? "")) return this.#push(`${Number(ten) + Number(unit)}th`, at, at + 2);
    if (isDecimalComma(words, glued, amount.end)) return undefined;
    return this.#push(words.slice(at, amount.end).join(" "), at, amount.end, amount.term);
  }

  #phrase(at: number): number | undefined {
    const ways = lexicon.phrases.get(this.#wordAt(at)) ?? [];
    const [said, meaning = ""] = ways.find(([way]) => saysAt(this.#words, at, way)) ?? [];
    if (said === undefined) return undefined;
    return meaning === "" ? at + said.length : this.#push(meaning, at, at + said.length);
  }

  #measure(at: number): number | undefined {
    const word = this.#wordAt(at);
    const currency = lexicon.currencyOf(word);
    if (currency !== undefined && !(currency === "cent" && this.#wordAt(at - 1) === "nearest")) {
      this.#currencies.add(currency);
      return at + 1;
    }
    if (this.#hasShape && (lengths.has(word) || word === "square")) return at + 1;
    if (this.#isShape(at) && word !== "perimeter") return this.#wordAt(at + 1) === "of" ? at + 2 : at + 1;
    const unit = units.get(word);
    const last = this.#tokens.at(-1);
    // "3.6m" may mean 3.6 million.
    const isAmount = last?.term !== undefined && last.end === at && !(word === "m" && this.#glued[at] === true);
    if (unit === undefined || !isAmount) return undefined;
    this.#units.set(unit.names[0], unit);
    return at + 1;
  }

  #single(at: number): number | undefined {
    const word = this.#wordAt(at);
    const last = this.#tokens.at(-1);
    if (word === "%") return this.#percent(at);
    if (last?.term !== undefined && this.#isPer(at) && this.#tokens.at(-2)?.word === "times") return at + 2;
    const factor = this.#factor(at);
    if (factor !== undefined) return factor;
    const meaning = lexicon.meanings.get(word) ?? word;
    const isSaidTwice = last?.word === meaning && /^[a-z]/.test(meaning);
    // "5 minus minus 3" may be 2 or 8.
    if (isSaidTwice) return isOperator(word) && !lexicon.weakWords.has(word) ? undefined : at + 1;
    if (/^(?:degrees?|deg|°)$/.test(word)) return this.#degrees(at);
    if (lexicon.around.has(word) || this.#isCountedNoun(at)) return at + 1;
    if (isKnown(meaning) && !this.#isExclamation(at)) return this.#push(meaning, at, at + 1);
    return this.#isCountedFactor(at) ? at + 1 : undefined;
  }

  #factor(at: number): number | undefined {
    const [previous, word, next] = [this.#wordAt(at - 1), this.#wordAt(at), this.#wordAt(at + 1)];
    const last = this.#tokens.at(-1);
    if (this.#isCounted(at)) return this.#push("times", at, at + 1);
    if (word === "by" && this.#hasShape && !this.#words.includes("-")) return this.#push("x", at, at + 1);
    if (next === "(" && lexicon.functions.has(word)) return this.#push(word, at, at + 1);
    if (/^x\d[x\d]*$/.test(word) && last?.term !== undefined && last.word !== "0") return this.#factors(word, at);
    const isInFormula = /^[-+*/^)]$/.test(next) || /^[-+*/^(]$/.test(previous);
    return constants.has(word) && (word !== "e" || isInFormula) ? this.#push(word, at, at + 1, atom(word)) : undefined;
  }

  /** True for "a metre" behind a price. */
  #isPer(at: number): boolean {
    return /^(?:an?|per|each)$/.test(this.#wordAt(at)) && /^[a-z]+$/.test(this.#wordAt(at + 1));
  }

  #isCountedNoun(at: number): boolean {
    return this.#isCounted(at + 1) && this.#tokens.slice(0, -1).every(({ word }) => lexicon.weakWords.has(word));
  }

  #degrees(at: number): number | undefined {
    const angle = this.#tokens.at(-1);
    const name = this.#tokens.slice(-4, -1).findLast(({ word }) => word !== "(" && word !== "of")?.word ?? "";
    const term = angle?.term && inRadians(angle.term);
    if (angle === undefined || term === undefined || !/^(?:sin|cos|tan)$/.test(name)) return undefined;
    this.#tokens.pop();
    return this.#push(angle.word, angle.start, at + 1, term);
  }

  #percent(at: number): number | undefined {
    // "10%-3" may be 10 percent minus three, or a remainder.
    if (/^[-−+]$/.test(this.#wordAt(at + 1)) && this.#glued[at + 2] === true) return undefined;
    return this.#push(/^[\d(]/.test(this.#wordAt(at + 1)) ? "mod" : "percent", at, at + 1);
  }

  #factors(word: string, at: number): number {
    for (const digits of word.split("x").filter((text) => text !== "")) {
      this.#push("times", at, at);
      this.#push(digits, at, at + 1, atom(digits));
    }
    return at + 1;
  }

  #isCountedFactor(at: number): boolean {
    const [amount, before] = [this.#tokens.at(-1), this.#tokens.at(-2)];
    const isCount =
      amount?.term !== undefined && amount.end === at && !this.#glued[at] && /^\p{Ll}+$/u.test(this.#wordAt(at));
    if (amount !== undefined && before?.end === amount.start && this.#glued[amount.start]) return false;
    const [sign = "", next = ""] = [before?.word, lexicon.meanings.get(this.#wordAt(at + 1)) ?? this.#wordAt(at + 1)];
    const isFactor = [sign, next].some((word) => /^(?:[*/x]|times)$/.test(word)) || this.#isCounted(at + 1);
    if (!isCount || isFactor) return isCount;
    // "3 apples + 4 pears" are neither 7 apples nor 7 pears.
    if (this.#hasLabel) return false;
    this.#hasLabel = /^[.?!]?$/.test(next)
      ? /^(?:[-+]|plus|minus|by|over|between)$/.test(sign)
      : /^(?:[-+]|plus|minus)$/.test(next);
    return this.#hasLabel;
  }

  /** Skips the purpose behind a sum: "times 1.2 for the vat". */
  #purpose(at: number): number | undefined {
    const { length } = this.#words;
    if (this.#wordAt(at) !== "for" || at + 1 === length || length - at > 4) return undefined;
    const last = this.#tokens.at(-1)?.word === "percent" ? -2 : -1;
    const [sign, amount] = [this.#tokens.at(last - 1)?.word ?? "", this.#tokens.at(last)];
    if (amount?.term === undefined || sign === "and" || !isOperator(sign)) return undefined;
    const isNumber = (_: string, index: number) => readAmount(this.#words, at + index, false) !== undefined;
    return this.#words.slice(at).some(isNumber) ? undefined : length;
  }

  #isExclamation(at: number): boolean {
    const isLast = this.#words[at] === "!" && at === this.#words.length - 1;
    return isLast && this.#words.some((word) => /^\p{L}/u.test(word));
  }

  #isCounted(at: number): boolean {
    const [count, noun, link] = [this.#wordAt(at - 2), this.#wordAt(at - 1), this.#wordAt(at)];
    const next = lexicon.currencyOf(this.#wordAt(at + 1)) === undefined ? at + 1 : at + 2;
    // "9 at 31.20" has a price, "3 at 10.30" may have a time, and "at 18 a metre" continues a sum.
    const isPrice = /^(?:at|@)$/.test(link) && (priceAlone.test(this.#wordAt(next)) || this.#isPer(next + 1));
    if (isPrice && (at === 0 || readAmount([noun], 0, false) !== undefined)) return true;
    if (!/^(?:of|at|@|with)$/.test(link) || !/^[a-z]+s$/.test(noun) || isOperator(noun)) return false;
    const amount = readAmount([count, noun], 0, false);
    return amount?.end === 1 && decimal.test(amount.term.text) && readAmount(this.#words, next, true) !== undefined;
  }
}

const priceAlone = /^(?!(?:[01]?\d|2[0-4])\.[0-5]\d$)\d+\.\d\d$/;

function isOperator(word: string): boolean {
  const meaning = lexicon.meanings.get(word) ?? word;
  return meaning !== "parts" && vocabulary.has(meaning);
}

const known = [vocabulary, lexicon.weakWords, lexicon.leads, lexicon.listLeads];

function isKnown(meaning: string): boolean {
  return known.some((words) => words.has(meaning)) || lexicon.rankOf(meaning) !== undefined || /^[()]$/.test(meaning);
}

function isDecimalComma(words: readonly string[], glued: readonly boolean[], at: number): boolean {
  const isComma = words[at] === "," && glued[at] === true && glued[at + 1] === true;
  const isOnly =
    !(words[at - 2] === "," && glued[at - 1]) && !(words[at + 2] === "," && glued[at + 2] && glued[at + 3]);
  return isComma && isOnly && /^\d{1,2}$/.test(words[at + 1] ?? "") && words[at + 2] !== ")" && words[at - 2] !== "(";
}
