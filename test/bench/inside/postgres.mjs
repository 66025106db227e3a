// Prints what steps cost on the PostgreSQL store, beside the same steps of DBOS on the same server.

import { DBOS } from "@dbos-inc/dbos-sdk";
import { createAgent, defineTool } from "planwright";
import { createPostgresRunStore } from "planwright/postgres";
import { z } from "zod/v4";
import { interleave } from "../statistics.mjs";

const [databaseUrl, ...counts] = process.argv.slice(2);
const [rounds, steps, atOnce] = counts.map(Number);
const connections = 10;

const value = (index) => Promise.resolve({ value: index });

const tool = defineTool({
  name: "A",
  description: "A",
  inputSchema: z.object({ index: z.number() }),
  effect: "idempotent",
  execute: ({ index }) => value(index),
});
const plan = {
  steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, tool: "A", input: { index } })),
};
const store = createPostgresRunStore({ connectionString: databaseUrl, maxConnections: connections });
const agent = createAgent({ tools: [tool], store, maxSteps: steps });

async function ours() {
  const { status } = await agent.execute(plan);
  if (status !== "completed") throw new Error(`It is ${status}.`);
}

const workflow = DBOS.registerWorkflow(
  async () => {
    for (let index = 0; index < steps; index++) await DBOS.runStep(() => value(index), { name: `s${index}` });
  },
  { name: "steps" },
);
const bare = async () => (await DBOS.startWorkflow(workflow)()).getResult();

DBOS.setConfig({
  name: "bench",
  systemDatabaseUrl: databaseUrl,
  systemDatabasePoolSize: connections,
  logLevel: "error",
});
// It says on the standard output what it creates.
const { log } = console;
console.log = () => {};
await DBOS.launch();

const timed = (run, times) => async () => {
  const started = performance.now();
  await Promise.all(Array.from({ length: times }, run));
  return (performance.now() - started) / (times * steps);
};
const one = await interleave({ ours: timed(ours, 1), bare: timed(bare, 1) }, { rounds, warmUps: 2 });
const many = await interleave({ ours: timed(ours, atOnce), bare: timed(bare, atOnce) }, { rounds, warmUps: 1 });
await agent.close();
await store.close();
await DBOS.shutdown();
console.log = log;
console.log(JSON.stringify({ one, many }));
