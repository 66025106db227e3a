import fc from "fast-check";
import type { Todo, TodoStorage } from "planwright";
import type { TodoQuery } from "planwright/testing";
import { foldText } from "../../../src/tools/storage/keyed-records.ts";
import { compareDue, parseDueDate, titleKey } from "../../../src/tools/todo-store/todo-keys.ts";
import type { TodoChange, TodoPatch } from "../../../src/tools/todo-store/todo-storage.ts";
import type { ContractRunner } from "./todo-storage-contract.ts";
import type { TodoStorageHelpers } from "./todo-storage-contract-queries.ts";

const lists = ["todos", "Work", "work"];
const titles = ["milk", "Milk!", "bread", "äpfel", "\u{1F600}", "\uFFFD", "zebra", "10", "9"];
const dueDates = [
  "2026-11-22",
  "2026-11-22T23:59:59.999Z",
  "2026-11-23T01:00+02:00",
  "2026-01-05",
  "2026-12-24T18:00Z",
];
const dueTimes = ["2026-11-22T17:00:00-08:00", "2026-11-23T08:00:00+09:00"];
const priorities = ["low", "medium", "high"] as const;
const tags = ["a", "b", "c", "d"];
const sorts = ["created", "due", "priority", "title"] as const;

const place = fc.nat({ max: 1_500 });
const patch: fc.Arbitrary<TodoPatch> = fc.record(
  {
    title: fc.constantFrom(...titles),
    list: fc.constantFrom(...lists),
    completed: fc.boolean(),
    dueDate: fc.constantFrom(...dueDates, null),
    dueAt: fc.constantFrom(...dueTimes, null),
    priority: fc.constantFrom(...priorities, null),
  },
  { requiredKeys: [] },
);
const mutation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("patch" as const), place, fields: patch }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("remove" as const), place }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("insert" as const), place }) },
  {
    weight: 1,
    arbitrary: fc.record(
      { type: fc.constant("clear" as const), list: fc.constantFrom(...lists), onlyCompleted: fc.boolean() },
      { requiredKeys: ["type", "onlyCompleted"] },
    ),
  },
);
const query: fc.Arbitrary<TodoQuery> = fc.record(
  {
    sort: fc.constantFrom(...sorts),
    reverse: fc.boolean(),
    offset: fc.oneof(fc.nat({ max: 10 }), place),
    limit: fc.oneof(fc.nat({ max: 30 }), place),
    list: fc.constantFrom(...lists),
    completed: fc.boolean(),
    priority: fc.constantFrom(...priorities),
    tag: fc.constantFrom(...tags),
    dueBefore: fc.constantFrom(...dueDates),
    words: fc.subarray(["i", "m", "r"]),
  },
  { requiredKeys: ["limit"] },
);

/** The part of the contract that is about pages of many todos, in any order, whatever was changed before. */
export function testTodoOrder(
  { describe, it, expect }: ContractRunner,
  { filled }: TodoStorageHelpers,
  numRuns: number,
): void {
  describe("the order of many todos", () => {
    it("is that of filtering and sorting them all, after any changes", async () => {
      const rounds = fc.array(fc.record({ mutations: fc.array(mutation, { maxLength: 12 }), query }), {
        maxLength: 12,
      });
      const property = fc.asyncProperty(fc.constantFrom(0, 20, 300, 1_400), rounds, async (size, rounds) => {
        let todos = Array.from({ length: size }, (_, index) => todoAt(index));
        const storage = await filled(...todos);
        let writes = 0;
        for (const { mutations, query } of rounds) {
          for (const mutation of mutations)
            todos = await mutate({ storage, todos, mutation, key: `write ${writes++}` });
          const { todos: page, count, completed } = await storage.find("a", query);
          const expected = findNaively(todos, query);
          expect(page.map(({ id }) => id)).toEqual(expected.page.map(({ id }) => id));
          expect([count, completed]).toEqual([expected.count, expected.completed]);
        }
      });
      await fc.assert(property, { numRuns });
    });
  });
}

function todoAt(index: number): Todo {
  const dueDate = dueDates[(index * 7) % 9];
  const priority = priorities[(index * 5) % 4];
  return {
    id: String(index),
    title: `${titles[(index * 11) % titles.length]} ${(index * 37) % 101}`,
    list: lists[(index * 3) % 7] ?? "todos",
    completed: index % 3 === 0,
    createdAt: "2026-11-22T10:00:00.000Z",
    tags: tags.slice(index % 3, index % 5),
    ...(dueDate !== undefined && { dueDate }),
    ...(priority !== undefined && { priority }),
  };
}

interface MutateOptions {
  readonly storage: TodoStorage;
  readonly todos: readonly Todo[];
  readonly mutation: typeof mutation extends fc.Arbitrary<infer TMutation> ? TMutation : never;
  readonly key: string;
}

/** Makes a change to the storage; the todos that must be there then, in the order of insertion. */
async function mutate({ storage, todos, mutation, key }: MutateOptions): Promise<Todo[]> {
  const apply = (change: TodoChange) => storage.apply("a", { key, operation: "update", change });
  if (mutation.type === "clear") {
    await apply(mutation);
    return todos.filter((todo) => !isIn(todo, mutation.list) || (mutation.onlyCompleted && !todo.completed));
  }
  if (mutation.type === "insert") {
    const todo = { ...todoAt(mutation.place), id: key };
    await apply({ type: "insert", todo });
    return [...todos, todo];
  }
  const target = todos[mutation.place % Math.max(1, todos.length)];
  if (target === undefined) return [...todos];
  if (mutation.type === "remove") {
    await apply({ type: "remove", id: target.id });
    return todos.filter((todo) => todo !== target);
  }
  await apply({ type: "patch", id: target.id, fields: mutation.fields });
  const { dueDate, dueAt, priority, ...rest } = { ...target, ...mutation.fields };
  const patched = { ...rest, ...(dueDate && { dueDate }), ...(dueAt && { dueAt }), ...(priority && { priority }) };
  return todos.map((todo) => (todo === target ? (patched as Todo) : todo));
}

function findNaively(todos: readonly Todo[], query: TodoQuery) {
  const {
    sort = "created",
    reverse = false,
    offset = 0,
    limit,
    list,
    completed,
    priority,
    tag,
    dueBefore,
    words = [],
  } = query;
  const fitting = todos.filter(
    (todo) =>
      isIn(todo, list) &&
      (completed === undefined || todo.completed === completed) &&
      (priority === undefined || todo.priority === priority) &&
      (tag === undefined || todo.tags.includes(tag)) &&
      (dueBefore === undefined || isDueBefore(todo, dueBefore)) &&
      words.every((word) => titleKey(todo.title).includes(word)),
  );
  const keyed = fitting.filter((todo) => keyOf(todo, sort) !== undefined);
  const sorted = keyed.sort((left, right) => compareKeys(keyOf(left, sort), keyOf(right, sort)));
  const others = fitting.filter((todo) => keyOf(todo, sort) === undefined);
  const all = reverse ? [...sorted.reverse(), ...others.reverse()] : [...sorted, ...others];
  return {
    page: all.slice(offset, offset + limit),
    count: fitting.length,
    completed: fitting.filter((todo) => todo.completed).length,
  };
}

function isDueBefore({ dueDate, dueAt = dueDate }: Todo, bound: string): boolean {
  return dueAt !== undefined && compareDue(parseDueDate(dueAt), parseDueDate(bound)) < 0;
}

function isIn(todo: Todo, list: string | undefined): boolean {
  return list === undefined || foldText(todo.list) === foldText(list);
}

function keyOf(todo: Todo, sort: (typeof sorts)[number]): string | number | undefined {
  if (sort === "created") return 0;
  if (sort === "title") return titleKey(todo.title);
  const due = todo.dueAt ?? todo.dueDate;
  if (sort === "due") return due && parseDueDate(due).dueOrder;
  return todo.priority && ["high", "medium", "low"].indexOf(todo.priority);
}

function compareKeys(left: string | number = 0, right: string | number = 0): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
