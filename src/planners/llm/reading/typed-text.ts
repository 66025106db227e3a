/** A `${` and what follows it, up to its end or to the next one. Each piece of a copied text is one of the original. */
const templatePiece = /\$\{(?:[^{}$]|\$(?!\{))*\}?/g;
/**
 * Like that, with the `$` of the next one, with which a cut piece may end; not consumed, as the next starts with it.
 */
const piecesToCut = /(?=(\$\{(?:[^{}$]|\$(?!\{))*(?:\}|\$)?))\$\{/g;
/** How many references are searched for in the typed text. */
const maxLookups = 1_000;

/** A text in which it does not matter how somebody has set spaces and capitals: models copy what was typed not to the letter. */
export function asTyped(text: string): string {
  return text.toLowerCase().replace(/\s+/g, "");
}

/** The parts of the typed text that could be taken for references, indexed for repeated checks. */
export class TypedText {
  private readonly hasTemplates: boolean;
  private readonly hasReferences: boolean;
  private readonly pieces: ReadonlySet<string>;
  /** The same sorted, as a cut piece is the start of one. */
  private sorted: readonly string[] | undefined;
  private readonly lookups = new Map<string, boolean>();
  private plain: string | undefined;

  constructor(private readonly text: string) {
    this.hasTemplates = text.includes("${");
    this.hasReferences = text.includes("$ref");
    this.pieces = new Set(text.match(templatePiece)?.map(asTyped));
  }

  /** Whether nothing in it could be taken for a reference. */
  get isPlain(): boolean {
    return !this.hasTemplates && !this.hasReferences;
  }

  /** Escapes each typed piece of a template in a text, so that it stays text. */
  escape(text: string): string {
    return text.replace(templatePiece, (piece, start: number) => {
      // The last may be cut: then it is only a part of something that was typed.
      const written = asTyped(piece);
      const isTyped = this.pieces.has(written) || (start + piece.length === text.length && this.hasPieceFrom(written));
      return isTyped ? `\${$}${piece.slice(1)}` : piece;
    });
  }

  /** Whether a `$ref` to this may have been typed. Beyond a thousand, which no plan needs, each counts as typed. */
  mayHaveReference(target: unknown): boolean {
    if (!this.hasReferences || typeof target !== "string") return false;
    const known = this.lookups.get(target);
    if (known !== undefined) return known;
    if (this.lookups.size >= maxLookups) return true;
    this.plain ??= asTyped(this.text);
    const isTyped = this.plain.includes(asTyped(target));
    this.lookups.set(target, isTyped);
    return isTyped;
  }

  private hasPieceFrom(start: string): boolean {
    this.sorted ??= Array.from(this.text.matchAll(piecesToCut), ([, piece = ""]) => asTyped(piece)).sort();
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] ?? "") < start) low = middle + 1;
      else high = middle;
    }
    return this.sorted[low]?.startsWith(start) ?? false;
  }
}
