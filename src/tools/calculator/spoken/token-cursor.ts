import type { Token } from "./tokens.ts";
import { rankOf, weakWords } from "./words.ts";

/** A place in the tokens of a clause, which keeps those that have a part. */
export class TokenCursor {
  protected at = 0;
  protected readonly marks: number[] = [];

  constructor(protected readonly tokens: readonly Token[]) {}

  /** The tokens that have a part. */
  get used(): readonly Token[] {
    return this.marks.flatMap((index) => this.tokens[index] ?? []);
  }

  protected get word(): string {
    return this.wordAt(this.at);
  }

  protected wordAt(at: number): string {
    return this.tokens[at]?.word ?? "";
  }

  protected isNumber(at: number): boolean {
    return this.tokens[at]?.term !== undefined;
  }

  /** Whether the word may be left to the caller. */
  protected isWeak(at: number): boolean {
    return !this.isNumber(at) && (weakWords.has(this.wordAt(at)) || rankOf(this.wordAt(at)) !== undefined);
  }

  protected take(): void {
    this.marks.push(this.at++);
  }

  protected takeIf(word: string): boolean {
    const isNext = this.word === word;
    if (isNext) this.take();
    return isNext;
  }

  protected takeAll(words: ReadonlySet<string>): void {
    while (words.has(this.word)) this.take();
  }

  /** What was read, or nothing and the place as it was before. */
  protected attempt<T>(read: () => T | undefined): T | undefined {
    const { at, marks } = this;
    const count = marks.length;
    const found = read();
    if (found !== undefined) return found;
    this.at = at;
    marks.length = count;
    return undefined;
  }

  /** Whether no word of the clause stands between the token and the one before it. */
  protected isGlued(at: number): boolean {
    return this.tokens[at - 1]?.end === this.tokens[at]?.start;
  }
}
