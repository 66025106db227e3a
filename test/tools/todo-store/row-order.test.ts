import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RowOrder } from "../../../src/tools/todo-store/row-order.ts";
import { type TodoRow, toRow } from "../../../src/tools/todo-store/todo-row.ts";
import { todoWith } from "../../contracts/todo-storage.ts";

const dueDates = ["2026-11-22", "2026-11-23", "2026-12-24T18:00:00Z", undefined];

function rowAt(sequence: number, key: number): TodoRow {
  const dueDate = dueDates[key % dueDates.length];
  return toRow(todoWith({ id: String(sequence), ...(dueDate !== undefined && { dueDate }) }), sequence);
}

/** Different places out of 3 001. */
function placesFrom(start: number, { step, size }: { step: number; size: number }): readonly number[] {
  return [...new Set(Array.from({ length: size }, (_, index) => (start + (index + 3_001) * (step + 3_001)) % 3_001))];
}

const places = (rows: readonly TodoRow[]) => rows.map((row) => row.sequence);
const sequencesOf = (order: RowOrder, reverse: boolean) => places([...order.parts(reverse)].flat());

type Rows = Map<number, TodoRow>;

function removeFrom(order: RowOrder, { rows, sequences }: { rows: Rows; sequences: readonly number[] }): void {
  order.removeAll(sequences.flatMap((sequence) => rows.get(sequence) ?? []));
  for (const sequence of sequences) rows.delete(sequence);
}

function putInto(order: RowOrder, { rows, changed }: { rows: Rows; changed: readonly TodoRow[] }): void {
  for (const row of changed) {
    order.put(row, rows.get(row.sequence));
    rows.set(row.sequence, row);
  }
}

function sortNaively(rows: readonly TodoRow[], reverse: boolean): readonly TodoRow[] {
  const inOrder = [...rows].sort((left, right) => left.sequence - right.sequence);
  const withDue = inOrder.filter((row) => row.dueMs !== undefined);
  const sorted = withDue.sort((left, right) => Number(left.dueMs) - Number(right.dueMs));
  const others = inOrder.filter((row) => row.dueMs === undefined);
  return reverse ? [...sorted.reverse(), ...others.reverse()] : [...sorted, ...others];
}

describe("RowOrder", () => {
  it("stays sorted while chunks grow, split, shrink and go, in any order of changes", () => {
    const batch = fc.record({
      start: fc.nat({ max: 3_000 }),
      step: fc.constantFrom(1, 7, -1, 1_001),
      size: fc.constantFrom(1, 3, 700, 1_500),
      key: fc.nat({ max: 3 }),
      varied: fc.boolean(),
      remove: fc.boolean(),
    });
    const property = fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
      const order = new RowOrder("due");
      const rows = new Map<number, TodoRow>();
      for (const { start, step, size, key, varied, remove } of batches) {
        const sequences = placesFrom(start, { step, size });
        if (remove) removeFrom(order, { rows, sequences });
        else putInto(order, { rows, changed: sequences.map((at) => rowAt(at, varied ? at + key : key)) });
      }
      for (const reverse of [false, true]) {
        expect(sequencesOf(order, reverse)).toEqual(places(sortNaively([...rows.values()], reverse)));
      }
    });
    fc.assert(property, { numRuns: 40 });
  });

  it("leaves alone what it does not have", () => {
    const order = new RowOrder("due");
    order.removeAll([rowAt(1, 0)]);
    order.put(rowAt(1, 0));
    order.removeAll([rowAt(2, 0), rowAt(1, 3)]);
    expect(sequencesOf(order, false)).toEqual([1]);
  });
});
