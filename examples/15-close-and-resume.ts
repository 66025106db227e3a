import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import * as z from "zod/v4";

// A store that outlives the process is createSqliteRunStore({ path: "./runs.db" }) of planwright/sqlite.
const store = createMemoryRunStore();
let isReady = false;

const inputSchema = z.object({ lines: z.number() });
const count = defineTool({ name: "Count", description: "Counts", inputSchema, effect: "pure", execute: (all) => all });
const mail = defineTool({
  name: "Mail",
  description: "Mails it",
  inputSchema,
  effect: "idempotent", // the mail service knows the key: it sends each mail once
  async execute({ lines }, { signal, idempotencyKey }) {
    console.log("  mails", lines, "lines, as", idempotencyKey);
    if (isReady) return "sent";
    return new Promise<string>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      void first.close({ timeoutMs: 20 });
    });
  },
});
const tools = [count, mail] as const;
const steps = [
  { id: "get", tool: "Count", input: { lines: 120 } },
  { id: "send", tool: "Mail", input: { lines: { $ref: "get.lines" } } },
] as const;

const first = createAgent({ tools, store });
const stopped = await first.execute({ steps }, { runId: "nightly" });
console.log(stopped.status, stopped.steps.map(({ stepId, status }) => `${stepId} ${status}`).join(", "));

isReady = true;
const second = createAgent({ tools, store });
for (const { runId, result } of await second.resumeAll()) console.log(runId, result?.status, result?.output);
