import { cutText } from "../../core/text.ts";
import { sayDate } from "../../dates/say-date.ts";
import type { Todo, TodoOfCall, TodoPage, TodoStoreOutput } from "./todo.ts";
import type { TodoStoreInput } from "./todo-input.ts";
import { defaultListName } from "./todo-keys.ts";

const maxItems = 10;
const maxTitle = 100;

const verbs: Readonly<Record<string, string>> = {
  add: "Added",
  complete: "Completed",
  reopen: "Reopened",
  update: "Changed",
  delete: "Deleted",
};

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

function sayOne(operation: TodoStoreInput["operation"], todo: TodoOfCall): string {
  const { priority, completed, list, unchanged } = todo;
  const title = `"${cutText(todo.title, maxTitle)}"`;
  if (unchanged && operation !== "update") return `${title} is already ${completed ? "completed" : "open"}.`;
  const verb = verbs[operation] ?? "Found";
  const named = title + placeIn(operation === "add" ? "to" : operation === "delete" ? "from" : "in", list);
  if (/^(?:complete|reopen|delete)$/.test(operation)) return `${verb} ${named}.`;
  const due = sayDue(todo);
  const about = [due && `due ${due}`, priority && `${priority} priority`, completed && "completed"].filter(Boolean);
  const said = [named, ...about].join(", ");
  return unchanged ? `Nothing to change: ${said}.` : `${verb} ${said}.`;
}

function sayPage({ todos, count: all, completed, pending }: TodoPage, input: TodoStoreInput, place: string): string {
  if (all === 0) return input.operation === "search" ? `No matching todos${place}.` : `No todos${place}.`;
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

function sayTitle(todo: Todo, hasList: boolean): string {
  const list = hasList && todo.list.toLowerCase() !== defaultListName && todo.list;
  const about = [list, sayDue(todo), todo.priority].filter(Boolean);
  return cutText(todo.title, maxTitle) + (about.length === 0 ? "" : ` (${about.join(", ")})`);
}

function sayDue({ dueAt, dueDate, createdAt }: Todo): string | undefined {
  const due = dueAt ?? dueDate;
  return due === undefined ? undefined : (sayDate(due, { year: Number(createdAt.slice(0, 4)) })?.text ?? due);
}

function count(number: number, kind: string): string {
  return `${number} ${kind}${number === 1 ? "todo" : "todos"}`;
}
