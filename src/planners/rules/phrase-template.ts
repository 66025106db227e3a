import { tokenize } from "./tokens.ts";

/** A phrase, parsed: what a request may say in its place. */
export type PhraseNode =
  | { readonly type: "word"; readonly word: string }
  | { readonly type: "slot"; readonly name: string }
  | { readonly type: "sequence"; readonly items: readonly PhraseNode[] }
  | { readonly type: "choice"; readonly items: readonly PhraseNode[] };

/** Why a phrase can not be read. */
export class PhraseError extends Error {}

const maxLength = 8_192;
const maxDepth = 32;
const plainText = /[^()[\]{}|]+/y;
const slotName = /^[A-Za-z_][\w-]*$/;

/**
 * Reads a phrase: words, `{slot}`, `(one|or other)`, `[optional]`, nested as one likes.
 * Throws a {@link PhraseError} for what it can not read. Words are compared without case.
 */
export function parsePhrase(phrase: string): PhraseNode {
  if (phrase.length > maxLength) throw new PhraseError(`it is longer than ${maxLength} characters`);
  const reader = new PhraseReader(phrase);
  const node = reader.choice(0);
  reader.expectEnd();
  if (canBeEmpty(node)) throw new PhraseError("all of it is optional");
  return node;
}

class PhraseReader {
  private position = 0;

  constructor(private readonly text: string) {}

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
    if (this.position < this.text.length) throw new PhraseError(`"${this.text[this.position]}" has no beginning`);
  }

  private sequence(depth: number): PhraseNode {
    const items: PhraseNode[] = [];
    for (let next = this.text[this.position]; next !== undefined && !"|)]".includes(next); next = this.text[this.position]) {
      items.push(...this.item(next, depth));
    }
    return { type: "sequence", items };
  }

  private item(next: string, depth: number): readonly PhraseNode[] {
    if (next === "(") return [this.enclosed(")", depth)];
    if (next === "[") return [{ type: "choice", items: [this.enclosed("]", depth), { type: "sequence", items: [] }] }];
    if (next === "{") return [this.slot()];
    if (next === "}") throw new PhraseError(`"}" has no beginning`);
    return this.words();
  }

  private enclosed(closer: string, depth: number): PhraseNode {
    const opener = this.text[this.position++];
    const node = this.choice(depth + 1);
    if (this.text[this.position] !== closer) throw new PhraseError(`"${opener}" has no "${closer}"`);
    this.position++;
    return node;
  }

  private slot(): PhraseNode {
    const end = this.text.indexOf("}", this.position);
    if (end === -1) throw new PhraseError(`"{" has no "}"`);
    const name = this.text.slice(this.position + 1, end);
    if (!slotName.test(name)) throw new PhraseError(`"{${name}}" is no slot; a name is a letter, then letters, digits, _ or -`);
    this.position = end + 1;
    return { type: "slot", name };
  }

  private words(): readonly PhraseNode[] {
    plainText.lastIndex = this.position;
    const text = plainText.exec(this.text)?.[0] ?? "";
    this.position += text.length;
    return tokenize(text).map(({ norm }) => ({ type: "word", word: norm }));
  }
}

function canBeEmpty(node: PhraseNode): boolean {
  if (node.type === "sequence") return node.items.every(canBeEmpty);
  return node.type === "choice" && node.items.some(canBeEmpty);
}

/** The names of the slots in a phrase. */
export function slotNames(node: PhraseNode, names = new Set<string>()): ReadonlySet<string> {
  if (node.type === "slot") names.add(node.name);
  else if (node.type !== "word") for (const item of node.items) slotNames(item, names);
  return names;
}

/** The phrase as someone would say it: first alternatives, nothing optional; a slot stays `{slot}`. */
export function examplePhrase(node: PhraseNode): string {
  if (node.type === "word") return node.word;
  if (node.type === "slot") return `{${node.name}}`;
  if (node.type === "sequence") return node.items.map(examplePhrase).filter((text) => text !== "").join(" ");
  const isOptional = node.items.length > 0 && canBeEmpty(node);
  const [first] = node.items;
  return isOptional || first === undefined ? "" : examplePhrase(first);
}
