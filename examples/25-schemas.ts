import { type } from "arktype";
import { createAgent, defineTool, validatePlan } from "planwright";
import { jsonSchema } from "planwright/schemas";

// Needs `npm install arktype`. ArkType tells its JSON Schema; valibot and Effect do so with a wrapper of their own.
const convert = defineTool({
  name: "Convert",
  description: "Converts an amount to euros",
  inputSchema: type({ amount: "number", currency: "'USD' | 'GBP'" }),
  outputSchema: jsonSchema({ type: "object", properties: { euros: { type: "number" } }, required: ["euros"] }),
  effect: "pure",
  execute: ({ amount, currency }) => ({ euros: amount * (currency === "USD" ? 0.5 : 2) }),
});
// What another program describes, such as the operation of an API, is taken as it is.
const pay = defineTool({
  name: "Pay",
  description: "Pays somebody",
  inputSchema: jsonSchema({
    type: "object",
    properties: { to: { type: "string", format: "email" }, euros: { type: "number", exclusiveMinimum: 0 } },
    required: ["to", "euros"],
    additionalProperties: false,
  }),
  execute: ({ to, euros }) => `paid ${euros} € to ${to}`,
});
const agent = createAgent({ tools: [convert, pay] });

const { output } = await agent.execute({
  steps: [
    { id: "sum", tool: "Convert", input: { amount: 30, currency: "USD" } },
    { id: "pay", tool: "Pay", input: { to: "ada@example.com", euros: { $ref: "sum.euros" } } },
  ],
});
console.log(output);

const steps = [{ id: "pay", tool: "Pay", input: { to: "Ada", euros: 0 } }] as const;
for (const { path, message } of await validatePlan({ steps }, { tools: [pay] })) console.log(path.join("."), message);
