import { contractions } from "../../english/contractions.ts";
import { tokenize } from "../../language/tokens.ts";

/** A parsed phrase: what a request may contain. */
export type PhraseNode =
  | { readonly type: "word"; readonly word: string }
  | { readonly type: "slot"; readonly name: string }
  | { readonly type: "sequence"; readonly items: readonly PhraseNode[] }
  | { readonly type: "choice"; readonly items: readonly PhraseNode[] };

/** Why a phrase cannot be read. */
export class PhraseError extends Error {}

const maxLength = 4_096;
const maxDepth = 32;
const plainText = /[^()[\]{}|]+/y;
const slotName = /^[A-Za-z_][\w-]*$/;

/** What was read before: phrases of a tool are often put together from the same pieces. */
export class KnownParts {
  readonly words = new Map<string, PhraseNode>();
  private readonly groups = new Map<string, { readonly text: string; readonly node: PhraseNode }[]>();

  /** One node for each word, so that everything about it is computed once. */
  word(word: string): PhraseNode {
    const known = this.words.get(word);
    if (known !== undefined) return known;
    const node: PhraseNode = { type: "word", word };
    this.words.set(word, node);
    return node;
  }

  /** The group that begins at a place of a phrase: no group is the beginning of another. */
  groupAt(phrase: string, start: number) {
    const alike = this.groups.get(phrase.slice(start, start + keyLength));
    return alike?.find(({ text }) => phrase.startsWith(text, start));
  }

  addGroup(text: string, node: PhraseNode): void {
    const key = text.slice(0, keyLength);
    const alike = this.groups.get(key);
    if (alike === undefined) this.groups.set(key, [{ text, node }]);
    else alike.push({ text, node });
  }
}

const keyLength = 32;

/**
 * Reads a phrase: words, `{slot}`, `(one|or other)`, `[optional]`, nested in any way. Throws a {@link PhraseError} for
 * a phrase that it cannot read. Words are case-insensitive.
 */
export function parsePhrase(phrase: string, known = new KnownParts()): PhraseNode {
  if (phrase.length > maxLength) throw new PhraseError(`it is longer than ${maxLength} characters`);
  const reader = new PhraseReader(phrase, known);
  const node = reader.choice(0);
  reader.expectEnd();
  if (firstOf(node).isNullable) throw new PhraseError("all of it is optional");
  return node;
}

class PhraseReader {
  private position = 0;

  constructor(
    private readonly text: string,
    private readonly known: KnownParts,
  ) {}

  choice(depth: number): PhraseNode {
    if (depth > maxDepth) throw new PhraseError(`it is nested deeper than ${maxDepth} levels`);
    const items = [this.sequence(depth)];
    while (this.text[this.position] === "|") {
      this.position++;
      items.push(this.sequence(depth));
    }
    return items.length === 1 && items[0] !== undefined ? items[0] : { type: "choice", items };
  }

  expectEnd(): void {
    if (this.position < this.text.length) throw new PhraseError(`"${this.text[this.position]}" is never opened`);
  }

  private sequence(depth: number): PhraseNode {
    const items: PhraseNode[] = [];
    for (
      let next = this.text[this.position];
      next !== undefined && !"|)]".includes(next);
      next = this.text[this.position]
    ) {
      items.push(...this.item(next, depth));
    }
    return items.length === 1 && items[0] !== undefined ? items[0] : { type: "sequence", items };
  }

  private item(next: string, depth: number): readonly PhraseNode[] {
    if (next === "(" || next === "[") return [this.group(next, depth)];
    if (next === "{") return [this.slot()];
    if (next === "}") throw new PhraseError(`"}" is never opened`);
    return this.words();
  }

  private group(opener: string, depth: number): PhraseNode {
    const start = this.position;
    const known = this.known.groupAt(this.text, start);
    if (known !== undefined) {
      this.position += known.text.length;
      return known.node;
    }
    this.position++;
    const inner = this.choice(depth + 1);
    const closer = opener === "(" ? ")" : "]";
    if (this.text[this.position] !== closer) throw new PhraseError(`"${opener}" has no "${closer}"`);
    this.position++;
    const node: PhraseNode = opener === "(" ? inner : { type: "choice", items: [inner, nothing] };
    this.known.addGroup(this.text.slice(start, this.position), node);
    return node;
  }

  private slot(): PhraseNode {
    const end = this.text.indexOf("}", this.position);
    if (end === -1) throw new PhraseError(`"{" has no "}"`);
    const name = this.text.slice(this.position + 1, end);
    if (!slotName.test(name)) {
      throw new PhraseError(`"{${name}}" is not a slot; a name is a letter, then letters, digits, _ or -`);
    }
    this.position = end + 1;
    return { type: "slot", name };
  }

  private words(): readonly PhraseNode[] {
    plainText.lastIndex = this.position;
    const text = plainText.exec(this.text)?.[0] ?? "";
    this.position += text.length;
    if (text.trim() === "") return [];
    if (/^[a-z ]+$/.test(text)) {
      const plain = text.trim().split(/ +/);
      // Only words that the tokenizer would split have to go through it.
      if (plain.every((word) => !contractions.has(word))) return plain.map((word) => this.known.word(word));
    }
    return tokenize(text).map(({ norm }) => this.known.word(norm));
  }
}

const nothing: PhraseNode = { type: "sequence", items: [] };

/** What a phrase, or a part of one, may start with. */
export interface FirstWords {
  readonly words: ReadonlySet<string>;
  /** Whether it may start with a slot. */
  readonly isOpen: boolean;
  /** Whether it may be left out altogether. */
  readonly isNullable: boolean;
}

const firstWords = new WeakMap<PhraseNode, FirstWords>();

/** What a part of a phrase may start with; computed once for each part. */
export function firstOf(node: PhraseNode): FirstWords {
  const known = firstWords.get(node);
  if (known !== undefined) return known;
  const first = computeFirst(node);
  firstWords.set(node, first);
  return first;
}

function computeFirst(node: PhraseNode): FirstWords {
  if (node.type === "word") return { words: new Set([node.word]), isOpen: false, isNullable: false };
  if (node.type === "slot") return { words: new Set(), isOpen: true, isNullable: false };
  const [only] = node.items;
  // Most sequences start with a required part: they have the same set.
  if (only !== undefined && (node.items.length === 1 || (node.type === "sequence" && !firstOf(only).isNullable))) {
    return firstOf(only);
  }
  const words = new Set<string>();
  let isOpen = false;
  let isNullable = node.type === "sequence";
  for (const item of node.items) {
    const first = firstOf(item);
    for (const word of first.words) words.add(word);
    isOpen ||= first.isOpen;
    if (node.type === "choice") isNullable ||= first.isNullable;
    else if (!first.isNullable) return { words, isOpen, isNullable: false };
  }
  return { words, isOpen, isNullable };
}

/**
 * Sets of words of which a request must have one each, or the phrase cannot fit: those that its required parts may
 * start with. Saves trying most phrases.
 */
export function requiredWords(node: PhraseNode): readonly ReadonlySet<string>[] {
  const items = node.type === "sequence" ? node.items : [node];
  const closed = items.map(firstOf).filter(({ isOpen, isNullable }) => !isOpen && !isNullable);
  return closed.map(({ words }) => words);
}

const slotNamesOf = new WeakMap<PhraseNode, ReadonlySet<string>>();

/** The names of the slots in a phrase. */
export function slotNames(node: PhraseNode): ReadonlySet<string> {
  const known = slotNamesOf.get(node);
  if (known !== undefined) return known;
  const names = computeSlotNames(node);
  slotNamesOf.set(node, names);
  return names;
}

const noNames: ReadonlySet<string> = new Set();

function computeSlotNames(node: PhraseNode): ReadonlySet<string> {
  if (node.type === "slot") return new Set([node.name]);
  if (node.type === "word") return noNames;
  const parts = [...new Set(node.items.map(slotNames))].filter(({ size }) => size > 0);
  const [only = noNames] = parts;
  return parts.length <= 1 ? only : new Set(parts.flatMap((part) => [...part]));
}

/** The phrase as someone would say it: first alternatives, nothing optional; a slot stays `{slot}`. */
export function examplePhrase(node: PhraseNode): string {
  if (node.type === "word") return node.word;
  if (node.type === "slot") return `{${node.name}}`;
  if (node.type === "sequence")
    return node.items
      .map(examplePhrase)
      .filter((text) => text !== "")
      .join(" ");
  const isOptional = firstOf(node).isNullable;
  const [first] = node.items;
  return isOptional || first === undefined ? "" : examplePhrase(first);
}
