import { readSync, writeSync } from "node:fs";
import { type AgentEvent, createAgent, isAgentError } from "planwright";
import { createSqliteRunStore, type SqliteRunStore } from "planwright/sqlite";
import { createFakeTool } from "planwright/testing";
import type { SqliteDriver } from "../../../../src/adapters/sqlite/sql-database.ts";
import { runStart, stepStart } from "../../../../src/testing/conformance/run-store-conformance.ts";
import { childWork } from "./child-work.ts";

// A process that uses a store: bundled and started by start-children.ts, and told by its arguments what to do.
const { driver, path, work, runId, count, name } = childWork(process.argv);

/** Tells the parent a line, and returns only when it is in the pipe: it is there even if this process dies next. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

/** An event that says who wrote it. */
function eventOf(sequence: number): AgentEvent {
  if (sequence === 1) return { ...runStart(runId), metadata: { writer: name } } as AgentEvent;
  return { ...stepStart(runId, sequence), reasoning: name } as AgentEvent;
}

/** Records events behind whatever others have recorded, and tells the number of each that it got. */
async function append(store: SqliteRunStore): Promise<void> {
  let sequence = (await store.read(runId)).length + 1;
  for (let left = count; left > 0; ) {
    try {
      await store.append(runId, [eventOf(sequence)], { sequence });
      tell(`${sequence}`);
      sequence++;
      left--;
    } catch (thrown) {
      if (!isAgentError(thrown, "run-conflict")) throw thrown;
      sequence += (await store.read(runId, { after: sequence - 1 })).length;
    }
  }
}

/** Executes runs of three steps at once, and tells the status of each, with its error. */
async function run(store: SqliteRunStore): Promise<void> {
  const tool = createFakeTool({ name: "Work" });
  const agent = createAgent({ tools: [tool], store, onWarning: ({ message }) => tell(`failed ${message}`) });
  const steps = ["a", "b", "c"].map((id) => ({ id, tool: "Work", input: {} }));
  const results = Array.from({ length: count }, (_, index) => agent.execute({ steps }, { runId: `${name}.${index}` }));
  for (const { status, error } of await Promise.all(results)) tell(`${status}${error ? ` ${error.message}` : ""}`);
}

tell("ready");
// Until the parent says go.
readSync(0, Buffer.alloc(1));
tell("opening");
try {
  const store = createSqliteRunStore({ path, driver: driver as SqliteDriver });
  if (work === "run") await run(store);
  if (work === "append") await append(store);
  if (work === "claim") tell(`fence ${(await store.claim(runId, { owner: name, ttlMs: 1_000_000 })).fence}`);
  store.close();
  tell("done");
} catch (thrown) {
  tell(`failed ${isAgentError(thrown) ? thrown.code : ""} ${String(thrown)}`);
}
