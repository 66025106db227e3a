import { remembered } from "../core/remembered.ts";
import { isVerb } from "../english/word-classes.ts";

const minLength = 5;

function isMistyped(typed: string, meant: string): boolean {
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

/** Requires the right last letter, unless the last two are swapped: "cubes" is not a mistyped "cubed". */
export function isMistypedInside(typed: string, meant: string): boolean {
  const isSwappedLast = typed.length === meant.length && typed.at(-2) === meant.at(-1);
  return isMistyped(typed, meant) && (typed.at(-1) === meant.at(-1) || isSwappedLast);
}

export function findMistyped(typed: string, vocabulary: ReadonlySet<string>): readonly string[] {
  const { length } = typed;
  return [length - 1, length, length + 1].flatMap((near) =>
    (indexOf(vocabulary).get(typed.charAt(0) + near) ?? []).filter((word) => isMistyped(typed, word)),
  );
}

const indexOf = remembered((vocabulary: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> => {
  const index = new Map<string, string[]>();
  for (const word of vocabulary) {
    const key = word.charAt(0) + word.length;
    const alike = index.get(key) ?? [];
    alike.push(word);
    index.set(key, alike);
  }
  return index;
});

const irregular = new Map([
  ["people", "person"],
  ["children", "child"],
]);

export function toSingular(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (!/[^su]s$/.test(word) || word.length < 4) return word;
  return word.replace(/ies$/, "y").replace(/(?<=[sxz]|[cs]h)es$|s$/, "");
}

export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let root = toSingular(word);
  const cut = root.replace(/(?<=[aeiouy].*[^e])(?:ing|ed)$/, "");
  if (cut.length < root.length && cut.length > 2) root = cut.replace(/([bgmnprt])\1$/, "$1");
  return root.length > 4 ? root.replace(/e$/, "") : root;
}

const none: readonly string[] = [];

export class Spelling {
  readonly #meanings = new Map<string, readonly string[]>();

  constructor(private readonly vocabularies: readonly ReadonlySet<string>[]) {}

  meaningsOf(word: string): readonly string[] {
    if (word.length < minLength - 1) return none;
    let meanings = this.#meanings.get(word);
    if (meanings === undefined) {
      meanings = isVerb(word) || this.vocabularies.some((vocabulary) => vocabulary.has(word)) ? none : this.#find(word);
      this.#meanings.set(word, meanings);
    }
    return meanings;
  }

  #find(word: string): readonly string[] {
    const found = this.vocabularies.flatMap((vocabulary) => findMistyped(word, vocabulary));
    return found.length < 2 ? found : [...new Set(found)];
  }
}
