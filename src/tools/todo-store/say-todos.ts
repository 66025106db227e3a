import { cutText } from "../../core/text.ts";
import { sayDate } from "../../dates/say-date.ts";
import type { TodoStoreOutput } from "./todo.ts";
import type { TodoStoreInput } from "./todo-input.ts";
import { defaultListName } from "./todo-keys.ts";

type SpokenTodo = Omit<Extract<TodoStoreOutput, { readonly id: string }>, "tags">;

const maxItems = 10;
const maxTitle = 100;

const done = {
  add: "Added",
  complete: "Completed",
  reopen: "Reopened",
  update: "Changed",
  delete: "Deleted",
} as const;

export function sayTodos(input: TodoStoreInput, output: TodoStoreOutput): string {
  const place = "list" in input && input.list !== undefined ? placeIn("in", input.list) : "";
  if ("cleared" in output) {
    const kind = "onlyCompleted" in input && input.onlyCompleted === true ? "completed " : "";
    return output.cleared === 0
      ? `No ${kind}todos to clear${place}.`
      : `Cleared ${count(output.cleared, kind)}${place}.`;
  }
  if ("todos" in output) return sayPage(output, input, place);
  return sayOne(input.operation, output);
}

function sayOne(operation: TodoStoreInput["operation"], todo: SpokenTodo & { readonly unchanged?: true }): string {
  const { priority, completed, list, unchanged } = todo;
  const title = inQuotes(todo.title);
  if (unchanged === true && operation !== "update") return `${title} is already ${completed ? "completed" : "open"}.`;
  if (operation === "complete" || operation === "reopen" || operation === "delete")
    return `${done[operation]} ${title}${placeIn(operation === "delete" ? "from" : "in", list)}.`;
  const verb = operation === "add" || operation === "update" ? done[operation] : "Found";
  const due = sayDue(todo);
  const about = [due && `due ${due}`, priority && `${priority} priority`, completed && "completed"].filter(Boolean);
  const said = [title + placeIn(operation === "add" ? "to" : "in", list), ...about].join(", ");
  return unchanged === true ? `Nothing to change: ${said}.` : `${verb} ${said}.`;
}

function sayPage(
  { todos, count: all, completed, pending }: Extract<TodoStoreOutput, { readonly count: number }>,
  input: TodoStoreInput,
  place: string,
): string {
  if (all === 0) return input.operation === "search" ? `No todos match${place}.` : `No todos${place}.`;
  const shown = pending > 0 ? todos.filter((todo) => !todo.completed) : todos;
  const kind = pending > 0 ? "open " : "completed ";
  const total = pending > 0 ? pending : completed;
  const titles = shown.slice(0, maxItems).map((todo) => sayTitle(todo, place === ""));
  const more = total > titles.length ? ["…"] : [];
  const alsoDone = pending > 0 && completed > 0 ? ` ${completed} completed.` : "";
  const names = [...titles, ...more].join("; ");
  return `${count(total, kind)}${place}${names === "" ? "" : `: ${names}`}.${alsoDone}`;
}

function placeIn(preposition: string, list: string): string {
  return list.toLowerCase() === defaultListName ? "" : ` ${preposition} ${list}`;
}

function sayTitle(todo: SpokenTodo, hasList: boolean): string {
  const about = [
    hasList && todo.list.toLowerCase() !== defaultListName && todo.list,
    sayDue(todo),
    todo.priority,
  ].filter(Boolean);
  return cutText(todo.title, maxTitle) + (about.length === 0 ? "" : ` (${about.join(", ")})`);
}

function sayDue({ dueAt, dueDate, createdAt }: SpokenTodo): string | undefined {
  const due = dueAt ?? dueDate;
  return due === undefined ? undefined : (sayDate(due, { year: Number(createdAt.slice(0, 4)) })?.text ?? due);
}

function count(number: number, kind: string): string {
  return `${number} ${kind}${number === 1 ? "todo" : "todos"}`;
}

function inQuotes(title: string): string {
  return `"${cutText(title, maxTitle)}"`;
}
