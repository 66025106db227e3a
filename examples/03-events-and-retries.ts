import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

const fetchPrice = defineTool({
  name: "Price",
  description: "The price of a product",
  inputSchema: z.object({ product: z.string() }),
  outputSchema: z.object({ euros: z.number() }),
  effect: "pure", // so it may be tried again
  retry: { maxAttempts: 3, minDelayMs: 10 },
  phrases: ["price of {product}"],
  execute({ product }, { attempt, progress }) {
    progress(`asking for ${product}`);
    if (attempt < 3) throw new Error(`The shop did not answer (${attempt})`);
    return { euros: 12.5 };
  },
});

// With a random number of 1, each delay has its maximum length.
const agent = createAgent({ tools: [fetchPrice], random: () => 1 });

agent.on("step-retry", ({ stepId, attempt, delayMs, error }) => {
  console.log(`${stepId}: attempt ${attempt} failed, next in ${delayMs} ms: ${error.message}`);
});
agent.on("step-end", (event) => {
  if (event.outcome.status === "completed") console.log(`${event.stepId}: ${event.outcome.output.euros} euros`);
});

const handle = agent.start("Price of tea");
const types: string[] = [];
for await (const event of handle.events) types.push(event.type);
console.log(types.join(" "));
console.log((await handle.result).status);
