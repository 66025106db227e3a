import { AgentError } from "./errors.ts";
import { remembered } from "./remembered.ts";

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

const keyLength = 12;

const gap = /[\s\p{Z}\u200B-\u200D\uFEFF]+/u;

const splitWords = (text: string) => text.split(gap).filter((word) => word !== "");

export function parseSyntax(
  phrase: string,
  wordsOf: (text: string) => readonly string[] = splitWords,
  known: KnownGroups = new Map(),
): PhraseNode {
  if (phrase.length > maxLength) throw new PhraseError(`it is longer than ${maxLength} characters`);
  const reader = new PhraseReader(phrase, wordsOf, known);
  const node = reader.choice(0);
  reader.expectEnd();
  if (isNullable(node)) throw new PhraseError("it matches an empty request");
  return node;
}

class PhraseReader {
  #position = 0;

  constructor(
    private readonly text: string,
    private readonly wordsOf: (text: string) => readonly string[],
    private readonly known: KnownGroups,
  ) {}

  choice(depth: number): PhraseNode {
    if (depth > maxDepth) throw new PhraseError(`it is nested deeper than ${maxDepth} levels`);
    const items = [this.#sequence(depth)];
    while (this.#peek() === "|") {
      this.#position++;
      items.push(this.#sequence(depth));
    }
    return toNode("choice", items);
  }

  expectEnd(): void {
    if (this.#position < this.text.length) throw new PhraseError(`"${this.#peek()}" is never opened`);
  }

  #sequence(depth: number): PhraseNode {
    const items: PhraseNode[] = [];
    for (let next = this.#peek(); next !== undefined && !"|)]".includes(next); next = this.#peek()) {
      const ending = next === "[" ? this.#ending(items.at(-1)) : undefined;
      if (ending !== undefined) items[items.length - 1] = ending;
      else if (next === "(" || next === "[") items.push(this.#group(next, depth));
      else if (next === "{") items.push(this.#slot());
      else if (next === "}") throw new PhraseError(`"}" is never opened`);
      else items.push(...this.#words(items.at(-1)?.type === "slot"));
    }
    return toNode("sequence", items);
  }

  #peek(): string | undefined {
    return this.text[this.#position];
  }

  #ending(last: PhraseNode | undefined): PhraseNode | undefined {
    if (last?.type !== "word" || !/\p{L}/u.test(this.text[this.#position - 1] ?? "")) return undefined;
    const [all, letters] = /^\[(\p{Ll}+)\]/u.exec(this.text.slice(this.#position, this.#position + 32)) ?? [];
    if (all === undefined) return undefined;
    this.#position += all.length;
    return { type: "choice", items: [last, { type: "word", word: `${last.word}${letters}` }] };
  }

  #group(opener: string, depth: number): PhraseNode {
    const start = this.#position;
    const key = this.text.slice(start, start + keyLength);
    const alike = this.known.get(key) ?? [];
    const known = alike.find(({ text }) => this.text.startsWith(text, start));
    if (known !== undefined) {
      this.#position += known.text.length;
      return known.node;
    }
    this.#position++;
    const inner = this.choice(depth + 1);
    const closer = opener === "(" ? ")" : "]";
    if (this.#peek() !== closer) throw new PhraseError(`"${opener}" has no "${closer}"`);
    this.#position++;
    const node: PhraseNode = opener === "(" ? inner : { type: "choice", items: [inner, nothing] };
    this.known.set(key, [...alike, { text: this.text.slice(start, this.#position), node }]);
    return node;
  }

  #slot(): PhraseNode {
    const end = this.text.indexOf("}", this.#position);
    if (end === -1) throw new PhraseError(`"{" has no "}"`);
    const name = this.text.slice(this.#position + 1, end);
    if (!slotName.test(name)) {
      throw new PhraseError(`"{${name}}" is not a slot; a name is a letter or _, then letters, digits, _ or -`);
    }
    this.#position = end + 1;
    return { type: "slot", name };
  }

  #words(isBehindSlot: boolean): readonly PhraseNode[] {
    plainText.lastIndex = this.#position;
    const text = plainText.exec(this.text)?.[0] ?? "";
    this.#position += text.length;
    const own = isBehindSlot ? text.replace(/^['’]s(?!\p{L})/u, "") : text;
    return this.wordsOf(own).map((word) => ({ type: "word", word }));
  }
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

export function readPhrase<T>(option: string, phrase: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof PhraseError)) throw thrown;
    const received = JSON.stringify(phrase.slice(0, 200));
    const details = { option, received, expected: "words, {slot}, (one|or other), [optional]" };
    const message = `Option "${option}" is not a phrase: ${thrown.message}; received ${received}.`;
    throw new AgentError("invalid-options", message, { details });
  }
}
