import { defineTool, toolName } from "../../core/define-tool.ts";
import { AgentError } from "../../core/errors.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { StandardSchema } from "../../core/schema.ts";
import type { DefinedTool, ToolContext } from "../../core/tool.ts";
import { storageReader } from "../storage/keyed-records.ts";
import { sayTodos } from "./say-todos.ts";
import { copyTodo, createTodoOutputSchema, type TodoStoreOutput } from "./todo.ts";
import {
  createTodoInputSchema,
  describeTodoCall,
  isTodoRead,
  type ParsedTodoInput,
  type TodoStoreInput,
} from "./todo-input.ts";
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
