import { AgentError, type AgentErrorDetails } from "../../core/errors.ts";
import type { UndoneCall } from "../../core/tool.ts";
import { writeOnce } from "../storage/write-once.ts";
import { isSameTodo, type Todo, type TodoStoreOutput } from "./todo.ts";
import { isTodoRead, type ParsedTodoInput } from "./todo-input.ts";
import type { TodoChange, TodoPatch, TodoStorage } from "./todo-storage.ts";

/** The storage in which a change is undone, and the key. */
export interface UndoChangeOptions {
  readonly storage: TodoStorage;
  readonly scope: string;
  /** The key of the call followed by `/undo`. */
  readonly key: string;
}

/**
 * Undoes a call, as long as the todo is exactly as the call left it: later changes are not overwritten. This is checked
 * in the write itself, which is recorded under the key, so that it happens once.
 *
 * The previous state of a todo is in the storage's record for the call's own key; an added or deleted one is the
 * output.
 */
export async function undoChange(
  options: UndoChangeOptions,
  { input, output }: UndoneCall<ParsedTodoInput, TodoStoreOutput>,
): Promise<void> {
  if (isTodoRead(input)) return;
  const { storage, scope, key } = options;
  const { operation } = input;
  if (!("id" in output)) refuse({ operation, reason: "irreversible" });
  const plan = () => inverseOf(options, operation, output);
  const call = { storage, scope, key, operation: "undo", keyReused: "todo-key-reused", plan } as const;
  const { record, change } = await writeOnce(call);
  if (record === undefined && change !== undefined) await refuseUnlessGone(options, operation, change);
}

type Inverse = Exclude<TodoChange, { type: "clear" }>;

/** The change that undoes a call; undefined if the call changed nothing. */
async function inverseOf(
  { storage, scope, key }: UndoChangeOptions,
  operation: string,
  todo: Todo,
): Promise<Inverse | undefined> {
  const { id } = todo;
  if (operation === "add") return { type: "remove", id, expected: todo };
  if (operation === "delete") return { type: "insert", todo };
  const record = await storage.recall(scope, key.replace(/\/undo$/, ""));
  const before = record?.result !== undefined && "id" in record.result && record.result.id === id && record.before;
  if (!before) return refuse({ operation, reason: "forgotten", id });
  if (isSameTodo(before, todo)) return undefined;
  return { type: "patch", id, fields: toPatch(before), expected: todo };
}

function toPatch({ title, list, completed, completedAt, dueDate, dueAt, priority, tags }: Todo): TodoPatch {
  const due = { dueDate: dueDate ?? null, dueAt: dueAt ?? null };
  const optional = { completedAt: completedAt ?? null, ...due, priority: priority ?? null };
  return { title, list, completed, tags, ...optional };
}

/** Throws the reason why a change did not fit. If an added todo is gone, there is nothing left to undo. */
async function refuseUnlessGone(
  { storage, scope }: UndoChangeOptions,
  operation: string,
  change: Inverse,
): Promise<void> {
  if (change.type === "insert") return refuse({ operation, reason: "exists", id: change.todo.id });
  const { id } = change;
  const { count } = await storage.find(scope, { id, limit: 0 });
  if (count > 0) return refuse({ operation, reason: "changed", id });
  if (change.type === "patch") return refuse({ operation, reason: "gone", id });
}

type Refusal = AgentErrorDetails["todo-undo-refused"];

const explanations: Readonly<Record<Refusal["reason"], string>> = {
  changed: "it was changed since, and undoing it would overwrite that change",
  gone: "it was deleted since",
  exists: "its id is in use again",
  forgotten: "the storage no longer has its previous state; let it remember more writes (rememberedWrites)",
  irreversible: "cleared todos are not kept",
};

function refuse(details: Refusal): never {
  const { operation, id, reason } = details;
  const what = id === undefined ? `"${operation}"` : `"${operation}" of the todo ${JSON.stringify(id)}`;
  throw new AgentError("todo-undo-refused", `${what} cannot be undone: ${explanations[reason]}.`, { details });
}
