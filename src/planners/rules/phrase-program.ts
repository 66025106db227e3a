import type { PhraseNode } from "./phrase-template.ts";
import { isReadable } from "./slot-reading.ts";
import type { SlotType } from "./slot-type.ts";

/** What an instruction of a program does. */
export const operation = {
  /** Takes the word number `a`. */
  word: 0,
  /** Goes on at `a`. */
  jump: 1,
  /** Goes on at `a`, and at `b`, which is liked less. */
  split: 2,
  /** Takes the first token of slot number `a`. */
  textFirst: 3,
  /** Takes one more token of slot number `a`. */
  textMore: 4,
  /** Closes slot number `a`. */
  textEnd: 5,
  /** Takes all words of a value of slot number `a`. */
  value: 6,
  /** Phrase number `a` is matched. */
  accept: 7,
} as const;

/** A slot of a phrase of the tool. */
export interface SlotSpec {
  readonly name: string;
  readonly type: SlotType;
  /** What each token in it costs where ways to read one phrase are compared. */
  readonly cost: number;
  /** What each token in it costs where phrases are compared: the more a slot would take anything, the dearer it is. */
  readonly rank: number;
}

/** The phrases of one tool, as instructions for the matcher. */
export interface PhraseProgram {
  readonly code: Uint8Array;
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly slots: readonly SlotSpec[];
  readonly words: readonly string[];
  readonly wordIds: ReadonlyMap<string, number>;
  /** For each word that a phrase may begin with, where those phrases begin. */
  readonly entriesByWord: ReadonlyMap<number, readonly number[]>;
  /** Where the phrases begin that may begin with a slot. */
  readonly openEntries: readonly number[];
}

const textCost = 10;
const valueCost = 3;
const listRank = 6;
const checkedRank = 2;

function slotSpec(name: string, type: SlotType): SlotSpec {
  if (isReadable(type)) return { name, type, cost: valueCost, rank: valueCost };
  const rank = type.kind === "list" ? listRank : type.schema === undefined ? textCost : checkedRank;
  return { name, type, cost: textCost, rank };
}

/** One phrase to compile. */
export interface ProgramPhrase {
  readonly node: PhraseNode;
  readonly slots: ReadonlyMap<string, SlotType>;
}

/** Puts phrases into one program. Its size is linear in theirs. */
export function compileProgram(phrases: readonly ProgramPhrase[]): PhraseProgram {
  const builder = new ProgramBuilder();
  const entries = phrases.map((phrase, index) => builder.addPhrase(phrase, index));
  return builder.finish(entries);
}

class ProgramBuilder {
  private readonly code: number[] = [];
  private readonly a: number[] = [];
  private readonly b: number[] = [];
  private readonly slots: SlotSpec[] = [];
  private readonly wordIds = new Map<string, number>();

  addPhrase({ node, slots }: ProgramPhrase, index: number): number {
    const entry = this.code.length;
    const numbers = new Map<string, number>();
    for (const [name, type] of slots) numbers.set(name, this.slots.push(slotSpec(name, type)) - 1);
    this.add(node, numbers);
    this.emit(operation.accept, index);
    return entry;
  }

  finish(entries: readonly number[]): PhraseProgram {
    const program = {
      code: Uint8Array.from(this.code),
      a: Int32Array.from(this.a),
      b: Int32Array.from(this.b),
      slots: this.slots,
      words: [...this.wordIds.keys()],
      wordIds: this.wordIds,
    };
    const entriesByWord = new Map<number, number[]>();
    const openEntries: number[] = [];
    for (const entry of entries) {
      const { words, isOpen } = firstOf(program, entry);
      for (const id of words) {
        const known = entriesByWord.get(id);
        if (known === undefined) entriesByWord.set(id, [entry]);
        else known.push(entry);
      }
      if (isOpen) openEntries.push(entry);
    }
    return { ...program, entriesByWord, openEntries };
  }

  private add(node: PhraseNode, slots: ReadonlyMap<string, number>): void {
    switch (node.type) {
      case "word":
        this.emit(operation.word, this.wordId(node.word));
        return;
      case "sequence":
        for (const item of node.items) this.add(item, slots);
        return;
      case "slot":
        this.addSlot(slots.get(node.name) ?? 0);
        return;
      case "choice":
        this.addChoice(node.items, slots);
    }
  }

  private addSlot(slot: number): void {
    const type = this.slots[slot]?.type;
    if (type !== undefined && isReadable(type)) {
      this.emit(operation.value, slot);
      return;
    }
    this.emit(operation.textFirst, slot);
    const loop = this.emit(operation.split, this.code.length + 1, this.code.length + 3);
    this.emit(operation.textMore, slot);
    this.emit(operation.jump, loop);
    this.emit(operation.textEnd, slot);
  }

  private addChoice(items: readonly PhraseNode[], slots: ReadonlyMap<string, number>): void {
    const jumps: number[] = [];
    for (const [index, item] of items.entries()) {
      const isLast = index === items.length - 1;
      const split = isLast ? -1 : this.emit(operation.split, this.code.length + 1);
      this.add(item, slots);
      if (isLast) break;
      jumps.push(this.emit(operation.jump, 0));
      this.b[split] = this.code.length;
    }
    for (const jump of jumps) this.a[jump] = this.code.length;
  }

  private emit(code: number, a: number, b = 0): number {
    this.a.push(a);
    this.b.push(b);
    return this.code.push(code) - 1;
  }

  private wordId(word: string): number {
    const known = this.wordIds.get(word);
    if (known !== undefined) return known;
    this.wordIds.set(word, this.wordIds.size);
    return this.wordIds.size - 1;
  }
}

/** What a phrase may begin with. */
function firstOf({ code, a, b }: Pick<PhraseProgram, "code" | "a" | "b">, entry: number): { words: Set<number>; isOpen: boolean } {
  const words = new Set<number>();
  const seen = new Set<number>();
  const stack = [entry];
  let isOpen = false;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (code[at] === operation.split) stack.push(b[at] ?? 0, a[at] ?? 0);
    else if (code[at] === operation.jump) stack.push(a[at] ?? 0);
    else if (code[at] === operation.word) words.add(a[at] ?? 0);
    else isOpen = true;
  }
  return { words, isOpen };
}
