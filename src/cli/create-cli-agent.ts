import { createOllamaModel } from "../adapters/ollama/ollama-model.ts";
import { driverPlaces } from "../adapters/sqlite/drivers.ts";
import { createAgent } from "../agent.ts";
import type { Planner } from "../core/planner.ts";
import { createFallbackPlanner } from "../planners/fallback-planner.ts";
import { createLlmPlanner } from "../planners/llm/llm-planner.ts";
import { createRulePlanner } from "../planners/rules/rule-planner.ts";
import { createCalculator } from "../tools/calculator/calculator.ts";
import { createNotes } from "../tools/notes/notes.ts";
import { createTodoStore } from "../tools/todo-store/todo-store.ts";
import type { AgentChoice, AgentWarnings, CliAgent, PlannerChoice } from "./cli-io.ts";

/** The agent of the command. A database keeps todos, notes and runs. Rejects with the errors of opening it. */
export async function createCliAgent(choice: AgentChoice, warnings?: AgentWarnings): Promise<CliAgent> {
  const planner = createPlanner(choice.planner);
  const opened: { close(): unknown }[] = [];
  const close = () => void opened.map((each) => each.close());
  try {
    const { todos, notes, store } = choice.db === undefined ? {} : await openDatabase(choice.db, opened);
    const tools = [createCalculator(), createTodoStore({ storage: todos }), createNotes({ storage: notes })] as const;
    return { agent: createAgent({ tools, planner, store, evidence: store !== undefined, ...warnings }), store, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function openDatabase(path: string, opened: { close(): unknown }[]) {
  // Imported here, as nothing else needs it.
  const sqlite = await import("../adapters/sqlite/index.ts");
  // Where "npm install" puts a driver: npx and "npm install -g" keep the command elsewhere.
  driverPlaces[0] = `${process.cwd()}/planwright`;
  const open = <T extends { close(): unknown }>(one: T): T => {
    opened.push(one);
    return one;
  };
  return {
    todos: open(withoutWarnings(() => sqlite.createSqliteTodos({ path }))),
    notes: open(sqlite.createSqliteNotes({ path })),
    store: open(sqlite.createSqliteRunStore({ path })),
  };
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

/** The chosen planner: the rules, and with a model the model for what the rules refuse. */
export function createPlanner(choice: PlannerChoice): Planner {
  const rules = createRulePlanner();
  if (choice.type === "rules") return rules;
  const { model, host } = choice;
  // `OLLAMA_HOST` may also make a server listen on every address, which is not an address to call.
  const llm = createLlmPlanner({ model: createOllamaModel({ model, host: host?.replace("0.0.0.0", "127.0.0.1") }) });
  return createFallbackPlanner([rules, llm]);
}
