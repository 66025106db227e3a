import { contractions } from "../english/contractions.ts";
import { tokenize } from "../language/tokens.ts";
import { AgentError } from "./errors.ts";

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
const nothing: PhraseNode = { type: "sequence", items: [] };

/**
 * Reads a phrase: words, `{slot}`, `(one|or other)`, `[optional]`, nested in any way; `task[s]` has an optional ending.
 * Words are case-insensitive. Throws a {@link PhraseError} for a phrase that it cannot read.
 */
export function parsePhrase(phrase: string): PhraseNode {
  if (phrase.length > maxLength) throw new PhraseError(`it is longer than ${maxLength} characters`);
  const reader = new PhraseReader(phrase);
  const node = reader.choice(0);
  reader.expectEnd();
  if (isNullable(node)) throw new PhraseError("all of it is optional");
  return node;
}

/** Runs a reader of a phrase; a {@link PhraseError} becomes `invalid-options` with the phrase. */
export function readPhrase<T>(option: string, phrase: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof PhraseError)) throw thrown;
    const received = JSON.stringify(phrase.slice(0, 200));
    const details = { option, received, expected: "words, {slot}, (one|or other), [optional]" };
    throw new AgentError(
      "invalid-options",
      `Option "${option}" is not a phrase: ${thrown.message}; received ${received}.`,
      { details },
    );
  }
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
    return toNode("choice", items);
  }

  expectEnd(): void {
    if (this.position < this.text.length) throw new PhraseError(`"${this.text[this.position]}" is never opened`);
  }

  private sequence(depth: number): PhraseNode {
    const items: PhraseNode[] = [];
    for (let next = this.peek(); next !== undefined && !"|)]".includes(next); next = this.peek()) {
      const ending = next === "[" ? this.ending(items.at(-1)) : undefined;
      if (ending !== undefined) items[items.length - 1] = ending;
      else if (next === "(" || next === "[") items.push(this.group(next, depth));
      else if (next === "{") items.push(this.slot());
      else if (next === "}") throw new PhraseError(`"}" is never opened`);
      else items.push(...this.words());
    }
    return toNode("sequence", items);
  }

  private peek(): string | undefined {
    return this.text[this.position];
  }

  /** `task[s]`: an optional ending, glued to the word before it. */
  private ending(last: PhraseNode | undefined): PhraseNode | undefined {
    const [all, letters] = /^\[(\p{Ll}+)\]/u.exec(this.text.slice(this.position, this.position + 32)) ?? [];
    if (all === undefined || last?.type !== "word" || !/\p{L}/u.test(this.text[this.position - 1] ?? ""))
      return undefined;
    this.position += all.length;
    return { type: "choice", items: [last, { type: "word", word: `${last.word}${letters}` }] };
  }

  private group(opener: string, depth: number): PhraseNode {
    this.position++;
    const inner = this.choice(depth + 1);
    const closer = opener === "(" ? ")" : "]";
    if (this.peek() !== closer) throw new PhraseError(`"${opener}" has no "${closer}"`);
    this.position++;
    return opener === "(" ? inner : { type: "choice", items: [inner, nothing] };
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
    return wordsOf(text).map((word) => ({ type: "word", word }));
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

function isNullable(node: PhraseNode): boolean {
  if (node.type === "word" || node.type === "slot") return false;
  return node.type === "choice" ? node.items.some(isNullable) : node.items.every(isNullable);
}

/** The names of the slots in a phrase, in their order. */
export function slotNames(node: PhraseNode): ReadonlySet<string> {
  if (node.type === "slot") return new Set([node.name]);
  return node.type === "word" ? new Set() : new Set(node.items.flatMap((item) => [...slotNames(item)]));
}

/** Every literal word of a phrase. */
export function literalsOf(node: PhraseNode): readonly string[] {
  if (node.type === "word") return [node.word];
  return node.type === "slot" ? [] : node.items.flatMap(literalsOf);
}

/** What a phrase may start with: words, and whether also a slot. */
export interface FirstWords {
  readonly words: ReadonlySet<string>;
  readonly isOpen: boolean;
}

/** What a phrase may start with. */
export function firstOf(node: PhraseNode): FirstWords {
  const words = new Set<string>();
  let isOpen = false;
  const visit = (each: PhraseNode): boolean => {
    if (each.type === "word") words.add(each.word);
    else if (each.type === "slot") isOpen = true;
    else if (each.type === "choice") {
      const nullable = each.items.map(visit);
      return nullable.includes(true);
    } else return each.items.every(visit);
    return false;
  };
  visit(node);
  return { words, isOpen };
}

/**
 * Sets of words of which a request must have one each, or the phrase cannot fit: those that its required parts are made of,
 * but for the noun before a slot, which "it" replaces.
 * Saves trying most phrases.
 */
export function requiredWords(node: PhraseNode): readonly ReadonlySet<string>[] {
  const items = node.type === "sequence" ? node.items : [node];
  return items
    .filter((item, at) => !isNullable(item) && !(at > 0 && items[at + 1]?.type === "slot"))
    .map(firstOf)
    .filter(({ isOpen }) => !isOpen)
    .map(({ words }) => words);
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

/** An instruction of a compiled phrase. */
export type Instruction =
  | { readonly op: "word"; readonly word: string }
  | { readonly op: "slot"; readonly name: string }
  | { readonly op: "split"; readonly to: readonly number[] }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "accept" };

/** Compiles a phrase for the matcher: instructions that each lead to the next, or to where they say. */
export function compilePhrase(node: PhraseNode): readonly Instruction[] {
  const program: Instruction[] = [];
  const emit = (each: PhraseNode): void => {
    if (each.type === "word") program.push({ op: "word", word: each.word });
    else if (each.type === "slot") program.push({ op: "slot", name: each.name });
    else if (each.type === "sequence")
      for (const [at, item] of each.items.entries()) {
        // "firing of [the] kiln"
        const isArticle = at > 0 && item.type === "word" && /^(?:the|an?)$/.test(item.word);
        emit(isArticle ? { type: "choice", items: [item, nothing] } : item);
      }
    else emitChoice(each.items);
  };
  const emitChoice = (items: readonly PhraseNode[]): void => {
    const split = program.length;
    program.push({ op: "accept" });
    const starts: number[] = [];
    const ends: number[] = [];
    for (const item of items) {
      starts.push(program.length);
      emit(item);
      ends.push(program.length);
      program.push({ op: "accept" });
    }
    program[split] = { op: "split", to: starts };
    for (const end of ends) program[end] = { op: "jump", to: program.length };
  };
  emit(node);
  program.push({ op: "accept" });
  return program;
}
