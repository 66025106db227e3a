import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

const shops = ["Corner", "Market", "Depot"].map((name) => ({ name, open: name !== "Market" }));
const search = defineTool({
  name: "Search",
  description: "Finds shops that sell a product",
  inputSchema: z.object({ product: z.string() }),
  outputSchema: z.object({ shops: z.array(z.object({ name: z.string(), open: z.boolean() })) }),
  effect: "pure",
  execute: () => ({ shops }),
});
const price = defineTool({
  name: "Price",
  description: "Asks a shop for its price",
  inputSchema: z.object({ shop: z.string() }),
  outputSchema: z.object({ euros: z.number() }),
  effect: "pure",
  execute: ({ shop }) => ({ euros: shop.length / 2 }),
});
const agent = createAgent({ tools: [search, price] });
agent.on("step-start", ({ stepId, iteration, input }) => console.log("start", stepId, iteration ?? "", input));
agent.on("step-skip", ({ stepId, iteration, reason }) => console.log("skip", stepId, iteration ?? "", reason));

const input = { shop: "${item.name}" } as const;
const steps = [
  { id: "tea", tool: "Search", input: { product: "tea" } },
  { id: "jam", tool: "Search", input: { product: "jam" }, dependsOn: [] },
  { id: "prices", tool: "Price", input, forEach: "tea.shops", when: "item.open", concurrency: 2 },
  { id: "more", tool: "Search", input: { product: "honey" }, when: "!prices.exists(p, p != null && p.euros < 3)" },
] as const;
const result = await agent.execute({ steps }, { concurrency: 2 });
for (const step of result.steps) console.log(step.stepId, step.iteration ?? "", step.status);
console.log(result.output);
