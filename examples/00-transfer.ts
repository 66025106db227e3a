import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

const transfer = defineTool({
  name: "Transfer",
  description: "Sends money to a person",
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  effect: "once", // never runs twice, not even after a crash
  needsApproval: ({ euros }) => euros > 100,
  phrases: ["send {euros} euros to {to}"],
  execute: ({ to, euros }) => `sent ${euros} euros to ${to}`,
});

const agent = createAgent({ tools: [transfer] });
const run = await agent.run("Send 20 euros to Ada, then send 500 euros to Ben", { runId: "pay-7" });
console.log(run.status); // "suspended": the second step waits for a person

for (const item of run.pending ?? []) {
  if (item.kind !== "approval") continue;
  const { result } = agent.approve("pay-7", item, { by: "Cleo" });
  console.log((await result).output); // "sent 500 euros to Ben"
}
