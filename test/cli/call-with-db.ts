import { Readable } from "node:stream";
import type { AgentOptions } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createCliAgent } from "../../src/cli/cli-io.ts";
import { callCli, createFakeAgent, createFakeIo } from "./fake-io.ts";

/** Calls the command with its own agent, as a process of its own does. */
export function call(db: string, ...argv: readonly string[]) {
  return callCli([...argv, "--db", db], { ...createFakeIo(), createAgent: createCliAgent });
}

/** Says lines to `planwright chat` through a pipe, with its own agent. */
export function converse(said: readonly string[], ...argv: readonly string[]) {
  const stdin = Readable.from([said.map((line) => `${line}\n`).join("")]);
  return callCli(["chat", ...argv], { ...createFakeIo({ stdin }), createAgent: createCliAgent });
}

/** The outside world with an agent of fake parts over a file, which is closed with the call. */
export function fakeIo(db: string, options: Partial<AgentOptions>, createId = () => "1") {
  const io = createFakeIo();
  io.createAgent = async () => {
    const store = createSqliteRunStore({ path: db });
    return { agent: createFakeAgent({ createId, ...options, store }), store, close: () => store.close() };
  };
  return io;
}

export async function listIds(db: string): Promise<string[]> {
  const { runs } = JSON.parse((await call(db, "runs", "--json")).stdout);
  return runs.map(({ runId }: { runId: string }) => runId);
}
