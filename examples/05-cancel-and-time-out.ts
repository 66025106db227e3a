import { createAgent, defineTool } from "planwright";
import * as z from "zod/v4";

const wait = defineTool({
  name: "Wait",
  description: "Waits, and stops as soon as it is told to",
  inputSchema: z.object({ ms: z.number() }),
  effect: "pure",
  timeoutMs: 1_000,
  retry: { maxAttempts: 1 },
  phrases: ["wait {ms} ms"],
  execute: ({ ms }, { signal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve("waited"), ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
});
const agent = createAgent({ tools: [wait] });
agent.on("step-end", ({ outcome }) => console.log("step", outcome.status));

const quick = await agent.run("Wait 10 ms");
console.log(quick.status, quick.output);

const slow = await agent.run("Wait 5000 ms");
console.log(slow.status, slow.error?.code);

const handle = agent.start("Wait 10 ms, then wait 900 ms");
agent.on("step-start", ({ stepId }) => stepId === "s2" && handle.cancel("the user left"));
const cancelled = await handle.result;
console.log(cancelled.status, cancelled.error?.message);

const late = await agent.run("Wait 10 ms, then wait 900 ms", { timeoutMs: 500 });
console.log(late.status, late.error?.code, late.error?.details);
