import { type CompareRows, SortedRows } from "./sorted-rows.ts";
import type { TodoRow } from "./todo-row.ts";

const sortKeys = {
  due: (row: TodoRow) => row.dueMs,
  priority: (row: TodoRow) => row.rank,
  title: (row: TodoRow) => row.titleKey,
};

/** The sort orders other than the order of insertion. */
export type RowSort = keyof typeof sortKeys;

type KeyOf = (typeof sortKeys)[RowSort];

/** Rows in the order of a key; equal ones by `sequence`, and those without a key last in both directions. */
export class RowOrder {
  readonly #keyOf: KeyOf;
  readonly #withKey: SortedRows;
  readonly #withoutKey = new SortedRows((left, right) => left.sequence - right.sequence);

  constructor(sort: RowSort) {
    this.#keyOf = sortKeys[sort];
    this.#withKey = new SortedRows(compareBy(this.#keyOf));
  }

  /** Adds a row, or replaces the old one with its sequence. */
  put(row: TodoRow, old?: TodoRow): void {
    if (old !== undefined && this.#keyOf(old) !== this.#keyOf(row)) this.removeAll([old]);
    this.#placeOf(row).put(row);
  }

  /** Removes rows. */
  removeAll(rows: readonly TodoRow[]): void {
    for (const place of [this.#withKey, this.#withoutKey]) {
      place.removeAll(rows.filter((row) => this.#placeOf(row) === place));
    }
  }

  /** The rows, a part at a time. */
  *parts(reverse: boolean): Generator<readonly TodoRow[]> {
    yield* this.#withKey.parts(reverse);
    yield* this.#withoutKey.parts(reverse);
  }

  #placeOf(row: TodoRow): SortedRows {
    return this.#keyOf(row) === undefined ? this.#withoutKey : this.#withKey;
  }
}

function compareBy(keyOf: KeyOf): CompareRows {
  return (leftRow, rightRow) => {
    const left = keyOf(leftRow) ?? 0;
    const right = keyOf(rightRow) ?? 0;
    if (left === right) return leftRow.sequence - rightRow.sequence;
    return left < right ? -1 : 1;
  };
}
