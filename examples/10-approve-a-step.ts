import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import * as z from "zod/v4";

const transfer = defineTool({
  name: "Transfer",
  description: "Sends money",
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  effect: "once",
  needsApproval: ({ euros }) => euros > 100,
  phrases: ["send {euros} euros to {to}"],
  execute: ({ to, euros }) => `${euros} euros sent to ${to}`,
});

// Both agents, in one process or in two, share a store.
const store = createMemoryRunStore();
const worker = createAgent({ tools: [transfer], store });
const backOffice = createAgent({ tools: [transfer], store });

const first = await worker.run("Send 20 euros to Ada, then send 500 euros to Ben", { runId: "pay-7" });
console.log(first.status, first.steps[0]?.output);

const run = await backOffice.getRun("pay-7");
for (const item of run?.pending ?? []) {
  if (item.kind !== "approval") continue;
  console.log("may", item.tool, "run with", item.input);
  // Bound to this step and input: the decision is refused once they have changed.
  const { result } = backOffice.approve("pay-7", item, { by: "Cleo", input: { to: "Ben", euros: 450 } });
  console.log((await result).status, (await result).output);
}

// Or answer at once, while the run waits.
const strict = createAgent({
  tools: [transfer],
  requestApproval: async (request) => (request.kind === "step" && request.input.euros > 400 ? "reject" : "approve"),
});
const rejected = await strict.run("Send 500 euros to Eve");
console.log(rejected.status, rejected.error?.code, rejected.steps[0]?.status);
