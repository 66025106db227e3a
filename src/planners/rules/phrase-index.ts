import { firstOf, type PhraseNode, requiredWords } from "./phrase-template.ts";

/** Which phrases of a tool may fit at all. */
export interface PhraseIndex {
  /** For each word, the phrases that may start with it. */
  readonly byWord: ReadonlyMap<string, readonly number[]>;
  /** The phrases that may start with a slot. */
  readonly open: readonly number[];
  /** For each phrase, groups of words of which a request must have one each; numbered, as phrases share them. */
  readonly required: readonly (readonly number[])[];
  /** For each word, the groups it is in. */
  readonly groupsOf: ReadonlyMap<string, readonly number[]>;
  /** The words of all phrases, and the same by first letter, to look up a word that is none of them. */
  readonly words: ReadonlySet<string>;
  readonly wordsByLetter: ReadonlyMap<string, readonly string[]>;
}

/** Makes the index of a tool's phrases, in which these words are. */
export function buildIndex(nodes: readonly PhraseNode[], words: ReadonlySet<string>): PhraseIndex {
  const byWord = new Map<string, number[]>();
  const open: number[] = [];
  for (const [phrase, node] of nodes.entries()) {
    const first = firstOf(node);
    if (first.isOpen) open.push(phrase);
    for (const word of first.words) {
      const phrases = byWord.get(word);
      if (phrases === undefined) byWord.set(word, [phrase]);
      else phrases.push(phrase);
    }
  }
  const wordsByLetter = new Map<string, string[]>();
  for (const word of words) {
    const alike = wordsByLetter.get(word.charAt(0));
    if (alike === undefined) wordsByLetter.set(word.charAt(0), [word]);
    else alike.push(word);
  }
  return { byWord, open, ...indexGroups(nodes), words, wordsByLetter };
}

function indexGroups(nodes: readonly PhraseNode[]): Pick<PhraseIndex, "required" | "groupsOf"> {
  const numbers = new Map<ReadonlySet<string>, number>();
  const groupsOf = new Map<string, number[]>();
  const numberOf = (group: ReadonlySet<string>) => {
    const known = numbers.get(group);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(group, number);
    for (const word of group) {
      const groups = groupsOf.get(word);
      if (groups === undefined) groupsOf.set(word, [number]);
      else groups.push(number);
    }
    return number;
  };
  return { required: nodes.map((node) => requiredWords(node).map(numberOf)), groupsOf };
}

/** What the words of a request may mean to a tool's phrases; each word is looked up once. */
export class Spelling {
  private readonly meanings = new Map<string, readonly string[]>();

  constructor(private readonly index: PhraseIndex) {}

  /** The word itself if a phrase has it; else the words of phrases that it may be a misspelling of. */
  meaningsOf(word: string): readonly string[] {
    let meanings = this.meanings.get(word);
    if (meanings === undefined) {
      const { words, wordsByLetter } = this.index;
      const alike = wordsByLetter.get(word.charAt(0)) ?? none;
      meanings = words.has(word) ? [word] : alike.filter((other) => isMistyped(word, other));
      this.meanings.set(word, meanings.length === 0 ? none : meanings);
    }
    return meanings;
  }
}

const none: readonly string[] = [];

const minLength = 5;

/**
 * Whether a word is another with one typing mistake: one letter too many, too few, wrong, or two swapped. Only for
 * words of at least five letters, and never in the first letter: shorter ones are too similar.
 */
export function isMistyped(typed: string, meant: string): boolean {
  const difference = typed.length - meant.length;
  if (meant.length < minLength || difference > 1 || difference < -1 || typed[0] !== meant[0] || typed === meant)
    return false;
  let at = 1;
  while (typed[at] === meant[at]) at++;
  if (difference === 1) return typed.slice(at + 1) === meant.slice(at);
  if (difference === -1) return typed.slice(at) === meant.slice(at + 1);
  if (typed.slice(at + 1) === meant.slice(at + 1)) return true;
  const isSwapped = typed[at] === meant[at + 1] && typed[at + 1] === meant[at];
  return isSwapped && typed.slice(at + 2) === meant.slice(at + 2);
}
