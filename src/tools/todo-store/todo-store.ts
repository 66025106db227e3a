import { defineTool, toolName } from "../../core/define-tool.ts";
import { AgentError } from "../../core/errors.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { StandardSchema } from "../../core/schema.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool, ToolContext } from "../../core/tool.ts";
import { sayDate } from "../../dates/say-date.ts";
import { storageReader } from "../storage/keyed-records.ts";
import {
  copyTodo,
  createTodoOutputSchema,
  type Todo,
  type TodoOfCall,
  type TodoPage,
  type TodoStoreOutput,
} from "./todo.ts";
import {
  createTodoInputSchema,
  describeTodoCall,
  isTodoRead,
  type ParsedTodoInput,
  type TodoStoreInput,
} from "./todo-input.ts";
import { defaultListName } from "./todo-keys.ts";
import { changeTodos, readTodos, type TodoCall, undoChange } from "./todo-operations.ts";
import { createMemoryTodos, type TodoStorage } from "./todo-storage.ts";

/** Options of {@link createTodoStore}. @group Built-in tools */
export interface TodoStoreOptions<TResources = unknown, TName extends string = string> {
  /** Name of the tool. @default "TodoStore" */
  readonly name?: TName | undefined;
  /** Storage of the todos. @default `createMemoryTodos()` */
  readonly storage?: TodoStorage | undefined;
  /** Returns the owner as non-empty text. A call sees only the todos of its owner. @default one scope for all */
  scope?(context: ToolContext<TResources>): string;
  /** Returns milliseconds since 1970 UTC. @default `Date.now` */
  now?(): number;
  /** Returns an id that no other todo of the scope has. @default a random UUID */
  createId?(): string;
}

const todoOptions = {
  name: { ...toolName, default: "TodoStore" },
  storage: storageReader(createMemoryTodos),
  scope: { type: "function", default: () => "default" },
  now: { type: "function", default: () => Date.now() },
  createId: { type: "function", default: () => globalThis.crypto.randomUUID() as string },
} satisfies OptionTable<TodoStoreOptions>;

/**
 * Creates a tool that keeps todos in named lists: add, list, get, complete, reopen, update, delete, clear, search.
 *
 * Reads are `pure`. Every other operation is `idempotent`: its outcome is recorded under the `idempotencyKey` of the
 * call in the same write as its change, and a call with a recorded key changes nothing and returns the same output.
 * `undo` reverts `add`, `complete`, `reopen`, `update` and `delete`, as long as the todo is still as the step left it.
 * Throws `invalid-options`. The tool fails with `todo-…` codes, or with `invalid-options` if `createId` returns no text.
 * A call that fails changes nothing. {@includeCode ../../../examples/18-plans-as-json.ts} @group Built-in tools
 */
export function createTodoStore<TResources = unknown, const TName extends string = "TodoStore">(
  options: TodoStoreOptions<TResources, TName> = {},
): DefinedTool<TName, TodoStoreInput, TodoStoreOutput, TResources> {
  const { name, storage, scope, now, createId } = readOptions(todoOptions, options, "todoStore");
  const callOf = (context: ToolContext<TResources>): TodoCall => {
    context.signal.throwIfAborted();
    return { storage, scope: checkScope(scope(context)), key: context.idempotencyKey, now, createId };
  };
  // This type keeps zod out of the declarations.
  const inputSchema: StandardSchema<TodoStoreInput, ParsedTodoInput> = createTodoInputSchema();
  return defineTool({
    name,
    description:
      "Keeps to-do items in named lists: add, list, get, complete, reopen, update, delete, clear and search them. " +
      "An item is named by its id, its title or its position.",
    inputSchema,
    outputSchema: createTodoOutputSchema(),
    describeCall: describeTodoCall,
    phrases: async () => (await import("./todo-phrases.ts")).todoPhrases,
    effect: (input) => (isTodoRead(input) ? "pure" : "idempotent"),
    async execute(input, context: ToolContext<TResources>) {
      const call = callOf(context);
      const output = isTodoRead(input) ? await readTodos(call, input) : await changeTodos(call, input);
      if ("todos" in output) return { ...output, todos: output.todos.map(copyTodo) };
      return "cleared" in output ? output : copyTodo(output);
    },
    async undo(done, context) {
      await undoChange(callOf(context), done);
    },
    say: ({ input, output }) => sayTodos(input, output),
  });
}

function checkScope(scope: unknown): string {
  if (typeof scope === "string" && scope !== "") return scope;
  const received = scope === "" ? "empty text" : typeof scope;
  const message = `The "scope" option must return text that identifies the owner of the todos; it returned ${received}.`;
  throw new AgentError("todo-scope-missing", message, { details: { received } });
}

const maxItems = 10;
const maxTitle = 100;

const verbs: Readonly<Record<string, string>> = {
  add: "Added",
  complete: "Completed",
  reopen: "Reopened",
  update: "Changed",
  delete: "Deleted",
};

function sayTodos(input: TodoStoreInput, output: TodoStoreOutput): string {
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
