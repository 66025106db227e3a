import type { TodoRow } from "./todo-row.ts";

const maxChunkRows = 512;

/** Less than 0 where the left row comes first, more than 0 where the right one does, 0 where they share a place: then they have the
 * same `sequence`. */
export type CompareRows = (left: TodoRow, right: TodoRow) => number;

/**
 * Rows kept in an order, in chunks of up to 512: a change looks at about twenty rows and moves those of one chunk, however
 * many there are.
 */
export class SortedRows {
  readonly #compare: CompareRows;
  #chunks: TodoRow[][] = [];

  constructor(compare: CompareRows) {
    this.#compare = compare;
  }

  /** Adds a row, or puts it in the place of the one that shares its place. */
  put(row: TodoRow): void {
    const { index, chunk, at, isThere } = this.#find(row);
    if (chunk === undefined) {
      this.#chunks.push([row]);
      return;
    }
    chunk.splice(at, isThere ? 1 : 0, row);
    if (chunk.length > maxChunkRows) this.#chunks.splice(index + 1, 0, chunk.splice(maxChunkRows / 2));
  }

  /** Takes out the rows that share a place with one of these. */
  removeAll(rows: readonly TodoRow[]): void {
    if (rows.length <= this.#chunks.length) {
      for (const row of rows) this.#remove(row);
      return;
    }
    // To look for each of so many takes longer than to go through all.
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

/** Where the first item is for which something holds, in a list in which it holds for all after that. */
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
