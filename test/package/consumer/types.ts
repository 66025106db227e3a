import { createAgent, createCalculator, createTodoStore, defineTool, planSchema, type RunResult } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { createManualClock } from "planwright/testing";
import { z as zod3 } from "zod/v3";
import { z as zod4 } from "zod/v4";

const double = defineTool({
  name: "Double",
  description: "Doubles a number",
  inputSchema: zod3.object({ value: zod3.number(), note: zod3.string().optional() }),
  effect: "idempotent",
  execute: ({ value }) => ({ value: value * 2, at: new Date() }),
});
const half = defineTool({
  name: "Half",
  description: "Halves a number",
  inputSchema: zod4.object({ value: zod4.number() }),
  effect: "idempotent",
  outputSchema: zod4.object({ value: zod4.number() }),
  execute: ({ value }, { signal }) => {
    signal.throwIfAborted();
    return { value: value / 2 };
  },
});
const third = defineTool({
  name: "Third",
  description: "A third of a number",
  inputSchema: jsonSchema({ type: "object", properties: { value: { type: "number" } }, required: ["value"] }),
  effect: "idempotent",
  execute: ({ value }) => ({ value: value / 3 }),
});
const tools = [double, half, third, createCalculator(), createTodoStore()] as const;
const agent = createAgent({ tools, clock: createManualClock() });

agent.on("step-end", (event) => {
  if (event.outcome.status !== "completed") return;
  if (event.tool === "Double") event.outcome.output.at satisfies string;
  if (event.tool === "Third") event.outcome.output.value satisfies number;
  if (event.tool === "Half") event.outcome.output.value satisfies number;
  if (event.tool === "Calculator") event.outcome.output.expression satisfies string;
});

/** A result with the types of all four tools. */
export const result: Promise<RunResult<(typeof tools)[number]>> = agent.execute({
  steps: [
    { id: "a", tool: "Double", input: { value: 21 } },
    { id: "b", tool: "Half", input: { value: { $ref: "a.value" } } },
    { id: "c", tool: "TodoStore", input: { operation: "add", title: "${b.value}" } },
  ],
});

// @ts-expect-error: there is no such tool.
agent.execute({ steps: [{ id: "a", tool: "Triple", input: {} }] });
// @ts-expect-error: the input has the wrong type.
agent.execute({ steps: [{ id: "a", tool: "Half", input: { value: true } }] });

// A plan that was read from somewhere is checked when it runs; `undefined` is as good as leaving an option out.
const read = planSchema.parse(JSON.parse('{ "steps": [{ "id": "a", "tool": "Half", "input": { "value": 1 } }] }'));
agent.execute(read, { runId: undefined, signal: undefined, timeoutMs: undefined, resources: undefined });
agent.execute({
  request: undefined,
  steps: [{ id: "a", tool: "Half", input: { value: 1 }, dependsOn: undefined, reasoning: undefined }],
});
createAgent({ tools, planner: undefined, store: undefined, retry: { maxAttempts: undefined }, onWarning: undefined });
