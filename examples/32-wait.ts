import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

const send = defineTool({
  name: "Send",
  description: "Sends a message",
  inputSchema: z.object({ text: z.string() }),
  effect: "once",
  execute: ({ text }) => console.log("  sends:", text),
});
const agent = createAgent({
  tools: [send],
  // What can be delivered to runs, and its values.
  events: { paid: z.object({ euros: z.number() }) },
});

const paid = await agent.execute(
  {
    steps: [
      { id: "bill", tool: "Send", input: { text: "your bill" } },
      { id: "payment", wait: { event: "paid", timeoutMs: 14 * 24 * 3_600_000 } },
      { id: "thanks", tool: "Send", input: { text: "thank you for ${payment.euros} euros" } },
    ],
  },
  { runId: "order-7" },
);
const awaited = paid.pending?.map(({ kind }) => kind);
console.log(paid.status, awaited);

// A webhook may call twice: the same id counts once.
const payment = { euros: 12 };
console.log((await agent.deliver("order-7", "paid", payment, { id: "evt_1" }).result).status);

// The agent resumes the run when the time has come.
const slept = await agent.execute({ steps: [{ id: "pause", wait: { forMs: 50 } }] }, { runId: "nap" });
console.log(slept.status);
for await (const event of agent.events("nap", { follow: true })) {
  if (event.type === "step-end") console.log("waited until its time");
}
