import { checkArgumentCount, findFunction } from "../functions.ts";
import { continuing, starting } from "./grammar.ts";
import type { RuleNode, Slot } from "./rules.ts";
import { atom, binary, call, grouped, level, negative, partOf, refused, suffixed, type Term } from "./terms.ts";
import { TokenCursor } from "./token-cursor.ts";
import type { Token } from "./tokens.ts";
import { imperatives, leads, listLeads, pronouns, rankOf, separators, signs, verbs } from "./words.ts";

const maxDepth = 100;
/** What can be read takes a few attempts for each word; without a limit, nested phrases could take forever. */
const workPerToken = 24;
const leastWork = 400;
const maxSkipped = 4;

/** Words that end an operand here, though elsewhere they are operators. */
interface Blocked {
  readonly words: ReadonlyMap<string, RuleNode>;
  readonly outer: Blocked | undefined;
}

/** Reads expressions by precedence (a Pratt parser); the rules of the grammar say what their words mean. */
export abstract class ExpressionReader extends TokenCursor {
  protected work: number;
  protected depth = 0;
  private blocked: Blocked | undefined;

  constructor(tokens: readonly Token[]) {
    super(tokens);
    this.work = leastWork + workPerToken * tokens.length;
  }

  /** "it", "the last answer", "the first" of two. */
  protected abstract pronoun(): Term | undefined;
  /** "both answers", "them": several numbers. */
  protected abstract group(): readonly Term[] | undefined;
  /** The value so far, for a rule that continues it. */
  protected abstract readonly implicit: () => Term | undefined;

  private unblocked<T>(read: () => T, blocked?: Blocked): T {
    const outer = this.blocked;
    this.blocked = blocked;
    const found = read();
    this.blocked = outer;
    return found;
  }

  /** A term whose operators have at least this precedence. */
  private expression(least: number): Term | undefined {
    if (this.depth >= maxDepth) this.work = 0;
    this.depth++;
    const operand = this.operand();
    const term = operand && this.continued(operand, least);
    this.depth--;
    return term;
  }

  /** Reads the operators after an operand, with what follows them. */
  protected continued(first: Term, least: number): Term {
    let left = first;
    for (;;) {
      const made = this.attempt(() => {
        // "17 is divided by 5"
        if (verbs.has(this.word) && continuing.words.has(this.wordAt(this.at + 1)) && !this.isWeak(this.at + 1))
          this.at++;
        const factor = least <= level.product ? this.parenthesized() : undefined;
        if (factor !== undefined) return binary("*", left, factor);
        return this.isBlocked() ? undefined : this.walk(continuing, [left], least);
      });
      if (made === undefined) return this.withoutOf(left);
      left = made;
    }
  }

  private isBlocked(): boolean {
    if (this.blocked !== undefined && imperatives.has(this.word)) return true;
    for (let { blocked } = this; blocked !== undefined; blocked = blocked.outer) {
      if (blocked.words.has(this.word)) return true;
    }
    return false;
  }

  /** "half 90", "half it", "half the sum" */
  private withoutOf(left: Term): Term {
    if (left.fraction === undefined || !left.isBare) return left;
    if (!(/^(?:\d|it$|that$|this$)/.test(this.word) || starting.words.has(this.word))) return left;
    return (
      this.attempt(() => {
        const whole = this.expression(level.power);
        return whole && partOf(left, whole);
      }) ?? left
    );
  }

  /** Follows the rules from a node on: words first, then slots, then what is made here. */
  protected walk(node: RuleNode, parts: readonly Term[], least: number): Term | undefined {
    if (--this.work <= 0) return undefined;
    const isRoot = node === continuing || node === starting;
    const byWord = this.attempt(() => {
      if (!isRoot) this.at += this.skippedBefore(node.words, parts.length > 0);
      const next = node.words.get(this.word);
      if (next === undefined || (node === continuing && next.level < least)) return undefined;
      this.take();
      return this.walk(next, parts, least);
    });
    if (byWord !== undefined) return byWord;
    for (const { slot, next } of node.slots.values()) {
      if (node === continuing || (isRoot && slot.kind !== "ordinal")) continue;
      const bySlot = this.attempt(() => {
        const found = this.fill(slot, next, parts.length === 0);
        return found && this.walk(next, [...parts, ...found], least);
      });
      if (bySlot !== undefined) return bySlot;
    }
    const made = node.level >= least ? node.make?.(parts, this.implicit) : undefined;
    if (made === refused) this.work = 0;
    return made;
  }

  /** How many small words stand before the next word of a rule: "divide the 90 that i have by 3". */
  private skippedBefore(words: ReadonlyMap<string, RuleNode>, isAfterOperand: boolean): number {
    if (!isAfterOperand && !verbs.has(this.word) && !leads.has(this.word)) return 0;
    for (let count = 0; count <= maxSkipped; count++) {
      const word = this.wordAt(this.at + count);
      if (words.has(word)) return count;
      if (!isAfterOperand && /^(?:it|that|these|those|all|both|result|answer)$/.test(word)) return 0;
      if (!this.isWeak(this.at + count) || word === "and" || word === "then") return 0;
    }
    return 0;
  }

  private fill(slot: Slot, next: RuleNode, isFirst: boolean): readonly Term[] | undefined {
    if (slot.kind === "ordinal") {
      const rank = rankOf(this.word);
      if (rank !== undefined) this.take();
      return rank === undefined ? undefined : [atom(rank)];
    }
    // "subtract, let me see, 48 from 112"
    if (isFirst && this.isGlued(this.at)) while (this.takeIf(","));
    if (slot.kind === "number") return this.number();
    const read = () => (slot.kind === "list" ? this.list() : this.operands(slot.least));
    return this.unblocked(read, { words: next.words, outer: this.blocked });
  }

  private operands(least: number): readonly Term[] | undefined {
    const term = this.expression(least);
    return term && [term];
  }

  private number(): readonly Term[] | undefined {
    this.takeAll(leads);
    const term = this.tokens[this.at]?.term;
    if (term === undefined) return undefined;
    this.take();
    return [this.takeIf("percent") ? suffixed(term, "%") : term];
  }

  /** Operands with commas, "and" or nothing between them, or several earlier results. */
  private list(): readonly Term[] | undefined {
    const first = this.group() ?? this.attempt(() => this.firstItem());
    if (first === undefined || "length" in first) return first;
    const items = [first];
    let isSeparated = true;
    let hasAnd = false;
    for (;;) {
      const item = this.attempt(() => {
        const before = this.at;
        this.separator();
        // "is the sum of 4 and 5 9" states a result; "add 4 5 9" is a list.
        if (this.at === before && (!this.isGlued(before) || (isSeparated && items.length > 1))) return undefined;
        isSeparated = this.at > before;
        const isAnd = this.wordAt(this.at - 1) === "and";
        const isOther = items.length > 1 && starting.words.has(this.word) && (this.depth > 0 || (isAnd && hasAnd));
        // "add 5 and multiply by 2"
        const isOperation = continuing.words.has(this.word) && !signs.has(this.word);
        const found = isOther || isOperation ? undefined : this.expression(0);
        hasAnd ||= isAnd;
        // "add 10, double it"
        return this.tokens.slice(before, this.at).some(({ word }) => pronouns.has(word)) ? undefined : found;
      });
      if (item === undefined) return items;
      items.push(item);
    }
  }

  private firstItem(): Term | undefined {
    this.takeAll(listLeads);
    return this.expression(0);
  }

  private separator(): void {
    while (separators.has(this.word) && !this.blocked?.words.has(this.word)) this.take();
    if (this.word === "then" && (this.wordAt(this.at + 1) === "," || this.isNumber(this.at + 1))) {
      this.take();
      this.takeIf(",");
    }
  }

  protected operand(): Term | undefined {
    if (--this.work <= 0) return undefined;
    return this.attempt(() => {
      for (;;) {
        const term = this.operandHere();
        if (term !== undefined || this.depth === 0 || !leads.has(this.word) || this.blocked?.words.has(this.word))
          return term;
        this.take();
      }
    });
  }

  private operandHere(): Term | undefined {
    const token = this.tokens[this.at];
    if (token?.term !== undefined) {
      this.take();
      return token.term;
    }
    return (
      this.parenthesized() ??
      this.attempt(() => this.called()) ??
      this.walk(starting, [], 0) ??
      this.attempt(() => this.signed()) ??
      this.attempt(() => this.pronoun())
    );
  }

  private signed(): Term | undefined {
    if (!signs.has(this.word)) return undefined;
    const isPlus = this.word === "+";
    this.take();
    const operand = this.expression(level.power);
    return isPlus ? operand : operand && negative(operand);
  }

  private parenthesized(): Term | undefined {
    return this.attempt(() => {
      if (!this.takeIf("(")) return undefined;
      const inner = this.unblocked(() => this.expression(0));
      return inner !== undefined && this.takeIf(")") ? grouped(inner) : undefined;
    });
  }

  /** "max(1, 2, 3)" */
  private called(): Term | undefined {
    const name = this.wordAt(this.at + 1) === "(" ? findFunction(this.word) : undefined;
    if (name === undefined) return undefined;
    this.take();
    this.take();
    const items: Term[] = [];
    do {
      const item = this.unblocked(() => this.expression(0));
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.takeIf(","));
    return this.takeIf(")") && checkArgumentCount(name, items.length) === undefined ? call(name, ...items) : undefined;
  }
}
