import { contractedWords, contractionEndings, contractions, isPastVerb } from "../english/word-classes.ts";

export interface Token {
  readonly kind: "word" | "number" | "quote" | "address" | "sign" | "thing";
  readonly norm: string;
  readonly start: number;
  readonly end: number;
  readonly newLine: boolean;
  readonly glued: boolean;
}

const gap = /[\s\p{Z}\u200B-\u200D\uFEFF]+/uy;
const word = /[\p{L}_][\p{L}\p{M}\p{N}_]*(?:(?:['’]|&(?=\p{L}))[\p{L}\p{M}]+)*(?:(?:#|\+\+)(?![\p{L}\p{N}#+]))?/uy;
/** Limits lengths because "a-a-a…" would take quadratic time. */
const address =
  /(?:https?:\/\/|www\.)[^\s"“”<>]*[^\s"“”<>.,;:!?)\]'’]|[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/iuy;
const number = /\d+,\d\d(?!\d|,\d)|(?:\d{1,3}(?:,\d{3})+(?![\d])|\d+)(?:\.\d+)?|\.\d+/y;
const nextWord = /\s+[a-z]{2,20}\b/iy;
const halfOfDay = /[ap]\.m\./iy;
const ordinal = /\d+(?:st|nd|rd|th)(?![\p{L}\p{N}])/iuy;
const arrow = /→|⇒|➔|➜|[-=]>/y;
const scales: ReadonlyMap<string, string> = new Map(Object.entries({ M: "million", bn: "billion" }));
const closers = new Map(Object.entries({ '"': '"', "“": "”", "„": "“", "«": "»", "`": "`" }));
const maxSingleQuoted = 200;
const singleQuoted = new RegExp(`['‘]([^\\n'’‘]|['’](?=[\\p{L}])){1,${maxSingleQuoted}}['’](?![\\p{L}\\p{N}])`, "uy");

export function tokenize(text: string, limit = Number.POSITIVE_INFINITY): readonly Token[] {
  return new Tokenizer(text).run(limit);
}

class Tokenizer {
  readonly #tokens: Token[] = [];
  readonly #unclosed = new Set<string>();
  #newLine = false;
  #lastEnd = -1;

  constructor(private readonly text: string) {}

  run(limit: number): readonly Token[] {
    let position = 0;
    while (position < this.text.length && this.#tokens.length <= limit) position = this.#next(position);
    return this.#tokens;
  }

  #next(position: number): number {
    const space = matchAt(gap, this.text, position);
    if (space !== undefined) {
      if (/[\n\r\u2028\u2029]/.test(space)) this.#newLine = true;
      return position + space.length;
    }
    return (
      this.#nextQuote(position) ??
      this.#nextAddress(position) ??
      this.#nextNumber(position) ??
      this.#nextWord(position) ??
      this.#nextSign(position)
    );
  }

  #nextQuote(position: number): number | undefined {
    const first = this.text.charAt(position);
    const closer = closers.get(first);
    if (closer !== undefined) {
      // Searching again for a missing closer would take quadratic time.
      const end = this.#unclosed.has(first) ? -1 : this.text.indexOf(closer, position + 1);
      if (end === -1) this.#unclosed.add(first);
      else if (end > position + 1) return this.#push("quote", this.text.slice(position + 1, end), position, end + 1);
      return undefined;
    }
    if ((first !== "'" && first !== "‘") || this.#lastEnd === position) return undefined;
    const quoted = matchAt(singleQuoted, this.text, position);
    if (quoted === undefined) return undefined;
    return this.#push("quote", quoted.slice(1, -1), position, position + quoted.length);
  }

  #nextAddress(position: number): number | undefined {
    const found = this.#lastEnd === position ? undefined : matchAt(address, this.text, position);
    if (found === undefined) return undefined;
    return this.#push("address", found.toLowerCase(), position, position + found.length);
  }

  #nextNumber(position: number): number | undefined {
    const nth = matchAt(ordinal, this.text, position);
    if (nth !== undefined) return this.#push("word", nth.toLowerCase(), position, position + nth.length);
    const digits = matchAt(number, this.text, position);
    if (digits === undefined) return undefined;
    const norm = /^\d+,\d\d$/.test(digits) ? digits.replace(",", ".") : digits.replaceAll(",", "");
    return this.#push("number", norm, position, position + digits.length);
  }

  #nextWord(position: number): number | undefined {
    const half = this.#tokens.at(-1)?.kind === "number" ? matchAt(halfOfDay, this.text, position) : undefined;
    if (half !== undefined) return this.#push("word", half.toLowerCase().replaceAll(".", ""), position, position + 4);
    const found = matchAt(word, this.text, position);
    if (found === undefined) return undefined;
    const isBehindNumber = this.#tokens.at(-1)?.kind === "number" && this.#lastEnd === position;
    const norm = (isBehindNumber && scales.get(found)) || normalizeWord(found);
    const end = position + found.length;
    const apostrophe = norm.lastIndexOf("'");
    const whole = contractions.get(norm);
    if (whole !== undefined) return this.#pushAll(whole, position, end);
    const stem = norm.slice(0, apostrophe);
    const ending = apostrophe > 0 ? contractionEndings.get(norm.slice(apostrophe + 1)) : undefined;
    if (ending === undefined || (ending === "is" && !contractedWords.has(stem) && !this.#tellsState(end)))
      return this.#push("word", norm, position, end);
    this.#push("word", stem, position, position + found.length - (norm.length - apostrophe));
    return this.#push("word", ending, this.#lastEnd, end);
  }

  /** True in front of "done" and "cancelled", where "'s" means "is" and no owner: "the milk's done". */
  #tellsState(position: number): boolean {
    const next = matchAt(nextWord, this.text, position)?.trim().toLowerCase() ?? "";
    return /^(?:done|due|gone|ready|not|already)$/.test(next) || isPastVerb(next);
  }

  #pushAll(norms: readonly string[], start: number, end: number): number {
    for (const [index, norm] of norms.entries()) {
      const isLast = index === norms.length - 1;
      this.#push("word", norm, index === 0 ? start : end - 1, isLast ? end : end - 1);
    }
    return end;
  }

  #nextSign(position: number): number {
    const to = matchAt(arrow, this.text, position);
    if (to !== undefined) return this.#push("word", "to", position, position + to.length);
    const sign = String.fromCodePoint(this.text.codePointAt(position) ?? 0);
    const end = position + sign.length;
    const last = this.#tokens.at(-1);
    const isBehindWord = last?.kind === "word" && last.end === position;
    if (isBehindWord && /[-‐‑]/.test(sign) && /^\p{L}/u.test(this.text.slice(end, end + 2))) return end;
    const isAnd = sign === "+" && last?.kind === "quote" && /^\s["'“‘]/.test(this.text.slice(end, end + 2));
    return this.#push("sign", isAnd ? "&" : sign, position, end);
  }

  #push(kind: Token["kind"], norm: string, start: number, end: number): number {
    this.#tokens.push({ kind, norm, start, end, newLine: this.#newLine, glued: this.#lastEnd === start });
    this.#newLine = false;
    this.#lastEnd = end;
    return end;
  }
}

/** Shortens "nooo" to "no", but keeps "viii" and capitals such as "AAA". */
function normalizeWord(text: string): string {
  const isRoman = /^[ivxlcdm]+$/i.test(text);
  const lower = (isRoman ? text : text.replace(/([A-Za-z])(?!\1)([a-z])\2{2,}/g, "$1$2")).toLowerCase();
  return /^[a-z]+$/.test(lower) ? lower : lower.normalize("NFKC").replaceAll("’", "'");
}

function matchAt(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}
