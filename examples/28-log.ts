import { pino } from "pino";
import { createAgent, createTodoStore, defineTool } from "planwright";
import { createRunLog } from "planwright/log";
import * as z from "zod/v4";

let calls = 0;
const mail = defineTool({
  name: "Mail",
  description: "Sends a mail",
  inputSchema: z.object({ to: z.string() }),
  effect: "idempotent",
  retry: { minDelayMs: 1 },
  phrases: ["mail {to}"],
  execute: () => {
    if (++calls === 1) throw new Error("The server is busy");
    return "sent";
  },
});

// Any logger with these methods: pino, bunyan, console.
const logger = pino({ base: null, timestamp: false, level: "info", formatters: { level: (level) => ({ level }) } });
const agent = createAgent({
  tools: [mail, createTodoStore()],
  observers: [createRunLog(logger)],
  random: () => 0,
  createId: () => "1",
});
await agent.run("Mail Ada, then add milk to my list");
