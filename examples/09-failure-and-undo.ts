import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

const inputSchema = z.object({ item: z.string() });
const reserve = defineTool({
  name: "Reserve",
  description: "Reserves an item",
  inputSchema,
  effect: "idempotent",
  execute: ({ item }) => ({ reservation: `${item}-1` }),
  undo: ({ output }) => console.log("  gives back", output.reservation),
});
const mail = defineTool({ name: "Mail", description: "Mails it", inputSchema, effect: "once", execute: () => "sent" });
const pay = defineTool({
  name: "Pay",
  description: "Takes the money",
  inputSchema,
  effect: "idempotent", // the bank knows the key of the call: it takes the money once
  retry: { maxAttempts: 2, minDelayMs: 5 },
  circuitBreaker: { maxFailures: 2, resetAfterMs: 60_000 },
  execute() {
    // The error of a client for status 429 with the header Retry-After.
    throw Object.assign(new Error("Too many requests"), { headers: new Headers({ "retry-after": "0.1" }) });
  },
});

const agent = createAgent({ tools: [reserve, mail, pay], random: () => 1 });
agent.on("step-retry", ({ stepId, delayMs, error }) => console.log(" ", stepId, error.message, delayMs, "ms"));
agent.on("circuit-change", ({ tool, state }) => console.log("  circuit of", tool, "is", state));

for (const item of ["tent", "boat"]) {
  const steps = [
    { id: "hold", tool: "Reserve", input: { item } },
    { id: "tell", tool: "Mail", input: { item } },
    { id: "pay", tool: "Pay", input: { item } },
  ] as const;
  const { status, error, steps: log, notUndone } = await agent.execute({ steps }, { undoOnFailure: true });
  console.log(status, error?.code, log.map((step) => `${step.stepId} ${step.status}`).join(", "));
  for (const { stepId, reason } of notUndone ?? []) console.log("not undone:", stepId, reason);
}
