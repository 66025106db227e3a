import type { ToolContext } from "../../../src/core/tool.ts";
import type { Todo, TodoPage, TodosCleared } from "../../../src/tools/todo-store/todo.ts";
import type { TodoStoreInput } from "../../../src/tools/todo-store/todo-input.ts";
import { createTodoStore, type TodoStoreOptions } from "../../../src/tools/todo-store/todo-store.ts";

/** What a call answers, by its operation. */
export type OutputOf<TInput extends TodoStoreInput> = TInput["operation"] extends "list" | "search"
  ? TodoPage
  : TInput["operation"] extends "clear"
    ? TodosCleared
    : Todo;

/** Calls a tool as a run does: the input parsed before, the output after. Ids are t1, t2 …; a key is new unless given. */
export function callsOf(options: TodoStoreOptions<{ user?: string } | undefined> = {}) {
  let ids = 0;
  let keys = 0;
  const tool = createTodoStore({
    now: () => Date.UTC(2026, 10, 22, 10),
    createId: () => `t${++ids}`,
    ...options,
  });
  async function call<const TInput extends TodoStoreInput>(
    input: TInput,
    { key = `run/${++keys}`, user }: { key?: string; user?: string } = {},
  ): Promise<OutputOf<TInput>> {
    const output = await tool.execute(await parse(input), contextOf(key, user));
    const checked = await tool.outputSchema?.["~standard"].validate(output);
    if (checked === undefined || checked.issues) throw new Error(`bad output: ${JSON.stringify(checked?.issues)}`);
    return JSON.parse(JSON.stringify(checked.value));
  }
  /** Undoes a call as a run does. */
  async function undo(
    input: TodoStoreInput,
    output: unknown,
    { key = "run/1", user }: { key?: string; user?: string } = {},
  ): Promise<void> {
    await tool.undo?.({ input: await parse(input), output }, contextOf(`${key}/undo`, user));
  }
  async function parse(input: TodoStoreInput): Promise<unknown> {
    const parsed = await tool.inputSchema["~standard"].validate(JSON.parse(JSON.stringify(input)));
    if (parsed.issues) throw new Error(`bad input: ${parsed.issues.map((issue) => issue.message).join("; ")}`);
    return parsed.value;
  }
  return { tool, call, undo };
}

function contextOf(idempotencyKey: string, user: string | undefined): ToolContext<{ user?: string }> {
  return {
    signal: new AbortController().signal,
    attempt: 1,
    idempotencyKey,
    runId: "run",
    stepId: "s1",
    resources: user === undefined ? {} : { user },
    metadata: {},
    progress: () => {},
  };
}
