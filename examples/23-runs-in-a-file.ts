import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createNotes, createTodoStore } from "planwright";
import { createSqliteNotes, createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";

/** What a process opens; runs, todos and notes may share a file. */
function open(path: string) {
  const [store, todos, notes] = [
    createSqliteRunStore({ path }),
    createSqliteTodos({ path }),
    createSqliteNotes({ path }),
  ];
  const tools = [createTodoStore({ storage: todos }), createNotes({ storage: notes })] as const;
  const agent = createAgent({ tools, store });
  async function close() {
    await agent.close();
    for (const file of [store, todos, notes]) file.close();
  }
  return { agent, close };
}
const path = join(mkdtempSync(join(tmpdir(), "planwright-")), "app.db");

const monday = open(path);
await monday.agent.run("Add a todo to water the plants", { runId: "r1" });
await monday.agent.run("Add note to PROP-7: signed");
await monday.close();

const tuesday = open(path);
console.log((await tuesday.agent.getRun("r1"))?.status);
for (const request of ["Show me all my tasks", "List notes for PROP-7"]) {
  const { output } = await tuesday.agent.run(request);
  if (output && "todos" in output) console.log(output.todos.map(({ title }) => title));
  if (output && "notes" in output) console.log(output.notes.map(({ text }) => text));
}
await tuesday.close();
