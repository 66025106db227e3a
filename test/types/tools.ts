import { defineTool, type ToolContext } from "planwright";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";

/** What {@link calculator} needs as resources. */
export interface Precision {
  digits: number;
}

/** zod 4, with an output schema and resources. */
export const calculator = defineTool({
  name: "Calculator",
  description: "Calculates",
  inputSchema: z.object({ expression: z.string(), variables: z.record(z.string(), z.number()).optional() }),
  outputSchema: z.object({ value: z.number(), at: z.date(), note: z.string().optional() }),
  execute: ({ expression }, { resources }: ToolContext<{ precision: Precision }>) => ({
    value: expression.length + resources.precision.digits,
    at: new Date(0),
  }),
});

/** zod 3, without an output schema, with other resources. */
export const todos = defineTool({
  name: "Todos",
  description: "Keeps todos",
  inputSchema: z3.discriminatedUnion("operation", [
    z3.object({ operation: z3.literal("add"), title: z3.string(), priority: z3.enum(["low", "high"]).optional() }),
    z3.object({ operation: z3.literal("get"), id: z3.number() }),
  ]),
  execute: async (input, context: ToolContext<{ user: string }>) => ({
    title: input.operation === "add" ? input.title : context.resources.user,
    done: false,
    createdAt: new Date(0),
    remove: () => undefined,
  }),
});

/** Needs no resources. */
export const clock = defineTool({
  name: "Clock",
  description: "Tells the time",
  inputSchema: z.object({}),
  execute: (_input, { attempt }) => ({ ms: attempt }),
});
