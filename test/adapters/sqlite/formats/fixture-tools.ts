import { z } from "zod/v4";
import type { SqliteTodos } from "../../../../src/adapters/sqlite/sqlite-todos.ts";
import { defineTool } from "../../../../src/core/define-tool.ts";
import type { ToolContext } from "../../../../src/core/tool.ts";
import { createTodoStore } from "../../../../src/tools/todo-store/todo-store.ts";

/** What a tool does before all else: fail, hang, or have its process die. */
export type Trouble = Partial<Record<"Save" | "Pay", (context: ToolContext) => unknown>>;

const value = z.object({ value: z.number() });

/**
 * The tools of the runs that a fixture has. They must stay what they were when the fixtures were written: their schemas and
 * effects are in them.
 */
export function createFixtureTools(todos: SqliteTodos, trouble: Trouble = {}) {
  const addOne = async (name: keyof Trouble, input: z.infer<typeof value>, context: ToolContext) => {
    await trouble[name]?.(context);
    return { value: input.value + 1 };
  };
  const common = { description: "Adds one", inputSchema: value, outputSchema: value } as const;
  return [
    defineTool({
      name: "List",
      description: "Lists numbers",
      effect: "pure",
      inputSchema: z.object({ count: z.number() }),
      outputSchema: z.object({ numbers: z.array(z.number()) }),
      execute: ({ count }) => ({ numbers: Array.from({ length: count }, (_, index) => index) }),
    }),
    defineTool({
      ...common,
      name: "Save",
      execute: (input, context) => addOne("Save", input, context),
      undo: () => {},
    }),
    defineTool({ ...common, name: "Pay", effect: "once", execute: (input, context) => addOne("Pay", input, context) }),
    defineTool({ ...common, name: "Ask", needsApproval: true, execute: (input) => ({ value: input.value + 1 }) }),
    createTodoStore({ storage: todos }),
  ] as const;
}
