import { isVerb } from "../../english/verbs.ts";
import { findMistyped } from "../../language/misspelt.ts";

const none: readonly string[] = [];
const minLength = 5;

/** Tells what the words of a request may mean to the phrases of tools; each word is looked up once. */
export class Spelling {
  private readonly meanings = new Map<string, readonly string[]>();

  constructor(private readonly vocabularies: readonly ReadonlySet<string>[]) {}

  /** The words of phrases that a word may be a misspelling of; none for a word that a phrase has. */
  meaningsOf(word: string): readonly string[] {
    if (word.length < minLength - 1) return none;
    let meanings = this.meanings.get(word);
    if (meanings === undefined) {
      meanings = isVerb(word) || this.vocabularies.some((vocabulary) => vocabulary.has(word)) ? none : this.find(word);
      this.meanings.set(word, meanings);
    }
    return meanings;
  }

  private find(word: string): readonly string[] {
    const found = this.vocabularies.flatMap((vocabulary) => findMistyped(word, vocabulary));
    return found.length < 2 ? found : [...new Set(found)];
  }
}
