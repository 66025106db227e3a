import { createAgent, defineTool, describePlan } from "planwright";
import * as z from "zod/v4";

const transfer = defineTool({
  name: "Transfer",
  description: "Sends money to a person",
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  effect: "once", // never runs twice; with a store on disk, not even after a crash
  needsApproval: ({ euros }) => euros > 100,
  phrases: ["send {euros} euros to {to}", "pay {to} {euros} euros"],
  execute: ({ to, euros }) => `sent ${euros} euros to ${to}`,
});

const tools = [transfer] as const;
const agent = createAgent({ tools });
const plan = await agent.plan("Send 20 euros to Ada, then send 500 euros to Ben");
console.log(describePlan(plan, { tools })); // nothing has run yet

const run = await agent.execute(plan, { runId: "pay-7" });
console.log(run.status); // "suspended": Ada is paid, Ben waits for a person

for (const item of run.pending ?? []) {
  if (item.kind !== "approval") continue;
  const { result } = agent.approve("pay-7", item, { by: "Cleo" });
  console.log((await result).output); // "sent 500 euros to Ben"
}
