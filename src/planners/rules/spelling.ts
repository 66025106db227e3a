import { isVerb } from "../../english/verbs.ts";
import { isMistyped } from "../../language/misspelt.ts";

const none: readonly string[] = [];
const minLength = 5;

/** What the words of a request may mean to the phrases of tools; each word is looked up once. */
export class Spelling {
  private readonly meanings = new Map<string, readonly string[]>();
  private byLetter: Map<string, string[]> | undefined;

  constructor(private readonly vocabularies: readonly ReadonlySet<string>[]) {}

  /** The words of phrases that a word may be a misspelling of; none for a word that a phrase has. */
  meaningsOf(word: string): readonly string[] {
    if (word.length < minLength - 1) return none;
    let meanings = this.meanings.get(word);
    if (meanings === undefined) {
      const isKnown = isVerb(word) || this.vocabularies.some((vocabulary) => vocabulary.has(word));
      meanings = isKnown ? none : (this.index().get(word.charAt(0)) ?? none).filter((other) => isMistyped(word, other));
      this.meanings.set(word, meanings);
    }
    return meanings;
  }

  private index(): ReadonlyMap<string, readonly string[]> {
    if (this.byLetter !== undefined) return this.byLetter;
    const index = new Map<string, string[]>();
    for (const word of new Set(this.vocabularies.flatMap((vocabulary) => [...vocabulary]))) {
      const alike = index.get(word.charAt(0));
      if (alike === undefined) index.set(word.charAt(0), [word]);
      else alike.push(word);
    }
    this.byLetter = index;
    return index;
  }
}
