import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

let shop = "closed";
const quote = defineTool({
  name: "Quote",
  description: "Asks for a price, which takes long",
  inputSchema: z.object({ product: z.string() }),
  effect: "pure",
  execute({ product }, { idempotencyKey }) {
    console.log("  asks for a price, as", idempotencyKey);
    return { product, euros: 12 };
  },
});
const order = defineTool({
  name: "Order",
  description: "Orders it",
  inputSchema: z.object({ product: z.string(), euros: z.number() }),
  effect: "once",
  execute({ product }, { idempotencyKey }) {
    console.log("  orders", product, "as", idempotencyKey);
    return shop === "open" ? "ordered" : "the shop is closed";
  },
});
const agent = createAgent({ tools: [quote, order] });
const steps = [
  { id: "price", tool: "Quote", input: { product: "tea" } },
  { id: "buy", tool: "Order", input: { product: "tea", euros: { $ref: "price.euros" } } },
] as const;
const first = await agent.execute({ steps }, { runId: "monday" });
console.log(first.status, first.output);

// The same again on another day, but with the price that is known.
let after = 0;
for await (const event of agent.events("monday")) {
  if (event.type === "step-end" && event.stepId === "price") after = event.sequence;
}
shop = "open";
const { status, output, forkedFrom } = await agent.fork("monday", { after, runId: "tuesday" }).result;
console.log(status, output, forkedFrom);
