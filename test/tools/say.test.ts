import { createCalculator, createNotes, createTodoStore, createWebSearch, type Tool } from "planwright";
import { expect, it } from "vitest";

const todo = {
  id: "t1",
  title: "buy milk",
  completed: false,
  list: "todos",
  createdAt: "2026-11-26T10:00:00.000Z",
  tags: [],
};
const full = { ...todo, list: "shopping", dueAt: "2026-11-27T18:00:00+01:00", priority: "high" };
const done = { ...todo, title: "call Ann", completed: true };
const page = (...todos: readonly { readonly completed: boolean }[]) => {
  const completed = todos.filter((each) => each.completed).length;
  return { todos, count: todos.length, completed, pending: todos.length - completed };
};
const note = { id: "n1", item: "gate", text: "code 4471", createdAt: "2026-11-26T10:00:00.000Z" };
const pages = [{ title: "Milk", url: "https://milk.example/", snippet: "white" }];
const tools: readonly Tool[] = [
  createCalculator(),
  createTodoStore(),
  createNotes(),
  createWebSearch({ search: () => [] }),
];

it.each<[string, object, object, string]>([
  ["Calculator", { expression: "14 * 23.5" }, { value: 329, expression: "14 * 23.5" }, "329"],
  ["TodoStore", { operation: "add" }, todo, 'Added "buy milk".'],
  ["TodoStore", { operation: "add" }, full, 'Added "buy milk" to shopping, due Fri 27 Nov 18:00, high priority.'],
  ["TodoStore", { operation: "add" }, { ...todo, dueDate: "2027-01-02" }, 'Added "buy milk", due Sat 2 Jan 2027.'],
  ["TodoStore", { operation: "get" }, done, 'Found "call Ann", completed.'],
  ["TodoStore", { operation: "complete" }, { ...full, completed: true }, 'Completed "buy milk" in shopping.'],
  ["TodoStore", { operation: "complete" }, { ...done, unchanged: true }, '"call Ann" is already completed.'],
  ["TodoStore", { operation: "reopen" }, todo, 'Reopened "buy milk".'],
  ["TodoStore", { operation: "reopen" }, { ...todo, unchanged: true }, '"buy milk" is already open.'],
  ["TodoStore", { operation: "update" }, full, 'Changed "buy milk" in shopping, due Fri 27 Nov 18:00, high priority.'],
  ["TodoStore", { operation: "update" }, { ...todo, unchanged: true }, 'Nothing to change: "buy milk".'],
  ["TodoStore", { operation: "delete" }, full, 'Deleted "buy milk" from shopping.'],
  ["TodoStore", { operation: "clear", list: "shopping" }, { cleared: 2 }, "Cleared 2 todos in shopping."],
  ["TodoStore", { operation: "clear", onlyCompleted: true }, { cleared: 1 }, "Cleared 1 completed todo."],
  ["TodoStore", { operation: "clear" }, { cleared: 0 }, "No todos to clear."],
  ["TodoStore", { operation: "list" }, page(), "No todos."],
  ["TodoStore", { operation: "list", list: "camping" }, page(), "No todos in camping."],
  ["TodoStore", { operation: "list" }, page(todo, done), "1 open todo: buy milk. 1 completed."],
  [
    "TodoStore",
    { operation: "list" },
    page(todo, full),
    "2 open todos: buy milk; buy milk (shopping, Fri 27 Nov 18:00, high).",
  ],
  ["TodoStore", { operation: "list", list: "shopping" }, page(full, full), /^2 open todos in shopping: buy milk \(Fri/],
  ["TodoStore", { operation: "list", status: "completed" }, page(done), "1 completed todo: call Ann."],
  ["TodoStore", { operation: "list" }, page(...Array.from({ length: 12 }, () => todo)), /^12 open .*; buy milk; …\.$/],
  ["TodoStore", { operation: "search", query: "x" }, page(), "No matching todos."],
  ["TodoStore", { operation: "search", query: "milk" }, page(todo), "1 open todo: buy milk."],
  ["Notes", { operation: "add" }, note, 'Noted for gate: "code 4471".'],
  ["Notes", { operation: "get" }, note, "gate: code 4471"],
  ["Notes", { operation: "delete" }, note, 'Deleted the note for gate: "code 4471".'],
  ["Notes", { operation: "list" }, { notes: [note], count: 1 }, "1 note: gate: code 4471"],
  ["Notes", { operation: "list", item: "gate" }, { notes: [note], count: 1 }, "1 note for gate: code 4471"],
  ["Notes", { operation: "list" }, { notes: [], count: 0 }, "No notes."],
  ["WebSearch", { query: "milk" }, { query: "milk", results: pages }, "Found: Milk (https://milk.example/)"],
  ["WebSearch", { query: "milk" }, { query: "milk", results: [] }, 'No pages found for "milk".'],
] as never)("%s says what %j did", (name, input, output, words) => {
  expect(tools.find((tool) => tool.name === name)?.say?.({ input, output })).toEqual(
    typeof words === "string" ? words : expect.stringMatching(words),
  );
});
