import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedTodos } from "../../../src/tools/todo-store/sorted-todos.ts";
import type { Todo } from "../../../src/tools/todo-store/todo.ts";
import { todoWith } from "./todo-storage-contract.ts";

const dueDates = ["2026-11-22", "2026-11-23", "2026-12-24T18:00:00Z", undefined];

function todoAt(place: number, key: number): Todo {
  const dueDate = dueDates[key % dueDates.length];
  const list = key % 3 === 0 ? "home" : "work";
  return todoWith({ id: String(place), list, completed: key % 2 === 0, ...(dueDate !== undefined && { dueDate }) });
}

/** Different places out of 3 001. */
function placesFrom(start: number, { step, size }: { step: number; size: number }): readonly number[] {
  return [...new Set(Array.from({ length: size }, (_, index) => (start + (index + 3_001) * (step + 3_001)) % 3_001))];
}

const batch = fc.record({
  start: fc.nat({ max: 3_000 }),
  step: fc.constantFrom(1, 7, -1, 1_001),
  size: fc.constantFrom(1, 3, 700, 1_500, 3_000),
  key: fc.nat({ max: 3 }),
  varied: fc.boolean(),
  remove: fc.boolean(),
});
type Batch = typeof batch extends fc.Arbitrary<infer TBatch> ? TBatch : never;

/** Puts or removes many. A Map keeps the order of insertion, too. */
function changeBoth(
  todos: SortedTodos,
  { expected, start, step, size, key, varied, remove }: Batch & { expected: Map<string, Todo> },
): void {
  for (const place of placesFrom(start, { step, size })) {
    const todo = todoAt(place, varied ? place + key : key);
    if (remove) {
      todos.remove(todo.id);
      expected.delete(todo.id);
    } else {
      todos.put(todo);
      expected.set(todo.id, todo);
    }
  }
}

const idsOf = (todos: readonly Todo[]) => todos.map(({ id }) => id);

/** By due date; `todos` are in the order of insertion. */
function sortNaively(todos: readonly Todo[], reverse: boolean): readonly Todo[] {
  const timeOf = ({ dueDate = "" }: Todo) => Date.parse(dueDate.length === 10 ? `${dueDate}T23:59:59.999Z` : dueDate);
  const sorted = todos.filter(({ dueDate }) => dueDate !== undefined).sort((one, two) => timeOf(one) - timeOf(two));
  const others = todos.filter(({ dueDate }) => dueDate === undefined);
  return reverse ? [...sorted.reverse(), ...others.reverse()] : [...sorted, ...others];
}

describe("SortedTodos", () => {
  it("stays sorted and counted while it grows, shrinks and closes its gaps, in any order of changes", () => {
    const property = fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
      const todos = new SortedTodos();
      const expected = new Map<string, Todo>();
      for (const one of batches) changeBoth(todos, { expected, ...one });
      const all = [...expected.values()];
      const open = all.filter(({ completed }) => !completed);
      for (const reverse of [false, true]) {
        const page = todos.find({ sort: "due", reverse, limit: 5_000 });
        expect(idsOf(page.todos)).toEqual(idsOf(sortNaively(all, reverse)));
        expect([page.count, page.completed]).toEqual([all.length, all.length - open.length]);
        const part = todos.find({ sort: "due", reverse, completed: false, offset: 300, limit: 500 });
        expect(idsOf(part.todos)).toEqual(idsOf(sortNaively(open, reverse).slice(300, 800)));
        expect([part.count, part.completed]).toEqual([open.length, 0]);
        for (const list of ["home", "work", "none"]) {
          const ofList = all.filter((todo) => todo.list === list);
          const whole = todos.find({ list, sort: "due", reverse, limit: 5_000 });
          expect(idsOf(whole.todos)).toEqual(idsOf(sortNaively(ofList, reverse)));
          expect([whole.count, whole.completed]).toEqual([
            ofList.length,
            ofList.filter((todo) => todo.completed).length,
          ]);
          const openOnes = ofList.filter((todo) => !todo.completed);
          const ofOpen = todos.find({ list: list.toUpperCase(), completed: false, sort: "due", reverse, limit: 5_000 });
          expect(idsOf(ofOpen.todos)).toEqual(idsOf(sortNaively(openOnes, reverse)));
        }
      }
      expect(idsOf(todos.find({ limit: 5_000 }).todos)).toEqual(idsOf(all));
    });
    fc.assert(property, { numRuns: 40 });
  });

  it("finds a whole title in any order, also when it was changed", () => {
    const todos = new SortedTodos();
    for (const [index, title] of ["b", "a", "c", "b", "b"].entries()) {
      todos.put(todoWith({ id: String(index), title, ...(index === 3 && { dueDate: "2026-11-22" }) }));
    }
    todos.put(todoWith({ id: "2", title: "B" }));
    todos.put(todoWith({ id: "0", title: "a" }));
    const find = (query: object) => idsOf(todos.find({ titleKey: "b", limit: 9, ...query }).todos).join(" ");
    expect(find({})).toBe("2 3 4");
    expect(find({ reverse: true })).toBe("4 3 2");
    expect(find({ sort: "due" })).toBe("3 2 4");
    expect(find({ titleKey: "c" })).toBe("");
    expect(find({ titleKey: "a", offset: 1 })).toBe("1");
  });

  it("finds words in titles after todos are added, changed and removed", () => {
    const todos = new SortedTodos();
    const find = (...words: string[]) => idsOf(todos.find({ words, limit: 9 }).todos).join(" ");
    for (let index = 0; index < 200; index++) todos.put(todoWith({ id: String(index), title: `title ${index}` }));
    expect(find("19", "9")).toBe("19 119 190 191 192 193 194 195 196");
    expect(find("title 1\ntitle 2")).toBe("");
    todos.put(todoWith({ id: "70", title: "milk" }));
    todos.put(todoWith({ id: "new", title: "oat milk" }));
    expect(find("milk")).toBe("70 new");
    expect(find("title 70")).toBe("");
    todos.remove("70");
    expect(find("milk")).toBe("new");
    todos.clear({ completed: false, list: "todos" });
    expect(find("milk")).toBe("");
  });

  it("keeps todos without a valid date last, and all others sorted", () => {
    const todos = new SortedTodos();
    const dates = ["2026-11-24", "soon", "2026-11-22", "later", "2026-11-23"];
    for (const [index, dueDate] of dates.entries()) todos.put(todoWith({ id: String(index), dueDate }));
    expect(idsOf(todos.find({ sort: "due", limit: 9 }).todos)).toEqual(["2", "4", "0", "1", "3"]);
    todos.remove("1");
    todos.put(todoWith({ id: "3", dueDate: "2026-11-21" }));
    expect(idsOf(todos.find({ sort: "due", limit: 9 }).todos)).toEqual(["3", "2", "4", "0"]);
  });

  it("ignores a todo that it does not contain", () => {
    const todos = new SortedTodos();
    todos.remove("1");
    todos.put(todoAt(1, 0));
    todos.remove("2");
    todos.clear({ list: "other" });
    expect(idsOf(todos.find({ limit: 9 }).todos)).toEqual(["1"]);
    expect(todos.get("2")).toBeUndefined();
  });
});
