/** Words and numbers in lower case, such as "3,000.50" and "don't". Text without spaces is split into letter pairs. */
export function tokensOf(text: string): readonly string[] {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'").replaceAll("ς", "σ");
  return (plain.match(token) ?? []).flatMap((found) => (isUnspaced(found) ? pairsOf(found) : [found]));
}

// Han, Kana, Thai and so on have no spaces between words.
const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
const unspacedWord = `(?=\\p{L})[${unspaced}](?:(?=[\\p{L}\\p{M}])[${unspaced}\\p{M}])*`;
const spacedWord = `(?=\\p{L})[^${unspaced}](?:(?=[\\p{L}\\p{M}])[^${unspaced}])*`;
const token = new RegExp(`\\d+(?:[.,]\\d+)*|${unspacedWord}|${spacedWord}(?:'${spacedWord})*`, "gu");
const unspacedStart = new RegExp(`^[${unspaced}]`, "u");

function isUnspaced(token: string): boolean {
  return unspacedStart.test(token);
}

function pairsOf(word: string): readonly string[] {
  const letters = [...word];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** What a token says by itself: it, its parts, and of text without spaces each letter. */
export function partsOfToken(token: string): readonly string[] {
  return [token, ...token.split("'"), ...(isUnspaced(token) ? token : "")];
}

/** A word without accents. */
function withoutAccents(word: string): string {
  return word
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

/** The forms that a word shares with its plural or singular, without accents: "Cafés" and "cafe" share "cafe". */
export function stemsOf(word: string): readonly string[] {
  const plain = withoutAccents(word);
  if (plain.length <= 3 || !plain.endsWith("s") || plain.endsWith("ss")) return [plain];
  const stems = [plain.slice(0, -1)];
  if (plain.endsWith("ies") && plain.length > 4) stems.push(`${plain.slice(0, -3)}y`);
  if (/(?:[sxz]|ch|sh|o)es$/.test(plain)) stems.push(plain.slice(0, -2));
  return stems;
}

/** Words for many lookups, whatever their number and accents. */
export class WordSet {
  private readonly stems = new Set<string>();
  private readonly exact = new Set<string>();

  add(word: string): void {
    this.exact.add(withoutAccents(word));
    for (const stem of stemsOf(word)) this.stems.add(stem);
  }

  /** Whether it has a word in this number. */
  hasExactly(word: string): boolean {
    return this.exact.has(withoutAccents(word));
  }

  has(word: string): boolean {
    return stemsOf(word).some((stem) => this.stems.has(stem));
  }
}

/** Whether a text has another one, not as a part of a longer word or number. */
export function hasWord(text: string, word: string): boolean {
  const isPart = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}_]/u.test(sign);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true;
  }
  return false;
}
