import { createTodoStore, type Todo, type TodoStoreInput, type TodoStoreOptions } from "planwright";
import type { TodoPage, TodosCleared } from "../../../src/tools/todo-store/todo.ts";
import { type CallOptions, callerOf } from "../call-tool.ts";

/** What a call answers, by its operation. */
export type OutputOf<TInput extends TodoStoreInput> = TInput["operation"] extends "list" | "search"
  ? TodoPage
  : TInput["operation"] extends "clear"
    ? TodosCleared
    : Todo;

/** Calls todos as a run does. Ids are t1, t2 … */
export function callsOf(options: TodoStoreOptions<{ user?: string } | undefined> = {}) {
  let ids = 0;
  const now = () => Date.UTC(2026, 10, 22, 10);
  const tool = createTodoStore({ now, createId: () => `t${++ids}`, ...options });
  const { call, undo } = callerOf(tool);
  return {
    tool,
    undo,
    call: <const TInput extends TodoStoreInput>(input: TInput, which?: CallOptions) =>
      call(input, which) as Promise<OutputOf<TInput>>,
  };
}
