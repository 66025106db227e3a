import { addTo } from "../../core/lists.ts";
import { isNullable, type PhraseNode } from "../../core/phrase-syntax.ts";
import { remembered } from "../../core/remembered.ts";
import { prepositions } from "../../english/word-classes.ts";

export interface Steps {
  readonly words: Map<string, PhrasePlace[]>;
  readonly slots: PhraseSlot[];
  isEnd: boolean;
}

export interface PhraseSlot {
  readonly name: string;
  readonly next: PhrasePlace;
}

export class PhrasePlace {
  #known: Steps | undefined;

  constructor(private readonly fill: (steps: Steps) => void) {}

  get steps(): Steps {
    if (this.#known === undefined) {
      this.#known = { words: new Map(), slots: [], isEnd: false };
      this.fill(this.#known);
    }
    return this.#known;
  }
}

const end = new PhrasePlace((steps) => {
  steps.isEnd = true;
});

export function compilePhrase(node: PhraseNode): PhrasePlace {
  return placeBefore([node], 0, end);
}

function placeBefore(items: readonly PhraseNode[], from: number, next: PhrasePlace): PhrasePlace {
  if (from === items.length) return next;
  return new PhrasePlace((steps) => {
    const rest = placeBefore(items, from + 1, next);
    const item = items[from];
    if (item === undefined) return;
    enter(item, rest, steps);
    const isArticle = from > 0 && item.type === "word" && /^(?:the|an?)$/.test(item.word);
    if (!isArticle && !isNullable(item)) return;
    for (const [word, places] of rest.steps.words) for (const place of places) addTo(steps.words, word, place);
    steps.slots.push(...rest.steps.slots);
    steps.isEnd ||= rest.steps.isEnd;
  });
}

function enter(node: PhraseNode, next: PhrasePlace, steps: Steps): void {
  if (node.type === "word") addTo(steps.words, node.word, next);
  else if (node.type === "slot") steps.slots.push({ name: node.name, next });
  else if (node.type === "choice") for (const item of node.items) enter(item, next, steps);
  else
    for (const [index, item] of node.items.entries()) {
      enter(item, placeBefore(node.items, index + 1, next), steps);
      if (!isNullable(item)) break;
    }
}

interface FirstWords {
  readonly words: ReadonlySet<string>;
  readonly isOpen: boolean;
}

export const firstOf = remembered((node: PhraseNode): FirstWords => {
  if (node.type === "word") return { words: new Set([node.word]), isOpen: false };
  if (node.type === "slot") return { words: new Set(), isOpen: true };
  const until = node.type === "choice" ? -1 : node.items.findIndex((item) => !isNullable(item));
  return anyOf((until === -1 ? node.items : node.items.slice(0, until + 1)).map(firstOf));
});

function anyOf(all: readonly FirstWords[]): FirstWords {
  return { words: new Set(all.flatMap(({ words }) => [...words])), isOpen: all.some(({ isOpen }) => isOpen) };
}

function someOf(node: PhraseNode): FirstWords {
  if (node.type === "choice") return anyOf(node.items.map(someOf));
  const words = node.type === "sequence" ? node.items.flatMap((item) => (item.type === "word" ? item.word : [])) : [];
  if (node.type !== "sequence" || words.length < node.items.length) return firstOf(node);
  const longest = words.reduce((best, word) => (word.length >= best.length ? word : best), "");
  return { words: new Set([longest]), isOpen: false };
}

/** A request must have a word of each set. A noun before a slot is not required: "it" may replace noun and slot. */
export function requiredWords(node: PhraseNode): readonly ReadonlySet<string>[] {
  const items = node.type === "sequence" ? node.items : [node];
  return items
    .filter((item, at) => !isNullable(item) && !(at > 0 && items[at + 1]?.type === "slot"))
    .map(someOf)
    .filter(({ isOpen }) => !isOpen)
    .map(({ words }) => words);
}

export const particles: ReadonlySet<string> = new Set([...prepositions, ..."off out up down back away".split(" ")]);

export function particleOf(node: PhraseNode): readonly ReadonlySet<string>[] {
  const [, second] = node.type === "sequence" ? node.items.filter((item) => !isNullable(item)) : [];
  const { words, isOpen } = second === undefined ? { words: new Set<string>(), isOpen: true } : someOf(second);
  return !isOpen && [...words].every((word) => particles.has(word)) ? [words] : [];
}

export function addWords(node: PhraseNode, words: Set<string>, seen: Set<PhraseNode>): void {
  if (seen.has(node)) return;
  seen.add(node);
  if (node.type === "word") words.add(node.word);
  else if (node.type !== "slot") for (const item of node.items) addWords(item, words, seen);
}
