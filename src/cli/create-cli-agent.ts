import { createAgent } from "../agent.ts";
import { createCalculator } from "../tools/calculator/calculator.ts";
import { createNotes } from "../tools/notes/notes.ts";
import { createTodoStore } from "../tools/todo-store/todo-store.ts";
import type { AgentChoice, AgentWarnings, CliAgent } from "./cli-io.ts";
import { createPlanner } from "./create-planner.ts";

/** The agent of the command. A database keeps todos, notes and runs. Rejects with the errors of opening it. */
export async function createCliAgent(
  { planner: choice, db }: AgentChoice,
  warnings?: AgentWarnings,
): Promise<CliAgent> {
  const planner = createPlanner(choice);
  if (db === undefined) {
    return {
      agent: createAgent({ tools: [createCalculator(), createTodoStore(), createNotes()], planner, ...warnings }),
      close: () => {},
    };
  }
  // Imported here, as nothing else needs it.
  const sqlite = await import("../sqlite/index.ts");
  const store = withoutWarnings(() => sqlite.createSqliteRunStore({ path: db }));
  try {
    const todos = sqlite.createSqliteTodos({ path: db });
    const notes = sqlite.createSqliteNotes({ path: db });
    const agent = createAgent({
      tools: [createCalculator(), createTodoStore({ storage: todos }), createNotes({ storage: notes })],
      planner,
      store,
      ...warnings,
    });
    return {
      agent,
      close: () => {
        todos.close();
        notes.close();
        store.close();
      },
    };
  } catch (thrown) {
    store.close();
    throw thrown;
  }
}

/** Node 22 warns that its driver is experimental, which a user of the command cannot change. */
function withoutWarnings<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
