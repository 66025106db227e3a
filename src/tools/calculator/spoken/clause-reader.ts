import { ExpressionReader } from "./expression-reader.ts";
import { continuing, starting } from "./grammar.ts";
import { atom, chain, type Term } from "./terms.ts";
import type { Token } from "./tokens.ts";
import { breaks, claiming, equalities, groups, places, pronouns, results, signs } from "./words.ts";

/** What a {@link ClauseReader} starts from. */
export interface ClauseOptions {
  /** The names of several earlier results; the last one is `x`. Without any, none can be meant. */
  readonly names: readonly string[];
  /** Whether numbers with only "and" between them are a sum. */
  readonly isSum: boolean;
}

const neverContinuing = new Set(["x", "percent", "!"]);
const beforeResult = new Set(["that", "this", "previous", "last"]);
const inGroup = new Set(["of", "last", "previous", "between", "that", "two", ...groups]);

/** Reads the statements of a clause, each of which is an expression or changes the value so far. */
export class ClauseReader extends ExpressionReader {
  /** Which earlier results were asked for together. */
  uses: "both" | "all" | undefined;
  /** How many statements there are. */
  statements = 0;
  /** The values of the statements so far that no later one has used. */
  private values: Term[] = [];
  private isContinued = false;
  /** Whether the value so far is already an operand of the statement that is read. */
  private isHeld = false;

  constructor(
    tokens: readonly Token[],
    private readonly options: ClauseOptions,
  ) {
    super(tokens);
  }

  /** The whole clause as one term, if every number and operator in it has its part. */
  read(): Term | undefined {
    while (this.at < this.tokens.length) {
      this.isContinued = false;
      const term = this.statement();
      if (this.work <= 0) return undefined;
      if (term === undefined) {
        if (!this.isWeak(this.at)) return undefined;
        this.at++;
        continue;
      }
      if (!term.isBare) this.statements++;
      if (this.isContinued) this.values.pop();
      this.values.push(term);
    }
    const term = this.wordAt(this.tokens.length - 1) === "and" ? undefined : this.whole();
    return term?.isBare ? undefined : term;
  }

  private whole(): Term | undefined {
    const [first, ...others] = this.values;
    if (first === undefined || others.length === 0) return first;
    if (others.length === 1 && !first.isBare && others[0]?.isBare && this.isClaim()) return first;
    if (!(this.options.isSum && this.isListed())) return undefined;
    for (const [at, { word }] of this.tokens.entries()) if (word === "and" || word === ",") this.marks.push(at);
    return chain("+", this.values);
  }

  /** Whether the last number is only what the speaker says the result is. */
  private isClaim(): boolean {
    return equalities.has(this.wordAt((this.marks.at(-1) ?? 0) - 1)) || claiming.has(this.wordAt(0));
  }

  private statement(): Term | undefined {
    const isVerb = starting.words.has(this.word) && !signs.has(this.word);
    return (
      (isVerb ? this.attempt(() => this.plain()) : undefined) ??
      this.attempt(() => this.continuation()) ??
      (isVerb || this.isIdlePointer() ? undefined : this.attempt(() => this.plain()))
    );
  }

  private plain(): Term | undefined {
    const operand = this.operand();
    return operand && this.continued(operand, 0);
  }

  /** "divided by 2", "plus 5": the value so far is the first operand. */
  private continuation(): Term | undefined {
    const { running, word } = this;
    const isBreak = this.at === 0 || breaks.has(this.wordAt(this.at - 1));
    const isWeak = this.isWeak(this.at) && !(isBreak && this.values.length === 1);
    if (running === undefined || isWeak || !continuing.words.has(word) || neverContinuing.has(word)) return undefined;
    // "- 5 + 3" is a whole, "- 5" alone continues.
    if (signs.has(word) && (!isBreak || (this.values.length === 0 && /^[-+]$/.test(word) && this.tokens.length > 2)))
      return undefined;
    this.isHeld = true;
    const made = this.walk(continuing, [running], 0);
    this.isHeld = false;
    if (made === undefined) return undefined;
    this.isContinued = true;
    return this.continued(made, 0);
  }

  /** "it" in "what is it", not in "it times 5". */
  private isIdlePointer(): boolean {
    const isPointer = [pronouns, results, groups].some((words) => words.has(this.word)) || places.has(this.word);
    return isPointer && !continuing.words.has(this.wordAt(this.at + 1));
  }

  /** The value so far: of this clause, or the earlier result. */
  private get running(): Term | undefined {
    if (this.values.length > 0) return this.values.length > 1 ? undefined : this.values[0];
    return this.options.names.length > 0 ? atom("x") : undefined;
  }

  private useRunning(): Term | undefined {
    if (this.isHeld) return undefined;
    if (this.values.length === 1) this.isContinued = true;
    return this.running;
  }

  protected readonly implicit = (): Term | undefined => (this.depth === 0 ? this.useRunning() : undefined);

  protected pronoun(): Term | undefined {
    const place = places.get(this.word);
    if (place !== undefined) return this.place(place);
    while (
      beforeResult.has(this.word) &&
      (results.has(this.wordAt(this.at + 1)) || beforeResult.has(this.wordAt(this.at + 1)))
    )
      this.take();
    const isResult = results.has(this.word) && !["of", "between", "from"].includes(this.wordAt(this.at + 1));
    if (!(isResult || pronouns.has(this.word)) || this.isNumber(this.at + 1)) return undefined;
    this.take();
    return this.useRunning();
  }

  private place(place: number): Term | undefined {
    const terms = this.earlier();
    this.take();
    this.takeAll(results);
    if (terms === undefined || this.isNumber(this.at)) return undefined;
    this.uses ??= "both";
    return terms[place];
  }

  protected group(): readonly Term[] | undefined {
    return this.attempt(() => {
      const start = this.at;
      this.takeAll(inGroup);
      const words = this.tokens.slice(start, this.at).map(({ word }) => word);
      const isBoth = words.includes("both") || words.includes("two");
      const isAfterwards = this.isNumber(this.at) || (this.word === "and" && this.isNumber(this.at + 1));
      if (isAfterwards || !(isBoth || words.some((word) => groups.has(word)))) return this.unusedValues();
      const terms = this.earlier();
      if (this.values.length > 1) this.values.length = 1;
      else this.uses = isBoth ? "both" : "all";
      this.isContinued = this.values.length > 0;
      return terms;
    });
  }

  /** "5, 6 and 7, what is the average" */
  private unusedValues(): readonly Term[] | undefined {
    const isOver = !this.tokens.slice(this.at).some(({ term }) => term !== undefined);
    if (this.depth > 0 || this.values.length < 2 || !isOver || !this.isListed()) return undefined;
    const values = [...this.values];
    this.values.length = 1;
    this.isContinued = true;
    return values;
  }

  /** Whether all values are numbers with a comma or "and" and hardly a word between them. */
  private isListed(): boolean {
    const numbers = this.tokens.flatMap(({ term }, at) => (term === undefined ? [] : at));
    const isBetween = numbers.every((at, index) => {
      const next = numbers[index + 1] ?? at;
      const between = this.tokens.slice(at + 1, next);
      const distance = (this.tokens[next]?.start ?? 0) - (this.tokens[at]?.end ?? 0);
      return next === at || (distance <= 4 && between.some(({ word }) => word === "," || word === "and"));
    });
    return isBetween && this.values.every(({ isBare }) => isBare);
  }

  private earlier(): readonly Term[] | undefined {
    if (this.values.length > 1) return [...this.values];
    return this.options.names.length > 0 ? this.options.names.map(atom) : undefined;
  }
}
