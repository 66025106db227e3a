import { createAgent, createExpressions, defineTool, type Planner } from "planwright/engine";
import * as z from "zod/v4";

const stock = defineTool({
  name: "Stock",
  description: "How many of a thing are left",
  inputSchema: z.object({ thing: z.string() }),
  outputSchema: z.object({ left: z.number() }),
  effect: "pure",
  execute: ({ thing }) => ({ left: thing === "tea" ? 2 : 40 }),
});
const order = defineTool({
  name: "Order",
  description: "Orders a thing",
  inputSchema: z.object({ thing: z.string(), count: z.number() }),
  execute: ({ thing, count }) => `${count} ${thing} ordered`,
});

/** Your planner, in place of the rules. */
const refill: Planner = {
  name: "refill",
  plan: ({ request: thing }) => ({
    steps: [
      { id: "s1", tool: "Stock", input: { thing }, dependsOn: [] },
      { id: "s2", tool: "Order", input: { thing, count: 10 }, when: "s1.left < 5" },
    ],
  }),
};

const agent = createAgent({ tools: [stock, order], planner: refill, expressions: createExpressions() });
for (const thing of ["tea", "milk"]) {
  const { steps } = await agent.run(thing);
  console.log(thing, steps.map(({ stepId, status }) => `${stepId} ${status}`).join(", "));
}

// Without `expressions`, the condition is refused before anything runs.
const plain = createAgent({ tools: [stock, order], planner: refill });
const { status, error } = await plain.run("tea");
console.log(status, error?.message);
