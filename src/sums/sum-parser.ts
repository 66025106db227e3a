import { continuingTree, type RuleNode, startingTree } from "./rules.ts";
import type { SumToken } from "./sum-tokens.ts";
import { atom, binary, call, chain, grouped, level, negative, partOf, percentage, type Term } from "./terms.ts";
import * as lexicon from "./words.ts";

const maxDepth = 100;
/** Bounds the work, because nested phrases could take exponential time. */
const workPerToken = 24;
const leastWork = 400;
const maxSkipped = 4;
const neverContinuing = new Set(["x", "percent", "!"]);
const inGroup = new Set(["of", "last", "previous", "between", "that", "two", ...lexicon.groups]);

interface Blocked {
  readonly words: ReadonlyMap<string, RuleNode>;
  readonly outer: Blocked | undefined;
}

export class SumParser {
  uses: "both" | "all" | undefined;
  #at = 0;
  #depth = 0;
  #work: number;
  #blocked: Blocked | undefined;
  #values: Term[] = [];
  #isContinued = false;
  #runningUses = 0;
  #isHeld = false;

  readonly #starting = startingTree();
  readonly #continuing = continuingTree();

  readonly #tokens: readonly SumToken[];
  readonly #names: readonly string[];
  readonly #isSum: boolean;

  constructor(tokens: readonly SumToken[], names: readonly string[], isSum: boolean) {
    this.#tokens = tokens;
    this.#names = names;
    this.#isSum = isSum;
    this.#work = leastWork + workPerToken * tokens.length;
  }

  read(): Term | undefined {
    while (this.#at < this.#tokens.length) {
      this.#isContinued = false;
      const term = this.#statement();
      if (this.#work <= 0) return undefined;
      if (term === undefined) {
        const isPointer = lexicon.pronouns.has(this.#word) || lexicon.groups.has(this.#word);
        const isIdle = this.#values.length > 0 && isPointer && this.#isIdlePointer();
        if (isIdle || !this.#isWeak(this.#at)) return undefined;
        this.#at++;
        continue;
      }
      if (this.#isContinued) this.#values.pop();
      this.#values.push(term);
    }
    const term = this.#wordAt(this.#tokens.length - 1) === "and" ? undefined : this.#whole();
    return term?.isBare ? undefined : term;
  }

  get #word(): string {
    return this.#wordAt(this.#at);
  }

  #wordAt(at: number): string {
    return this.#tokens[at]?.word ?? "";
  }

  #isNumber(at: number): boolean {
    return this.#tokens[at]?.term !== undefined;
  }

  #isWeak(at: number): boolean {
    const word = this.#wordAt(at);
    return !this.#isNumber(at) && (lexicon.weakWords.has(word) || lexicon.rankOf(word) !== undefined);
  }

  #takeIf(word: string): boolean {
    if (this.#word !== word) return false;
    this.#at++;
    return true;
  }

  #takeAll(words: ReadonlySet<string>): void {
    while (words.has(this.#word)) this.#at++;
  }

  #attempt<T>(read: () => T | undefined): T | undefined {
    const at = this.#at;
    const found = read();
    if (found === undefined) this.#at = at;
    return found;
  }

  #whole(): Term | undefined {
    const [first, ...others] = this.#values;
    if (first === undefined || others.length === 0) return first;
    if (others.length === 1 && !first.isBare && others[0]?.isBare && this.#isClaim()) return first;
    return this.#isSum && this.#isListed() ? chain("+", this.#values) : undefined;
  }

  #isClaim(): boolean {
    const last = this.#tokens.findLastIndex(({ term }) => term !== undefined);
    return lexicon.equalities.has(this.#wordAt(last - 1)) || lexicon.claiming.has(this.#wordAt(0));
  }

  #statement(): Term | undefined {
    const isVerb = this.#starting.words.has(this.#word) && !lexicon.signs.has(this.#word);
    return (
      (isVerb ? this.#attempt(this.#plain) : undefined) ??
      this.#attempt(() => this.#continuation()) ??
      (isVerb || this.#isIdlePointer() ? undefined : this.#attempt(this.#plain))
    );
  }

  readonly #plain = (least = 0): Term | undefined => {
    const operand = this.#operand();
    return operand && this.#continued(operand, least);
  };

  #continuation(): Term | undefined {
    const running = this.#running;
    const word = this.#word;
    const isBreak = this.#at === 0 || lexicon.breaks.has(this.#wordAt(this.#at - 1));
    const isWeak = this.#isWeak(this.#at) && !(isBreak && this.#values.length === 1);
    if (running === undefined || isWeak || !this.#continuing.words.has(word) || neverContinuing.has(word))
      return undefined;
    // "- 5 + 3" is a sum of its own; "- 5" alone continues the value before it.
    const isOwn = this.#values.length === 0 && /^[-+]$/.test(word) && this.#tokens.length > 2;
    if (lexicon.signs.has(word) && (!isBreak || isOwn)) return undefined;
    this.#isHeld = true;
    const made = this.#walk(this.#continuing, [running], 0);
    this.#isHeld = false;
    if (made === undefined) return undefined;
    this.#isContinued = true;
    return this.#continued(made, 0);
  }

  #isIdlePointer(): boolean {
    const { pronouns, results, groups, places } = lexicon;
    const isPointer = [pronouns, results, groups, places].some((words) => words.has(this.#word));
    return isPointer && !this.#continuing.words.has(this.#wordAt(this.#at + 1));
  }

  get #running(): Term | undefined {
    if (this.#values.length > 0) return this.#values.length > 1 ? undefined : this.#values[0];
    return this.#names.length > 0 ? atom("x") : undefined;
  }

  #useRunning(): Term | undefined {
    if (this.#isHeld) return undefined;
    this.#runningUses++;
    if (this.#values.length === 1) this.#isContinued = true;
    return this.#running;
  }

  readonly #implicit = (): Term | undefined => (this.#depth === 0 ? this.#useRunning() : undefined);

  #pronoun(): Term | undefined {
    const place = lexicon.places.get(this.#word);
    if (place !== undefined) {
      const terms = this.#earlier();
      this.#at++;
      this.#takeAll(lexicon.results);
      if (terms === undefined || this.#isNumber(this.#at)) return undefined;
      this.uses ??= "both";
      return terms[place];
    }
    const isResult = lexicon.results.has(this.#word) && !["of", "between", "from"].includes(this.#wordAt(this.#at + 1));
    if (!(isResult || lexicon.pronouns.has(this.#word)) || this.#isNumber(this.#at + 1)) return undefined;
    this.#at++;
    return this.#useRunning();
  }

  #group(): readonly Term[] | undefined {
    return this.#attempt(() => {
      const start = this.#at;
      this.#takeAll(inGroup);
      const words = this.#tokens.slice(start, this.#at).map(({ word }) => word);
      const isBoth = words.includes("both") || words.includes("two");
      const isAfterwards = this.#isNumber(this.#at) || (this.#word === "and" && this.#isNumber(this.#at + 1));
      if (isAfterwards || !(isBoth || words.some((word) => lexicon.groups.has(word)))) return undefined;
      const terms = this.#earlier();
      if (this.#values.length > 1) this.#values.length = 1;
      else this.uses = isBoth ? "both" : "all";
      this.#isContinued = this.#values.length > 0;
      return terms;
    });
  }

  #isListed(): boolean {
    const isNumber = ({ term }: SumToken) => term !== undefined;
    const list = this.#tokens.slice(this.#tokens.findIndex(isNumber), this.#tokens.findLastIndex(isNumber) + 1);
    return list.every((token) => isNumber(token) || /^(?:,|and|-|minus|negative|percent)$/.test(token.word));
  }

  #earlier(): readonly Term[] | undefined {
    if (this.#values.length > 1) return [...this.#values];
    return this.#names.length > 0 ? this.#names.map(atom) : undefined;
  }

  #unblocked<T>(read: () => T, blocked?: Blocked): T {
    const outer = this.#blocked;
    this.#blocked = blocked;
    const found = read();
    this.#blocked = outer;
    return found;
  }

  #expression(least: number): Term | undefined {
    if (this.#depth >= maxDepth) this.#work = 0;
    this.#depth++;
    const term = this.#plain(least);
    this.#depth--;
    return term;
  }

  #continued(first: Term, least: number): Term {
    let left = first;
    for (;;) {
      const made = this.#attempt(() => {
        const isOperator = this.#continuing.words.has(this.#wordAt(this.#at + 1)) && !this.#isWeak(this.#at + 1);
        if (lexicon.verbs.has(this.#word) && isOperator) this.#at++;
        const factor = least <= level.product ? this.#parenthesized() : undefined;
        if (factor !== undefined) return binary("*", left, factor);
        return this.#isBlocked() ? undefined : this.#walk(this.#continuing, [left], least);
      });
      if (made === undefined) return this.#withoutOf(left);
      left = made;
    }
  }

  #isBlocked(): boolean {
    if (this.#blocked !== undefined && lexicon.imperatives.has(this.#word)) return true;
    for (let blocked = this.#blocked; blocked !== undefined; blocked = blocked.outer)
      if (blocked.words.has(this.#word)) return true;
    return false;
  }

  #withoutOf(left: Term): Term {
    if (left.fraction === undefined || !left.isBare) return left;
    if (!(/^(?:\d|it$|that$|this$)/.test(this.#word) || this.#starting.words.has(this.#word))) return left;
    const ofWhole = () => {
      const whole = this.#expression(level.power);
      return whole && partOf(left, whole);
    };
    return this.#attempt(ofWhole) ?? left;
  }

  #walk(node: RuleNode, parts: readonly Term[], least: number): Term | undefined {
    if (--this.#work <= 0) return undefined;
    const isRoot = node === this.#continuing || node === this.#starting;
    const byWord = this.#attempt(() => {
      if (!isRoot) this.#at += this.#skippedBefore(node.words, parts.length > 0);
      const next = node.words.get(this.#word);
      if (next === undefined || (node === this.#continuing && next.level < least)) return undefined;
      this.#at++;
      return this.#walk(next, parts, least);
    });
    if (byWord !== undefined) return byWord;
    for (const [slot, next] of node.slots) {
      if (isRoot && slot !== "th") continue;
      const bySlot = this.#attempt(() => {
        const found = this.#fill(slot, next);
        return found && this.#walk(next, [...parts, ...found], least);
      });
      if (bySlot !== undefined) return bySlot;
    }
    return node.level >= least ? node.make?.(parts, this.#implicit) : undefined;
  }

  #skippedBefore(words: ReadonlyMap<string, RuleNode>, isAfterOperand: boolean): number {
    if (!isAfterOperand && !lexicon.verbs.has(this.#word) && !lexicon.leads.has(this.#word)) return 0;
    for (let count = 0; count <= maxSkipped; count++) {
      const word = this.#wordAt(this.#at + count);
      if (words.has(word)) return count;
      if (!isAfterOperand && /^(?:it|that|these|those|all|both|result|answer)$/.test(word)) return 0;
      if (!this.#isWeak(this.#at + count) || word === "and" || word === "then") return 0;
    }
    return 0;
  }

  #fill(slot: string, next: RuleNode): readonly Term[] | undefined {
    if (slot === "th") {
      const rank = lexicon.rankOf(this.#word);
      this.#at++;
      return rank === undefined ? undefined : [atom(rank)];
    }
    if (slot === "n") return this.#number();
    const read = () => {
      if (slot === "*") return this.#list();
      const term = this.#expression(Number(slot));
      return term && [term];
    };
    return this.#unblocked(read, { words: next.words, outer: this.#blocked });
  }

  #number(): readonly Term[] | undefined {
    this.#takeAll(lexicon.leads);
    const term = this.#tokens[this.#at]?.term;
    if (term === undefined) return undefined;
    this.#at++;
    return [this.#takeIf("percent") ? percentage(term) : term];
  }

  #list(): readonly Term[] | undefined {
    const first =
      this.#group() ??
      this.#attempt(() => {
        this.#takeAll(lexicon.listLeads);
        return this.#expression(0);
      });
    if (first === undefined || "length" in first) return first;
    const items = [first];
    let isSeparated = true;
    let hasAnd = false;
    for (;;) {
      const item = this.#attempt(() => {
        const [before, used] = [this.#at, this.#runningUses];
        this.#skipSeparators();
        const isGlued = this.#tokens[before - 1]?.end === this.#tokens[before]?.start;
        if (this.#at === before && (!isGlued || (isSeparated && items.length > 1))) return undefined;
        isSeparated = this.#at > before;
        const isAnd = this.#wordAt(this.#at - 1) === "and";
        const isOther =
          items.length > 1 && this.#starting.words.has(this.#word) && (this.#depth > 0 || (isAnd && hasAnd));
        const isOperation = this.#continuing.words.has(this.#word) && !lexicon.signs.has(this.#word);
        const found = isOther || isOperation ? undefined : this.#expression(0);
        hasAnd ||= isAnd;
        return this.#runningUses > used ? undefined : found;
      });
      if (item === undefined) return items;
      items.push(item);
    }
  }

  #skipSeparators(): void {
    while (lexicon.separators.has(this.#word) && !this.#blocked?.words.has(this.#word)) this.#at++;
  }

  #operand(): Term | undefined {
    if (--this.#work <= 0) return undefined;
    return this.#attempt(() => {
      for (;;) {
        const term = this.#operandHere();
        const isLead = this.#depth > 0 && lexicon.leads.has(this.#word) && !this.#blocked?.words.has(this.#word);
        if (term !== undefined || !isLead) return term;
        this.#at++;
      }
    });
  }

  #operandHere(): Term | undefined {
    const token = this.#tokens[this.#at];
    if (token?.term !== undefined) {
      this.#at++;
      return token.term;
    }
    return (
      this.#parenthesized() ??
      this.#attempt(() => this.#called()) ??
      this.#walk(this.#starting, [], 0) ??
      this.#attempt(() => this.#signed()) ??
      this.#attempt(() => this.#pronoun())
    );
  }

  #signed(): Term | undefined {
    if (!lexicon.signs.has(this.#word)) return undefined;
    const isPlus = this.#word === "+";
    this.#at++;
    const operand = this.#expression(level.power);
    return isPlus ? operand : operand && negative(operand);
  }

  #parenthesized(): Term | undefined {
    return this.#attempt(() => {
      if (!this.#takeIf("(")) return undefined;
      const inner = this.#unblocked(() => this.#expression(0));
      return inner !== undefined && this.#takeIf(")") ? grouped(inner) : undefined;
    });
  }

  #called(): Term | undefined {
    const name = this.#word;
    if (this.#wordAt(this.#at + 1) !== "(" || !lexicon.functions.has(name)) return undefined;
    this.#at += 2;
    const items: Term[] = [];
    do {
      const item = this.#unblocked(() => this.#expression(0));
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.#takeIf(","));
    return this.#takeIf(")") ? call(name, items) : undefined;
  }
}
