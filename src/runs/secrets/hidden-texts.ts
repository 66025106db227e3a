import { hiddenText, type JsonValue, mapItems } from "../../core/json.ts";

/** Shorter texts occur in others by chance. */
const minLength = 4;
const headLengths = [16, minLength];

/** Texts that must not be shown, and the search for them in other texts. */
export class HiddenTexts {
  /** The texts by their beginning: very few have to be looked for at each character. */
  private readonly byHead = new Map<string, string[]>();
  /** The text shown instead of each. */
  private readonly shown = new Map<string, string>();

  /** `outer` has further ones, which may become more. */
  constructor(private readonly outer?: HiddenTexts) {}

  get isEmpty(): boolean {
    return this.shown.size === 0 && (this.outer?.isEmpty ?? true);
  }

  /**
   * Hides all texts and numbers in a value, and shows another text instead, unless they are hidden already. Returns the
   * texts that were not.
   */
  add(value: JsonValue, shown = hiddenText): readonly string[] {
    if (typeof value === "object" && value !== null) {
      return Object.values(value).flatMap((item) => this.add(item as JsonValue, shown));
    }
    if (typeof value !== "string" && typeof value !== "number") return [];
    const text = String(value);
    // As it appears in a URL, and in JSON.
    const forms = [text, encode(text), JSON.stringify(text).slice(1, -1)];
    return forms.filter((form) => this.addText(form, shown));
  }

  private addText(text: string, shown: string): boolean {
    if (text.length < minLength || this.shownFor(text) !== undefined) return false;
    this.shown.set(text, shown);
    const head = text.slice(
      0,
      headLengths.find((length) => text.length >= length),
    );
    const alike = this.byHead.get(head);
    if (alike === undefined) this.byHead.set(head, [text]);
    else alike.push(text);
    return true;
  }

  private shownFor(text: string): string | undefined {
    return this.shown.get(text) ?? this.outer?.shownFor(text);
  }

  /** A text with the hidden ones in it replaced. */
  hide(text: string): string {
    if (text.length < minLength || this.isEmpty) return text;
    let shown = "";
    let start = 0;
    for (let position = 0; position <= text.length - minLength; position++) {
      const found = this.findAt(text, position);
      if (found === undefined) continue;
      shown += text.slice(start, position) + this.shownFor(found);
      start = position + found.length;
      position = start - 1;
    }
    return start === 0 ? text : shown + text.slice(start);
  }

  /** The longest hidden text at a position. */
  private findAt(text: string, position: number): string | undefined {
    let longest = this.outer?.findAt(text, position);
    for (const length of headLengths) {
      for (const hidden of this.byHead.get(text.slice(position, position + length)) ?? []) {
        if (hidden.length > (longest?.length ?? 0) && text.startsWith(hidden, position)) longest = hidden;
      }
    }
    return longest;
  }

  /** A value whose texts and numbers contain nothing hidden. */
  hideIn<T>(value: T): T {
    if (typeof value === "string") return this.hide(value) as T;
    if (typeof value === "number") return (this.shownFor(String(value)) ?? value) as T;
    if (typeof value !== "object" || value === null) return value;
    return mapItems(value, (item) => this.hideIn(item));
  }
}

/** Half a surrogate pair has no form in a URL. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text;
}
