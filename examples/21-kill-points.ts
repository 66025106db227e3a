import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import { createFaultyRunStore, forEachKillPoint, type MortalProcess } from "planwright/testing";
import * as z from "zod/v4";

// Each process has an agent and tools of its own; what they do to the world stays.
const accounts = new Map<string, number>();
function startAgent({ store }: MortalProcess) {
  const deposit = defineTool({
    name: "Deposit",
    description: "Puts money into an account",
    inputSchema: z.object({ euros: z.number() }),
    effect: "idempotent",
    execute({ euros }, { idempotencyKey }) {
      if (!store.hasCrashed) accounts.set(idempotencyKey, euros);
      return { euros };
    },
  });
  return createAgent({ tools: [deposit], store });
}
const steps = [10, 20].map((euros) => ({ id: `s${euros}`, tool: "Deposit", input: { euros } }));

const points = await forEachKillPoint({
  run(process) {
    accounts.clear();
    return startAgent(process).execute({ steps }, { runId: "pay" });
  },
  resume: (process) => startAgent(process).resume("pay"),
  check({ result, expected }) {
    const sum = [...accounts.values()].reduce((all, euros) => all + euros, 0);
    if (result.status !== expected.status || sum !== 30) throw new Error(`${result.status} with ${sum} euros`);
  },
});
console.log("killed", points.length, "times, and paid 30 euros each time");

// Or one fault that you choose.
const store = createFaultyRunStore(createMemoryRunStore(), { failAppends: [2] });
const { status, error } = await startAgent({ store, generation: 1 }).execute({ steps });
console.log(status, error?.code);
