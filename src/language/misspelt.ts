const minLength = 5;

/**
 * True if a word is another with one typing mistake: one letter too many, too few, wrong, or two swapped. Only for
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

/** True for the same if the last letter is right, as "mondays" and "cubes" mean something else than "monday" and "cubed". */
export function isMistypedInside(typed: string, meant: string): boolean {
  const isSwappedLast = typed.length === meant.length && typed.at(-2) === meant.at(-1);
  return isMistyped(typed, meant) && (typed.at(-1) === meant.at(-1) || isSwappedLast);
}

/** The words of a vocabulary that a word is with one typing mistake. */
export function findMistyped(typed: string, vocabulary: ReadonlySet<string>): readonly string[] {
  const { length } = typed;
  return [length - 1, length, length + 1].flatMap((near) =>
    (indexOf(vocabulary).get(typed.charAt(0) + near) ?? []).filter((word) => isMistyped(typed, word)),
  );
}

/** The words of a vocabulary by their first letter and length. */
type Index = ReadonlyMap<string, readonly string[]>;

const indexes = new WeakMap<ReadonlySet<string>, Index>();

function indexOf(vocabulary: ReadonlySet<string>): Index {
  const known = indexes.get(vocabulary);
  if (known !== undefined) return known;
  const index = new Map<string, string[]>();
  for (const word of vocabulary) {
    const key = word.charAt(0) + word.length;
    const alike = index.get(key);
    if (alike === undefined) index.set(key, [word]);
    else alike.push(word);
  }
  indexes.set(vocabulary, index);
  return index;
}
