import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import { z } from "zod/v4";

// A store that outlives the process is createSqliteRunStore({ path: "./runs.db" }) of planwright/sqlite.
const store = createMemoryRunStore();
let isReady = false;

const inputSchema = z.object({});
const report = defineTool({
  name: "Report",
  description: "Makes a report",
  inputSchema,
  execute: () => ({ lines: 120 }),
});
const mail = defineTool({
  name: "Mail",
  description: "Mails it",
  inputSchema: z.object({ lines: z.number() }),
  async execute({ lines }, { signal, idempotencyKey }) {
    console.log("  mails", lines, "lines, as", idempotencyKey);
    if (!isReady)
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return "sent";
  },
});
const tools = [report, mail] as const;
const steps = [
  { id: "get", tool: "Report", input: {} },
  { id: "send", tool: "Mail", input: { lines: { $ref: "get.lines" } } },
] as const;

const first = createAgent({ tools, store });
const running = first.execute({ steps }, { runId: "nightly" });
await new Promise((resolve) => first.on("step-start", ({ stepId }) => stepId === "send" && setImmediate(resolve)));
await first.close({ timeoutMs: 20 });
console.log(
  (await running).status,
  (await running).steps.map(({ stepId, status }) => `${stepId} ${status}`),
);

isReady = true;
const second = createAgent({ tools, store });
for (const { runId, result } of await second.resumeAll()) console.log(runId, result?.status, result?.output);
