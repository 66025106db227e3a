import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

const transfer = defineTool({
  name: "Transfer",
  description: "Sends money to a person",
  inputSchema: z.object({ to: z.string(), amount: z.number() }),
  effect: "once", // never runs twice; with a store on disk, not even after a crash
  needsApproval: ({ amount }) => amount > 100,
  phrases: ["send {amount} euros to {to}", "pay {to} {amount} euros"],
  execute: ({ to, amount }) => `sent ${amount} euros to ${to}`,
});
const agent = createAgent({ tools: [transfer] });

for (const line of ["send 20 euros to Ada", "same for Ben", "pay Cleo", "500"]) {
  const run = await agent.run(line, { thread: "dan" }); // what was said before counts
  console.log(`> ${line}\n${run.text}`);

  for (const item of run.pending ?? []) {
    if (item.kind !== "approval") continue; // a question is answered by the next line
    const { result } = agent.approve(run.runId, item, { by: "Eve" });
    console.log((await result).text);
  }
}
