import type { TodoRow } from "./todo-row.ts";

const maxChunkRows = 512;

/** Negative if the left row comes first, positive if the right one does, 0 if both have the same `sequence`. */
export type CompareRows = (left: TodoRow, right: TodoRow) => number;

/**
 * Sorted rows, in chunks of up to 512: a change compares about twenty rows and moves those of one chunk, however many
 * there are.
 */
export class SortedRows {
  readonly #compare: CompareRows;
  #chunks: TodoRow[][] = [];

  constructor(compare: CompareRows) {
    this.#compare = compare;
  }

  /** Adds a row, or replaces the one at its place. */
  put(row: TodoRow): void {
    const { index, chunk, at, isThere } = this.#find(row);
    if (chunk === undefined) {
      this.#chunks.push([row]);
      return;
    }
    chunk.splice(at, isThere ? 1 : 0, row);
    if (chunk.length > maxChunkRows) this.#chunks.splice(index + 1, 0, chunk.splice(maxChunkRows / 2));
  }

  /** Removes the rows at the places of these. */
  removeAll(rows: readonly TodoRow[]): void {
    if (rows.length <= this.#chunks.length) {
      for (const row of rows) this.#remove(row);
      return;
    }
    // Searching for each of many rows takes longer than going through all.
    const gone = new Set(rows.map(({ sequence }) => sequence));
    const kept = this.#chunks.map((chunk) => chunk.filter(({ sequence }) => !gone.has(sequence)));
    this.#chunks = kept.filter(({ length }) => length > 0);
  }

  /** The rows, a part at a time. */
  *parts(reverse: boolean): Generator<readonly TodoRow[]> {
    if (!reverse) yield* this.#chunks;
    else for (const chunk of [...this.#chunks].reverse()) yield [...chunk].reverse();
  }

  #remove(row: TodoRow): void {
    const { index, chunk, at, isThere } = this.#find(row);
    if (!isThere) return;
    chunk?.splice(at, 1);
    if (chunk?.length === 0) this.#chunks.splice(index, 1);
  }

  #find(row: TodoRow) {
    const startsAfter = ([first]: readonly TodoRow[]) => first !== undefined && this.#compare(first, row) > 0;
    const index = Math.max(0, findFirst(this.#chunks, startsAfter) - 1);
    const chunk = this.#chunks[index];
    const at = chunk === undefined ? 0 : findFirst(chunk, (other) => this.#compare(other, row) >= 0);
    const other = chunk?.[at];
    return { index, chunk, at, isThere: other !== undefined && this.#compare(other, row) === 0 };
  }
}

/** The index of the first item for which `holds` is true, in a list in which it is true for all later items. */
function findFirst<TItem>(items: readonly TItem[], holds: (item: TItem) => boolean): number {
  let from = 0;
  let to = items.length;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const item = items[middle];
    if (item !== undefined && holds(item)) to = middle;
    else from = middle + 1;
  }
  return from;
}
