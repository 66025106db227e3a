import type { MatchInput } from "../match-input.ts";
import { isReadable, readSlot, type SlotReading, type SlotType } from "../slot-reading.ts";

/** What the examples of one meaning say about their slots. */
export interface SlotFrame {
  readonly slots: readonly FrameSlot[];
  /** The stems of the words around the slots. */
  readonly words: ReadonlySet<string>;
  /** The sets of slots that an example has, as bits. */
  readonly sets: ReadonlySet<number>;
}

/** A slot, as examples show it. */
export interface FrameSlot {
  readonly name: string;
  readonly type: SlotType;
  /** The stems of the words before and after it; `^` and `$` for the beginning and the end. */
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/** The words that fill a slot. */
export interface FilledSlot {
  readonly slot: number;
  readonly start: number;
  readonly end: number;
  readonly value: SlotReading["value"] | undefined;
}

/** A request's words from one to before another, as slots are looked for in them. */
export interface SlotWords {
  readonly input: MatchInput;
  readonly stems: readonly string[];
  readonly start: number;
  readonly end: number;
  /** How badly it fits that a word stands outside of all slots, from 0 on. */
  costOutside(position: number): number;
}

const maxTextWords = 16;
const wrongSide = 1.8;
const frameWordInside = 0.9;
const perWordInside = 0.1;
const readableGain = 1;

interface Cell {
  readonly cost: number;
  readonly filled: FilledSlot | undefined;
  readonly before: Cell | undefined;
}

/**
 * Finds the words that fill slots, at the least cost: a slot should stand beside the words that it stands beside in an
 * example, words of the examples outside of it, and unknown words in it. Linear in the words (Viterbi 1967).
 */
export function findSlots(frame: SlotFrame, said: SlotWords): readonly FilledSlot[] | undefined {
  const masks = 1 << frame.slots.length;
  const cells: (Cell | undefined)[][] = Array.from({ length: said.end - said.start + 1 }, () => []);
  const reach = (position: number, mask: number, cell: Cell) => {
    const row = cells[position - said.start];
    if (row !== undefined && cell.cost < (row[mask]?.cost ?? Number.POSITIVE_INFINITY)) row[mask] = cell;
  };
  reach(said.start, 0, { cost: 0, filled: undefined, before: undefined });
  for (let position = said.start; position < said.end; position++) {
    const options = frame.slots.flatMap((slot, at) => waysToFill(frame, slot, { at, position, said }));
    for (let mask = 0; mask < masks; mask++) {
      const cell = cells[position - said.start]?.[mask];
      if (cell === undefined) continue;
      reach(position + 1, mask, { ...cell, cost: cell.cost + said.costOutside(position) });
      for (const { filled, cost } of options) {
        if ((mask & (1 << filled.slot)) !== 0) continue;
        reach(filled.end, mask | (1 << filled.slot), { cost: cell.cost + cost, filled, before: cell });
      }
    }
  }
  let best: Cell | undefined;
  for (const mask of frame.sets) {
    const cell = cells[said.end - said.start]?.[mask];
    if (cell !== undefined && (best === undefined || cell.cost < best.cost)) best = cell;
  }
  return best && filledIn(best);
}

interface Way {
  readonly filled: FilledSlot;
  readonly cost: number;
}

function waysToFill(
  frame: SlotFrame,
  slot: FrameSlot,
  { at, position, said }: { at: number; position: number; said: SlotWords },
): readonly Way[] {
  const sides = (end: number) => {
    const before = position === said.start ? "^" : (said.stems[position - 1] ?? "");
    const after = end === said.end ? "$" : (said.stems[end] ?? "");
    return (slot.before.has(before) ? 0 : wrongSide) + (slot.after.has(after) ? 0 : wrongSide);
  };
  if (isReadable(slot.type)) {
    return readSlot(slot.type, said.input, position)
      .filter(({ end }) => end <= said.end)
      .map(({ value, end }) => ({
        filled: { slot: at, start: position, end, value },
        cost: sides(end) / 2 - readableGain,
      }));
  }
  const ways: Way[] = [];
  let inside = 0;
  for (let end = position + 1; end <= Math.min(said.end, position + maxTextWords); end++) {
    inside += perWordInside + (frame.words.has(said.stems[end - 1] ?? "") ? frameWordInside : 0);
    ways.push({ filled: { slot: at, start: position, end, value: undefined }, cost: inside + sides(end) });
  }
  return ways;
}

function filledIn(last: Cell): readonly FilledSlot[] {
  const filled: FilledSlot[] = [];
  for (let cell: Cell | undefined = last; cell !== undefined; cell = cell.before)
    if (cell.filled !== undefined && filled[0] !== cell.filled) filled.unshift(cell.filled);
  return filled;
}
