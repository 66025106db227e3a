import { readNumber, startsNumber } from "../../english/numbers.ts";
import { numberPointers, resultNouns } from "../../english/references.ts";
import {
  type ArithmeticNode,
  atom,
  binary,
  fraction,
  level,
  negative,
  partOf,
  percent,
} from "./arithmetic-language-nodes.ts";
import {
  denominators,
  type InfixTerm,
  infixTerms,
  listTerms,
  type Phrase,
  postfixTerms,
  rankOf,
} from "./arithmetic-language-terms.ts";
import { findConstant, findFunction } from "./functions.ts";

const articles = new Set(["the", "a", "an"]);
const partWords = new Set(["of", "off", "discount", "tip", "tax", "interest", "reduction", "less"]);
const maxDepth = 200;
/** An expression that can be read takes at most about one attempt per word. */
const workPerWord = 2;
const leastWork = 32;

/** What an {@link ArithmeticReader} is created with. */
interface ReaderOptions {
  readonly hasPrevious: boolean;
  readonly joinAnd: boolean;
  /** Reads what starts with a name; given from outside, as it reads its operands with the reader in turn. */
  readonly readNamed: (reader: ArithmeticReader) => ArithmeticNode | undefined;
}

/** Reads the words of an expression: a Pratt parser, which never backtracks further than one phrase. */
export class ArithmeticReader {
  at = 0;
  /** How many operations were read: a number alone is not arithmetic. */
  operations = 0;
  usesPrevious = false;
  /** A word that ends an operand here, though elsewhere it is an operator between two operands. */
  blocked = "";
  private depth = 0;
  private work: number;

  constructor(
    readonly words: readonly string[],
    private readonly options: ReaderOptions,
  ) {
    this.work = leastWork + workPerWord * words.length;
  }

  /** Takes the words if they come next. */
  take(...wanted: Phrase): boolean {
    if (!wanted.every((word, index) => this.words[this.at + index] === word)) return false;
    this.at += wanted.length;
    return true;
  }

  takeAny(words: ReadonlySet<string>): boolean {
    const isNext = words.has(this.words[this.at] ?? "");
    if (isNext) this.at++;
    return isNext;
  }

  get isAtEnd(): boolean {
    return this.at >= this.words.length;
  }

  /** Whether the expression is too deeply nested, or took too many attempts. */
  get hasGivenUp(): boolean {
    return this.work === 0;
  }

  /** The earlier result as an operand. */
  previous(): ArithmeticNode | undefined {
    if (!this.options.hasPrevious) return undefined;
    this.usesPrevious = true;
    return atom("x");
  }

  /** Reads an expression whose operators have at least this precedence. */
  expression(least = 0): ArithmeticNode | undefined {
    // Some phrases are tried one after the other at the start; without a limit, nested ones would take forever.
    this.work = this.depth >= maxDepth ? 0 : Math.max(0, this.work - 1);
    if (this.hasGivenUp) return undefined;
    this.depth++;
    const left = this.operand();
    const node = left && this.continued(left, least);
    this.depth--;
    return node;
  }

  /** Reads the operators after an operand, with everything that follows. */
  continued(first: ArithmeticNode, least = 0): ArithmeticNode {
    let left = this.postfix(first);
    for (;;) {
      const before = this.at;
      const power = least <= level.power ? this.powerWords() : undefined;
      const next = power === undefined ? this.infix(left, least) : binary("^", left, power);
      if (next === undefined) {
        this.at = before;
        return left;
      }
      this.operations++;
      left = this.postfix(next);
    }
  }

  /** Operands with commas or "and" between them. */
  list(): readonly ArithmeticNode[] {
    const items: ArithmeticNode[] = [];
    for (;;) {
      const before = this.at;
      if (items.length > 0) {
        const hasComma = this.take(",");
        const hasWord = this.take("and") || this.take("with");
        // "the sum of 5 and 6 and the product of 3 and 4" is two.
        const isOther =
          items.length > 1 && this.words[this.at] === "the" && listTerms.has(this.words[this.at + 1] ?? "");
        if (!(hasComma || hasWord) || isOther || this.infixTerm(0) !== undefined) {
          this.at = before;
          return items;
        }
      }
      const item = this.expression();
      if (item === undefined) {
        this.at = before;
        return items;
      }
      items.push(item);
    }
  }

  private infixTerm(least: number): InfixTerm | undefined {
    const word = this.words[this.at] ?? "";
    if (word === this.blocked) return undefined;
    return infixTerms.get(word)?.find((term) => {
      return term.level >= least && term.words.every((part, index) => this.words[this.at + index] === part);
    });
  }

  private infix(left: ArithmeticNode, least: number): ArithmeticNode | undefined {
    const term = this.infixTerm(least);
    if (term === undefined) return undefined;
    this.at += term.words.length;
    const isRight = term.level === level.power || left.isPercent === true || left.fraction !== undefined;
    const right = this.expression(isRight ? term.level : term.level + 1);
    return right && term.combine(left, right);
  }

  /** "to the third power", "to the 5th". */
  private powerWords(): ArithmeticNode | undefined {
    const before = this.at;
    this.take("raised");
    if (this.take("to", "the") || this.take("to")) {
      const word = this.words[this.at] ?? "";
      const rank = rankOf(word);
      if (rank !== undefined) {
        this.at++;
        this.take("power");
        return atom(rank);
      }
    }
    this.at = before;
    return undefined;
  }

  private postfix(operand: ArithmeticNode): ArithmeticNode {
    let node = operand;
    for (;;) {
      const word = this.words[this.at] ?? "";
      const make = postfixTerms.get(word);
      if (make !== undefined) {
        node = make(node);
        this.operations++;
      } else if ((word === "%" && !this.isRemainder()) || (word === "per" && this.words[this.at + 1] === "cent")) {
        if (word === "per") this.at++;
        node = percent(node);
      } else return node;
      this.at++;
    }
  }

  /** 8 % 3 is a remainder; 50% * 3 and 50% of 3 are percentages. */
  private isRemainder(): boolean {
    const next = this.words[this.at + 1];
    if (next === undefined || partWords.has(next) || infixTerms.has(next)) return false;
    return next === "(" || startsNumber(next) || findFunction(next) !== undefined || findConstant(next) !== undefined;
  }

  private operand(): ArithmeticNode | undefined {
    return this.number() ?? this.signed() ?? this.anaphor() ?? this.named() ?? this.group();
  }

  /** A number in digits or words, with a fraction after it. */
  number(): ArithmeticNode | undefined {
    const { words, at } = this;
    const word = words[at] ?? "";
    const alone = word === "a" || word === "an" ? denominators.get(words[at + 1] ?? "") : undefined;
    if (alone !== undefined || word === "half" || word === "quarter") {
      this.at += alone === undefined ? 1 : 2;
      return this.fractionOf(fraction("1", alone ?? denominators.get(word) ?? "1"));
    }
    if (/^[\d.]+e/.test(word)) {
      this.at++;
      return atom(word);
    }
    const found = readNumber(words, at, { joinAnd: this.options.joinAnd });
    if (found === undefined) return undefined;
    this.at = found.end;
    const below = denominators.get(words[this.at] ?? "");
    if (
      below !== undefined &&
      !found.digits.includes(".") &&
      words[this.at + 1] !== "root" &&
      words[this.at + 1] !== "power"
    ) {
      this.at++;
      return this.fractionOf(fraction(found.digits, below));
    }
    return this.mixed(atom(found.digits));
  }

  /** "half 10" is half of 10. */
  private fractionOf(part: ArithmeticNode): ArithmeticNode {
    const next = this.words[this.at] ?? "";
    // "half a million"
    const isScaled = next === "a" && readNumber(this.words, this.at) !== undefined;
    if (!isScaled && !/^\d/.test(next)) return part;
    const whole = this.expression(level.power);
    if (whole === undefined) return part;
    this.operations++;
    return partOf(part, whole);
  }

  /** "two and a half", "3 and three quarters". */
  private mixed(whole: ArithmeticNode): ArithmeticNode {
    if (this.words[this.at] !== "and") return whole;
    const first = this.words[this.at + 1] ?? "";
    const below = denominators.get(this.words[this.at + 2] ?? "");
    const above = first === "a" ? "1" : readNumber(this.words.slice(this.at + 1, this.at + 2), 0)?.digits;
    if (below === undefined || above === undefined) return whole;
    this.at += 3;
    return binary("+", whole, fraction(above, below));
  }

  private signed(): ArithmeticNode | undefined {
    if (this.take("-") || this.take("minus") || this.take("negative")) {
      const node = this.expression(level.power);
      return node && negative(node);
    }
    return this.take("+") ? this.expression(level.power) : undefined;
  }

  /** "it", "that", "the result", "the last answer". */
  private anaphor(): ArithmeticNode | undefined {
    const before = this.at;
    if (this.takeAny(numberPointers)) {
      this.take("previous") || this.take("last") || this.take("final");
      if (this.takeAny(resultNouns) && !["of", "between", "from"].includes(this.words[this.at] ?? ""))
        return this.previous();
      this.at = before;
    }
    if (this.take("it") || this.take("that") || this.take("this")) return this.previous();
    return undefined;
  }

  private group(): ArithmeticNode | undefined {
    if (!this.take("(")) return undefined;
    const inner = this.expression();
    if (inner === undefined || !this.take(")")) return undefined;
    return atom(`(${inner.text})`);
  }

  /** Functions, constants, and everything that starts with a name: "the sum of …", "the square root of …". */
  private named(): ArithmeticNode | undefined {
    const before = this.at;
    this.takeAny(articles);
    const node = this.options.readNamed(this);
    if (node !== undefined) return node;
    this.at = before;
    if (!this.takeAny(articles)) return undefined;
    return this.number() ?? this.group();
  }

  /** Counts an operation, if one was read. */
  counted(node: ArithmeticNode | undefined): ArithmeticNode | undefined {
    if (node !== undefined) this.operations++;
    return node;
  }
}
