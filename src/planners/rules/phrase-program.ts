import { type FirstWords, firstOf, type PhraseNode } from "./phrase-template.ts";
import { isReadable, type SlotType } from "./slot-reading.ts";

/** What an instruction of a program does. */
export const operation = {
  /** Takes word number `a`. */
  word: 0,
  /** Continues at `a`. */
  jump: 1,
  /** Continues at each alternative of choice number `a`, preferring the first. */
  choice: 2,
  /** Takes the first token of slot number `a`. */
  textFirst: 3,
  /** Takes one more token of slot number `a`, or continues after the slot. */
  textMore: 4,
  /** Takes all words of a value of slot number `a`. */
  value: 5,
  /** The phrase is matched. */
  accept: 6,
} as const;

/** A slot of a phrase. */
export interface SlotSpec {
  readonly name: string;
  readonly type: SlotType;
  /** What each token in it costs when readings of one phrase are compared. */
  readonly cost: number;
  /** What each token in it costs when phrases are compared: the more a slot accepts, the higher. */
  readonly rank: number;
}

/** Where to continue at a choice: its alternatives by number, and where each of them starts. */
export interface Choice {
  readonly table: ChoiceTable;
  readonly entries: readonly number[];
}

/** A phrase as instructions for the matcher. */
export interface PhraseProgram {
  readonly code: Uint8Array;
  readonly a: Int32Array;
  readonly words: readonly string[];
  readonly slots: readonly SlotSpec[];
  readonly choices: readonly Choice[];
  /** Where the matcher notes when it was last at an instruction. */
  readonly seen: Float64Array;
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

/** Compiles a phrase. The program's size is linear in the phrase's. */
export function compilePhrase(node: PhraseNode, slots: ReadonlyMap<string, SlotType>): PhraseProgram {
  return new ProgramBuilder(slots).build(node);
}

class ProgramBuilder {
  private readonly code: number[] = [];
  private readonly a: number[] = [];
  private readonly words: string[] = [];
  private readonly choices: Choice[] = [];
  private readonly slots: readonly SlotSpec[];

  constructor(types: ReadonlyMap<string, SlotType>) {
    this.slots = [...types].map(([name, type]) => slotSpec(name, type));
  }

  build(node: PhraseNode): PhraseProgram {
    this.add(node);
    this.emit(operation.accept, 0);
    return {
      code: Uint8Array.from(this.code),
      a: Int32Array.from(this.a),
      words: this.words,
      slots: this.slots,
      choices: this.choices,
      seen: new Float64Array(this.code.length),
    };
  }

  private add(node: PhraseNode): void {
    switch (node.type) {
      case "word":
        this.emit(operation.word, this.words.push(node.word) - 1);
        return;
      case "sequence":
        for (const item of node.items) this.add(item);
        return;
      case "slot":
        this.addSlot(this.slots.findIndex(({ name }) => name === node.name));
        return;
      case "choice":
        this.addChoice(node);
    }
  }

  private addSlot(slot: number): void {
    const type = this.slots[slot]?.type;
    if (type !== undefined && isReadable(type)) {
      this.emit(operation.value, slot);
      return;
    }
    this.emit(operation.textFirst, slot);
    this.emit(operation.textMore, slot);
  }

  private addChoice(node: ChoiceNode): void {
    const at = this.emit(operation.choice, 0);
    const jumps: number[] = [];
    const entries: number[] = [];
    for (const item of node.items) {
      entries.push(this.code.length);
      this.add(item);
      jumps.push(this.emit(operation.jump, 0));
    }
    for (const jump of jumps) this.a[jump] = this.code.length;
    this.a[at] = this.choices.push({ table: tableOf(node), entries }) - 1;
  }

  private emit(code: number, a: number): number {
    this.a.push(a);
    return this.code.push(code) - 1;
  }
}

type ChoiceNode = Extract<PhraseNode, { type: "choice" }>;

const tables = new WeakMap<ChoiceNode, ChoiceTable>();

/** The table of a choice; created once, as phrases of a tool share many choices. */
function tableOf(node: ChoiceNode): ChoiceTable {
  let table = tables.get(node);
  if (table === undefined) {
    table = new ChoiceTable();
    for (const item of node.items) table.add(firstOf(item));
    tables.set(node, table);
  }
  return table;
}

/** The alternatives of a choice, by the words they may start with. */
export class ChoiceTable {
  /** For each word that an alternative may start with: those alternatives, and all that may start with anything. */
  readonly byWord = new Map<string, number[]>();
  /** Alternatives that may start with a slot or be left out. */
  readonly open: number[] = [];
  readonly all: number[] = [];

  add({ words, isOpen, isNullable }: FirstWords): void {
    const alternative = this.all.push(this.all.length) - 1;
    const isAlways = isOpen || isNullable;
    if (isAlways) for (const others of this.byWord.values()) others.push(alternative);
    for (const word of words) {
      const others = this.byWord.get(word);
      if (others === undefined) this.byWord.set(word, [...this.open, alternative]);
      else if (!isAlways) others.push(alternative);
    }
    if (isAlways) this.open.push(alternative);
  }
}
