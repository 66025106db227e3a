import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RowSet } from "../../../src/tools/todo-store/row-set.ts";
import { toRow } from "../../../src/tools/todo-store/todo-row.ts";
import { todoWith } from "../../contracts/todo-storage.ts";

const rowOf = (sequence: number, { title = `t${sequence}`, completed = false } = {}) =>
  toRow(todoWith({ id: String(sequence), title, completed }), sequence);

const sequencesOf = (set: RowSet, options: { containing?: readonly string[]; reverse?: boolean } = {}) =>
  [...set.parts(options)].flat().map((row) => row.sequence);

describe("RowSet", () => {
  it("keeps rows in order and counted, whatever comes and goes", () => {
    const step = fc.record({
      sequence: fc.nat({ max: 1_200 }),
      remove: fc.boolean(),
      completed: fc.boolean(),
      title: fc.constantFrom("milk", "milk and eggs", "bread"),
    });
    const property = fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const set = new RowSet();
      const expected = new Map<number, { completed: boolean; title: string }>();
      for (const { sequence, remove, completed, title } of steps) {
        const row = rowOf(sequence, { title, completed });
        if (remove) set.removeAll([row]);
        else set.put(row);
        if (remove) expected.delete(sequence);
        else expected.set(sequence, { completed, title });
        const withMilk = [...expected].filter(([, { title }]) => title.includes("milk")).map(([key]) => key);
        expect(sequencesOf(set, { containing: ["milk"] })).toEqual(withMilk.sort((left, right) => left - right));
      }
      const all = [...expected.keys()].sort((left, right) => left - right);
      expect(sequencesOf(set)).toEqual(all);
      expect(sequencesOf(set, { reverse: true })).toEqual([...all].reverse());
      expect(set.size).toBe(all.length);
      expect(set.completed).toBe([...expected.values()].filter(({ completed }) => completed).length);
    });
    fc.assert(property, { numRuns: 60 });
  });

  it("finds nothing across two titles, nor where another text is missing", () => {
    const set = new RowSet();
    for (const [index, title] of ["milk", "bread"].entries()) set.put(rowOf(index, { title }));
    expect(sequencesOf(set, { containing: ["milk\nbread"] })).toEqual([]);
    expect(sequencesOf(set, { containing: ["kbr"] })).toEqual([]);
    expect(sequencesOf(set, { containing: ["bread", "eggs"] })).toEqual([]);
  });

  it("leaves alone what it does not have", () => {
    const set = new RowSet();
    set.put(rowOf(1));
    set.removeAll([rowOf(2), rowOf(900)]);
    expect(sequencesOf(set)).toEqual([1]);
  });
});
