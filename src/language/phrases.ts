import { contractions } from "../english/word-classes.ts";
import { tokenize } from "./tokens.ts";

export type PhraseNode =
  | { readonly type: "word"; readonly word: string }
  | { readonly type: "slot"; readonly name: string }
  | { readonly type: "sequence"; readonly items: readonly PhraseNode[] }
  | { readonly type: "choice"; readonly items: readonly PhraseNode[] };

export class PhraseError extends Error {}

const maxLength = 4_096;
const maxDepth = 32;
const plainText = /[^()[\]{}|]+/y;
const slotName = /^[A-Za-z_][\w-]*$/;
const nothing: PhraseNode = { type: "sequence", items: [] };

export type KnownGroups = Map<string, { readonly text: string; readonly node: PhraseNode }[]>;

/** So many characters tell most groups apart. */
const keyLength = 12;

/**
 * Reads words in any case, `{slot}`, `(one|or other)` and `[optional]`, nested in any way; `task[s]` has an optional ending. Phrases
 * that are read with the same `known` share the groups that they have in common. Throws a {@link PhraseError}.
 */
export function parsePhrase(phrase: string, known: KnownGroups = new Map()): PhraseNode {
  if (phrase.length > maxLength) throw new PhraseError(`it is longer than ${maxLength} characters`);
  const reader = new PhraseReader(phrase, known);
  const node = reader.choice(0);
  reader.expectEnd();
  if (isNullable(node)) throw new PhraseError("all of it is optional");
  return node;
}

class PhraseReader {
  private position = 0;

  constructor(
    private readonly text: string,
    private readonly known: KnownGroups,
  ) {}

  choice(depth: number): PhraseNode {
    if (depth > maxDepth) throw new PhraseError(`it is nested deeper than ${maxDepth} levels`);
    const items = [this.sequence(depth)];
    while (this.peek() === "|") {
      this.position++;
      items.push(this.sequence(depth));
    }
    return toNode("choice", items);
  }

  expectEnd(): void {
    if (this.position < this.text.length) throw new PhraseError(`"${this.peek()}" is never opened`);
  }

  private sequence(depth: number): PhraseNode {
    const items: PhraseNode[] = [];
    for (let next = this.peek(); next !== undefined && !"|)]".includes(next); next = this.peek()) {
      const ending = next === "[" ? this.ending(items.at(-1)) : undefined;
      if (ending !== undefined) items[items.length - 1] = ending;
      else if (next === "(" || next === "[") items.push(this.group(next, depth));
      else if (next === "{") items.push(this.slot());
      else if (next === "}") throw new PhraseError(`"}" is never opened`);
      else items.push(...this.words(items.at(-1)?.type === "slot"));
    }
    return toNode("sequence", items);
  }

  private peek(): string | undefined {
    return this.text[this.position];
  }

  /** `task[s]`: an optional ending, glued to the word before it. */
  private ending(last: PhraseNode | undefined): PhraseNode | undefined {
    if (last?.type !== "word" || !/\p{L}/u.test(this.text[this.position - 1] ?? "")) return undefined;
    const [all, letters] = /^\[(\p{Ll}+)\]/u.exec(this.text.slice(this.position, this.position + 32)) ?? [];
    if (all === undefined) return undefined;
    this.position += all.length;
    return { type: "choice", items: [last, { type: "word", word: `${last.word}${letters}` }] };
  }

  private group(opener: string, depth: number): PhraseNode {
    const start = this.position;
    const key = this.text.slice(start, start + keyLength);
    const alike = this.known.get(key) ?? [];
    const known = alike.find(({ text }) => this.text.startsWith(text, start));
    if (known !== undefined) {
      this.position += known.text.length;
      return known.node;
    }
    this.position++;
    const inner = this.choice(depth + 1);
    const closer = opener === "(" ? ")" : "]";
    if (this.peek() !== closer) throw new PhraseError(`"${opener}" has no "${closer}"`);
    this.position++;
    const node: PhraseNode = opener === "(" ? inner : { type: "choice", items: [inner, nothing] };
    this.known.set(key, [...alike, { text: this.text.slice(start, this.position), node }]);
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

  /** Behind a slot, its "'s" is a part of its value. */
  private words(isBehindSlot: boolean): readonly PhraseNode[] {
    plainText.lastIndex = this.position;
    const text = plainText.exec(this.text)?.[0] ?? "";
    this.position += text.length;
    return wordsOf(isBehindSlot ? text.replace(/^['’]s(?!\p{L})/u, "") : text).map((word) => ({ type: "word", word }));
  }
}

/** Only words that the tokenizer would split have to go through it. */
function wordsOf(text: string): readonly string[] {
  const plain = text.trim() === "" ? [] : text.trim().split(/\s+/);
  const isPlain = plain.every((word) => /^[a-z]+$/.test(word) && !contractions.has(word));
  return isPlain ? plain : tokenize(text).map(({ norm }) => norm);
}

function toNode(type: "sequence" | "choice", items: readonly PhraseNode[]): PhraseNode {
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { type, items };
}

export const isNullable = remembered((node: PhraseNode): boolean => {
  if (node.type === "word" || node.type === "slot") return false;
  return node.type === "choice" ? node.items.some(isNullable) : node.items.every(isNullable);
});

export const slotNames = remembered((node: PhraseNode): ReadonlySet<string> => {
  if (node.type === "slot") return new Set([node.name]);
  return node.type === "word" ? new Set() : new Set(node.items.flatMap((item) => [...slotNames(item)]));
});

export function slotsSideBySide(node: PhraseNode): readonly (readonly [first: string, second: string])[] {
  const pairs: (readonly [string, string])[] = [];
  /** Takes the slots that may stand directly before a part, and returns those that may stand at its end; `undefined` is a word. */
  const walk = (part: PhraseNode, before: ReadonlySet<string | undefined>): ReadonlySet<string | undefined> => {
    if (part.type === "word") return new Set([undefined]);
    if (part.type === "choice") return new Set(part.items.flatMap((item) => [...walk(item, before)]));
    if (part.type === "sequence") return part.items.reduce((last, item) => walk(item, last), before);
    for (const name of before) if (name !== undefined) pairs.push([name, part.name]);
    return new Set([part.name]);
  };
  walk(node, new Set([undefined]));
  return pairs;
}

/** Works a function of an object out once for each: many phrases share their parts. */
export function remembered<TKey extends object, TResult>(compute: (key: TKey) => TResult): (key: TKey) => TResult {
  const known = new WeakMap<TKey, { readonly result: TResult }>();
  return (key) => {
    const found = known.get(key) ?? { result: compute(key) };
    known.set(key, found);
    return found.result;
  };
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The phrase as someone would say it: first alternatives, nothing optional; a slot stays `{slot}`. */
export function examplePhrase(node: PhraseNode): string {
  if (node.type === "word") return node.word;
  if (node.type === "slot") return `{${node.name}}`;
  if (node.type === "choice") {
    const [first] = node.items;
    return isNullable(node) || first === undefined ? "" : examplePhrase(first);
  }
  return node.items
    .map(examplePhrase)
    .filter((text) => text !== "")
    .join(" ");
}
